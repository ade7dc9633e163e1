// Handles of communicators: making them and freeing them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <span>

#include "base/text.hpp"
#include "src/api/library.hpp"
#include "src/api/topology.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/data/mpi_lock.hpp"
#include "src/data/require_mpi.hpp"
#include "src/data/quiet_errors.hpp"
#include "src/job/stencils.hpp"
#include "transport/bootstrap_mpi.hpp"

namespace tutti {
namespace {

std::mutex g_handles_lock;
// Grows only, see tutti_comm_object. Not destroyed at the end of the program: that would undo, in a
// child that was forked and exits, what belongs to its parent.
std::deque<tutti_comm_object>& g_handles = *new std::deque<tutti_comm_object>;
std::vector<tutti_comm>& g_spare_handles = *new std::vector<tutti_comm>;  // some of them

// Calls `each(first, world_ranks)` for members from `first` on, by rank of MPI_COMM_WORLD: some at
// a time, so that it needs no memory.
template <class Each>
void translate_members(MPI_Comm mpi, Each&& each) {
  std::array<int, 64> local, world;
  MPI_Group group = MPI_GROUP_NULL, world_group = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_size(mpi, &size);
  PMPI_Comm_group(mpi, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  for (int first = 0; first < size; first += static_cast<int>(local.size())) {
    const auto some = std::min(local.size(), static_cast<std::size_t>(size - first));
    std::iota(local.begin(), local.end(), first);
    PMPI_Group_translate_ranks(group, static_cast<int>(some), local.data(), world_group,
                               world.data());
    each(first, std::span(world.data(), some));
  }
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
}

// A stranger to one member is one to all of its world, and they are strangers to him: all throw,
// and tell each other nothing. Throws Error{unsupported}.
void must_know_all(MPI_Comm mpi) {
  if (has_strangers(mpi))
    throw Error(Code::unsupported,
                "a rank of the MPI communicator is not in MPI_COMM_WORLD (spawned or connected "
                "later); Tutti reaches the ranks of "
                "MPI_COMM_WORLD only");
}

// No program has seen it if what it is for fails.
using NewHandle = std::unique_ptr<tutti_comm_object, decltype(&give_back_handle)>;

tutti_comm fresh_handle() {
  const std::lock_guard lock(g_handles_lock);
  if (g_spare_handles.empty()) return &g_handles.emplace_back();
  const tutti_comm handle = g_spare_handles.back();
  g_spare_handles.pop_back();
  return handle;
}

// With the engine's lock.
tutti_comm finish(Library& state, NewHandle handle, std::unique_ptr<Communicator> made,
                  std::unique_ptr<Repeats> repeats, std::string name) {
  made->agreement().members().set_name(std::move(name));
  if (state.configuration.compares_calls && made->size() > 1)
    made->agreement().count().count_checks();
  handle->communicator = std::move(made);
  handle->repeats = std::move(repeats);
  return handle.release();
}

// Without the engine's lock where it exchanges data through MPI: they may come to it only after
// other calls, of other threads.
void create_communicator(Library& state, MPI_Comm mpi, tutti_comm* comm) {
  if (comm) *comm = TUTTI_COMM_NULL;
  require_mpi();
  if (mpi == MPI_COMM_NULL)
    throw Error(Code::bad_communicator, "the MPI communicator is MPI_COMM_NULL");
  look_for_gpu_driver();
  Engine& engine = *state.engine;
  {
    const auto lock = engine.enter();
    const QuietErrors quiet;
    int is_inter = 0;
    if (PMPI_Comm_test_inter(mpi, &is_inter) != MPI_SUCCESS)
      throw Error(Code::bad_communicator, "the MPI communicator is invalid or has been freed");
    if (is_inter)
      throw Error(
          Code::bad_communicator,
          "the MPI communicator is an intercommunicator; merge it with MPI_Intercomm_merge first");
  }
  must_know_all(mpi);
  transport::MpiBootstrap bootstrap(mpi, mpi_lock);
  auto neighbours = neighbours_in(mpi);
  std::string name = name_of(mpi);
  attend_while_waiting(state, bootstrap, "tutti_comm_create of " + words_for(name));
  if (!comm)
    throw Error(Code::bad_buffer,
                "tutti_comm_create needs a place for the new communicator, and `comm` is NULL");
  // The kind of topology is the same on all ranks.
  if (neighbours && !neighbours->crossed) agree_on_torus(bootstrap, *neighbours);
  *comm =
      make_communicator(state, bootstrap, world_ranks_of(mpi, bootstrap.size()), std::move(name));
  communicator_of(*comm).set_neighbours(std::move(neighbours));
}

}  // namespace

void throw_bad_communicator(tutti_comm comm) {
  throw Error(Code::bad_communicator,
              comm == TUTTI_COMM_NULL
                  ? "the communicator is TUTTI_COMM_NULL; make one with tutti_comm_create"
              : comm->magic != tutti_comm_object::kMagic
                  ? "this is not a communicator of Tutti; make one with tutti_comm_create"
                  : "the communicator was freed");
}

std::vector<int> world_ranks_of(MPI_Comm mpi, int size) {
  std::vector<int> all(static_cast<std::size_t>(size));
  translate_members(mpi, [&](int first, std::span<const int> ranks) {
    std::copy(ranks.begin(), ranks.end(), all.begin() + first);
  });
  return all;
}

std::string name_of(MPI_Comm mpi) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  PMPI_Comm_get_name(mpi, name.data(), &length);
  return name.data();
}

std::string words_for(std::string_view name) {
  return name.empty() ? "a communicator without a name"
                      : fmt::format("communicator `{}`", in_one_line(name));
}

tutti_comm make_communicator(Library& state, transport::Bootstrap& bootstrap,
                             const std::vector<int>& world_ranks, std::string name) {
  NewHandle handle(fresh_handle(), give_back_handle);
  auto repeats = std::make_unique<Repeats>();
  auto made = agree_on_communicator(*state.engine, bootstrap, bootstrap.rank(), world_ranks,
                                    *state.selection);
  const auto lock = state.engine->enter();
  return finish(state, std::move(handle), std::move(made), std::move(repeats), std::move(name));
}

tutti_comm make_copy(Library& state, CommunicatorId id, int rank,
                     const std::vector<int>& world_ranks, std::string name) {
  NewHandle handle(fresh_handle(), give_back_handle);
  auto repeats = std::make_unique<Repeats>();
  const auto lock = state.engine->enter();
  auto made =
      std::make_unique<Communicator>(*state.engine, id, rank, world_ranks, *state.selection);
  return finish(state, std::move(handle), std::move(made), std::move(repeats), std::move(name));
}

bool has_strangers(MPI_Comm mpi) {
  bool found = false;
  translate_members(mpi, [&](int, std::span<const int> ranks) {
    found |= std::find(ranks.begin(), ranks.end(), MPI_UNDEFINED) != ranks.end();
  });
  return found;
}

void give_back_handle(tutti_comm handle) noexcept {
  const std::lock_guard lock(g_handles_lock);
  try {
    g_spare_handles.push_back(handle);
  } catch (const std::bad_alloc&) {
    // It stays freed for ever.
  }
}

void free_all_communicators() noexcept {
  const std::lock_guard lock(g_handles_lock);
  for (tutti_comm_object& handle : g_handles) handle.free();
}

}  // namespace tutti

using namespace tutti;

int tutti_comm_create(MPI_Comm mpi, tutti_comm* comm) {
  return guard<Enter::by_itself>([&](Library& state) { create_communicator(state, mpi, comm); });
}

int tutti_comm_free(tutti_comm* comm) {
  return guard([&](Library& state) {
    if (!comm)
      throw Error(Code::bad_communicator,
                  "tutti_comm_free needs the address of a communicator, and got NULL");
    communicator_of(*comm);
    state.pending.settle(**comm);
    (*comm)->free();
    *comm = TUTTI_COMM_NULL;
  });
}
