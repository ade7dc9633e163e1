// Making, finding and freeing the states of communicators.
#include "src/drop-in/communicators.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "src/api/library.hpp"
#include "src/api/topology.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/data/mpi_lock.hpp"
#include "src/data/require_mpi.hpp"
#include "src/drop-in/statistics.hpp"
#include "src/job/stencils.hpp"
#include "transport/bootstrap_mpi.hpp"

namespace tutti::drop_in {
namespace {

int g_keyval = MPI_KEYVAL_INVALID;
int g_self_keyval = MPI_KEYVAL_INVALID;
CommunicatorRules g_rules{};
constexpr const char* kNew = "its communicator is new";

// Freed by the program, and not by Tutti yet: MPI may hold locks of its own when it tells us.
std::atomic<Communicator*> g_freed{nullptr};
// Grows when a handle loses its meaning.
std::atomic<std::uint64_t> g_frees{0};

void put_aside(Communicator& state) noexcept {
  state.next_freed = g_freed.load(std::memory_order_relaxed);
  while (!g_freed.compare_exchange_weak(state.next_freed, &state, std::memory_order_release))
    continue;
}

// Programs and MPIs duplicate communicators that nobody uses: these are not put aside, as no call
// may ever come that frees them.
void release(Communicator& state) noexcept {
  if (state.tutti == TUTTI_COMM_NULL)
    delete &state;
  else
    put_aside(state);
}

bool returns_errors(MPI_Comm comm) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  const bool returns = handler == MPI_ERRORS_RETURN;
  PMPI_Errhandler_free(&handler);
  return returns;
}

int note_freed(MPI_Comm comm, int, void* value, void*) noexcept {
  g_frees.fetch_add(1, std::memory_order_release);
  auto& state = *static_cast<Communicator*>(value);
  if (state.requests.load(std::memory_order_acquire) != 0)
    state.returned_errors = returns_errors(comm);
  state.freed.store(true, std::memory_order_release);
  if (!Freeing::keeps(state)) release(state);
  return MPI_SUCCESS;
}

[[noreturn]] void die(const char* why) noexcept {
  std::fprintf(stderr, "tutti: no communicator can be made: %s\n", why);
  std::abort();
}

Communicator& new_state() noexcept {
  auto* const state = new (std::nothrow) Communicator;
  if (!state) die("there is no memory");
  return *state;
}

// The communicator that the program duplicates on this thread.
thread_local MPI_Comm t_duplicated = MPI_COMM_NULL;

// MPICH copies attributes when all members duplicate a communicator, and at no other time. Some of
// its Fortran functions duplicate without MPI_Comm_dup. Open MPI 4 copies them in
// MPI_Comm_create_group, too, where members are missing, and an MPI that is not known may.
bool all_duplicate(MPI_Comm original) noexcept {
  return kOwnMpi == "MPICH" || original == t_duplicated;
}

// Called by MPI, which may hold locks of its own, when it copies the attributes of a communicator.
int note_copied(MPI_Comm comm, int, void*, void* value, void* copy, int* has_copy) noexcept {
  auto& original = *static_cast<Communicator*>(value);
  const CommunicatorId number = all_duplicate(comm) ? original.copies.next() : 0;
  *has_copy = number != 0;
  if (number == 0) return MPI_SUCCESS;
  Communicator& state = new_state();
  state.why_not = kNew;
  state.rank = original.rank;
  state.size = original.size;
  state.number = number;
  state.copies = Copies::of(number);
  state.world_ranks = original.world_ranks;
  state.torus = original.torus;
  *static_cast<void**>(copy) = &state;
  return MPI_SUCCESS;
}

int note_end(MPI_Comm, int, void*, void*) noexcept {
  g_rules.at_end();
  return MPI_SUCCESS;
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw Error(Code::bootstrap_failed, std::string(call) + " failed");
}

// The communicators that live, if statistics are wanted.
std::set<Communicator*>& g_living = *new std::set<Communicator*>;

void note_algorithms_of(Communicator& state) noexcept {
  if (!statistics_wanted) return;
  note_algorithms(state.tutti);
  const std::lock_guard lock(mpi_lock);
  g_living.erase(&state);
}

void free_one(tutti_comm comm) noexcept {
  const tutti_comm handle = comm;
  if (tutti_comm_free(&comm) == TUTTI_SUCCESS) give_back_handle(handle);
}

// But for those that have calls in flight: a rank may not wait for these here.
void free_those_freed() noexcept {
  if (!g_freed.load(std::memory_order_relaxed)) return;
  Communicator* freed = g_freed.exchange(nullptr, std::memory_order_acquire);
  while (freed) {
    Communicator* const next = freed->next_freed;
    if (freed->requests.load(std::memory_order_acquire) != 0) {
      put_aside(*freed);
      freed = next;
      continue;
    }
    if (freed->tutti != TUTTI_COMM_NULL) {
      note_algorithms_of(*freed);
      free_one(freed->tutti);
    }
    delete freed;
    freed = next;
  }
}

// All members make it, or none.
void agree(Communicator& state, MPI_Comm comm) {
  const int code = guard<Enter::by_itself>([&](Library& library) {
    transport::MpiBootstrap bootstrap(comm, mpi_lock);
    std::unique_lock lock(mpi_lock);
    state.world_ranks = std::make_shared<const std::vector<int>>(world_ranks_of(comm, state.size));
    std::string name = name_of(comm);
    auto neighbours = neighbours_in(comm);
    lock.unlock();
    attend_while_waiting(library, bootstrap,
                         "the first collective that Tutti takes of " + words_for(name));
    look_for_gpu_driver();
    if (neighbours && !neighbours->crossed) agree_on_torus(bootstrap, *neighbours);
    if (neighbours) state.torus = neighbours->torus;
    state.tutti = make_communicator(library, bootstrap, *state.world_ranks, std::move(name));
    auto& made = communicator_of(state.tutti);
    made.set_neighbours(std::move(neighbours));
    state.copies =
        comm == g_rules.world ? Copies::of_world() : Copies::of(made.agreement().members().id());
  });
  if (code != TUTTI_SUCCESS) state.why_not = "Tutti has failed there";
}

// The members have agreed on it by making it as a copy. A rank that cannot is alone, and others may
// wait for it already.
void adopt(Communicator& state, MPI_Comm comm) noexcept {
  const int code = guard<Enter::by_itself>([&](Library& library) {
    std::unique_lock lock(mpi_lock);
    std::string name = name_of(comm);
    auto neighbours = neighbours_in(comm);
    lock.unlock();
    if (neighbours) neighbours->torus = state.torus;
    look_for_gpu_driver();
    state.tutti = make_copy(library, state.number, state.rank, *state.world_ranks, std::move(name));
    communicator_of(state.tutti).set_neighbours(std::move(neighbours));
  });
  if (code != TUTTI_SUCCESS) die(tutti_last_error_message());
}

// All decide alike, without a message, except where Tutti fails: it does so on all ranks. Once the
// calls before are made.
void decide(Communicator& state, MPI_Comm comm) {
  state.why_not = nullptr;
  if (state.number != 0) {
    adopt(state, comm);
  } else {
    {
      const std::lock_guard lock(mpi_lock);
      if (has_strangers(comm)) state.why_not = "members outside MPI_COMM_WORLD";
    }
    if (state.why_not) return;
    agree(state, comm);
  }
  const std::lock_guard lock(mpi_lock);
  if (statistics_wanted && state.tutti != TUTTI_COMM_NULL) g_living.insert(&state);
}

// Reads the facts of the communicator; the rest is decided by its first call, or a later one.
void look_at(Communicator& state, MPI_Comm comm) {
  const std::lock_guard lock(mpi_lock);
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_size(comm, &state.size);
  PMPI_Comm_rank(comm, &state.rank);
  state.between_groups = inter != 0;
  state.why_not = inter ? "an intercommunicator" : state.size == 1 ? "one rank" : kNew;
  if (state.why_not == kNew) state.calls_before = comm == g_rules.world ? 0 : g_rules.calls_of_mpi;
}

// Before each call of a communicator that is new.
void come_closer(Communicator& state, MPI_Comm comm, May may) {
  if (may == May::decide) state.calls_before = 0;
  if (state.calls_before > 0)
    --state.calls_before;
  else if (may != May::not_wait || state.number != 0)
    decide(state, comm);
}

Communicator* attribute_of(MPI_Comm comm, int& code) {
  const std::lock_guard lock(mpi_lock);
  void* value = nullptr;
  int found = 0;
  code = PMPI_Comm_get_attr(comm, g_keyval, &value, &found);
  return code == MPI_SUCCESS && found ? static_cast<Communicator*>(value) : nullptr;
}

// This rank alone cannot keep it: the others, who may wait in it already, hear of that.
void give_up(Communicator& state) noexcept {
  if (state.tutti != TUTTI_COMM_NULL)
    guard([&](Library&) { communicator_of(state.tutti).refuse(Code::out_of_memory); });
  put_aside(state);
}

Communicator* make(MPI_Comm comm, int& code, May may) {
  free_those_freed();
  Communicator* const state = &new_state();
  look_at(*state, comm);
  if (state->why_not == kNew) come_closer(*state, comm, may);
  {
    const std::lock_guard lock(mpi_lock);
    code = PMPI_Comm_set_attr(comm, g_keyval, state);
  }
  if (code == MPI_SUCCESS) return state;
  give_up(*state);
  return nullptr;
}

struct Last {
  MPI_Comm comm;
  Communicator* state = nullptr;
  std::uint64_t frees = 0;
};
thread_local Last t_last;

// The state of MPI_COMM_SELF is no attribute: MPI_Finalize takes the attributes from it one by one,
// and calls functions of the program's, which may call its collectives.
Communicator& g_state_of_self = *new Communicator;

// The communicators that this thread frees, the last one first.
thread_local Freeing* t_freeing = nullptr;

}  // namespace

Freeing::Freeing(MPI_Comm comm) noexcept
    : comm_(comm), outer_(t_freeing), state_(attribute_of(comm, error_)) {
  t_freeing = this;
}

Freeing::~Freeing() {
  t_freeing = outer_;
  if (state_ && (is_made_ || state_->freed.load(std::memory_order_acquire))) release(*state_);
}

Freeing* Freeing::find(MPI_Comm comm) noexcept {
  Freeing* one = t_freeing;
  while (one && one->comm_ != comm) one = one->outer_;
  return one;
}

bool Freeing::keeps(const Communicator& state) noexcept {
  const Freeing* one = t_freeing;
  while (one && one->state_ != &state) one = one->outer_;
  return one != nullptr;
}

Communicator& Freeing::state() noexcept {
  if (state_) return *state_;
  state_ = &new_state();
  is_made_ = true;
  look_at(*state_, comm_);
  return *state_;
}

Duplicating::Duplicating(MPI_Comm comm) noexcept : outer_(std::exchange(t_duplicated, comm)) {}
Duplicating::~Duplicating() { t_duplicated = outer_; }

void open_communicators(const CommunicatorRules& rules) {
  g_rules = rules;
  check(PMPI_Comm_create_keyval(note_copied, note_freed, &g_keyval, nullptr),
        "MPI_Comm_create_keyval");
  check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &g_self_keyval, nullptr),
        "MPI_Comm_create_keyval");
  check(PMPI_Comm_set_attr(rules.self, g_self_keyval, nullptr), "MPI_Comm_set_attr");
  look_at(g_state_of_self, rules.self);
}

void close_communicators() noexcept {
  free_those_freed();
  for (Communicator* const state : std::set(g_living)) note_algorithms_of(*state);
  g_frees.fetch_add(1, std::memory_order_release);
}

Communicator* find_communicator(MPI_Comm comm, int& code, May may) noexcept {
  code = MPI_SUCCESS;
  const std::uint64_t frees = g_frees.load(std::memory_order_acquire);
  if (t_last.state && t_last.comm == comm && t_last.frees == frees) [[likely]]
    return t_last.state;
  if (comm == g_rules.self) return &g_state_of_self;
  if (Freeing* const freeing = Freeing::find(comm)) [[unlikely]]
    return &freeing->state();
  Communicator* state = attribute_of(comm, code);
  if (!state && code == MPI_SUCCESS)
    state = make(comm, code, may);
  else if (state && state->why_not == kNew) {
    free_those_freed();
    come_closer(*state, comm, may);
  }
  if (state && state->why_not != kNew)
    t_last = {comm, state, g_frees.load(std::memory_order_acquire)};
  return state;
}

int make_own(Communicator& state, MPI_Comm comm, tutti_comm& own) noexcept {
  const CommunicatorId number = state.copies.next();
  const int code = guard<Enter::by_itself>([&](Library& library) {
    std::unique_lock lock(mpi_lock);
    std::string name = name_of(comm);
    lock.unlock();
    if (number != 0) {
      own = make_copy(library, number, state.rank, *state.world_ranks, std::move(name));
    } else {
      transport::MpiBootstrap bootstrap(comm, mpi_lock);
      attend_while_waiting(library, bootstrap,
                           "making a persistent collective of " + words_for(name));
      own = make_communicator(library, bootstrap, *state.world_ranks, std::move(name));
    }
    communicator_of(own).set_neighbours(communicator_of(state.tutti).neighbours());
  });
  if (code != TUTTI_SUCCESS && number != 0) die(tutti_last_error_message());
  return code;
}

void free_own(tutti_comm own) noexcept {
  if (statistics_wanted) note_algorithms(own);
  free_one(own);
}

}  // namespace tutti::drop_in
