// Calls in flight: beginning, going on, and how the program hears of their end.
#include "src/drop-in/in_flight.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "src/api/requests.hpp"
#include "src/drop-in/beneath.hpp"
#include "src/drop-in/call_in_flight.hpp"
#include "src/drop-in/errors.hpp"

namespace tutti::drop_in {

namespace {

// The calls in flight, in the order in which they began. With the engine's lock.
CallInFlight* g_first = nullptr;
CallInFlight** g_end = &g_first;
// How many of Tutti's calls had ended when the list was last searched for these; nothing: some of
// those in it may have ended before.
std::optional<std::uint64_t> g_ended;

std::mutex g_failed_lock;
CallInFlight* g_failed = nullptr;  // see keep_failed(); the oldest comes first

// `link` points to it.
CallInFlight& unlink(CallInFlight** link) noexcept {
  CallInFlight& call = **link;
  *link = call.next;
  if (g_end == &call.next) g_end = link;
  call.next = nullptr;
  return call;
}

void drop(CallInFlight& call) noexcept {
  if (call.holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &call;
}

// --- what the MPI calls

// Errors are not told here: the MPI would take them for those of MPI_COMM_WORLD.
int query(void*, MPI_Status* status) noexcept {
  if (!status || status == MPI_STATUS_IGNORE) return MPI_SUCCESS;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int release_call(void* extra) noexcept {
  drop(*static_cast<CallInFlight*>(extra));
  return MPI_SUCCESS;
}

// Calls of collectives cannot be cancelled.
int cancel(void*, int) noexcept { return MPI_SUCCESS; }

// --- the end of a call

// Takes those out of the list that have ended, and returns them as another one. The first ones end
// first, mostly, so it ends where no more can have. With the lock.
CallInFlight* take_ended(Library& library) noexcept {
  CallInFlight* ended = nullptr;
  CallInFlight** last = &ended;
  const std::uint64_t ended_now = library.engine->calls().ended_so_far();
  std::uint64_t left = g_ended ? ended_now - *g_ended : std::numeric_limits<std::uint64_t>::max();
  g_ended = ended_now;
  for (CallInFlight** link = &g_first; *link && left > 0;) {
    const Pending* const pending =
        (*link)->request == TUTTI_REQUEST_NULL ? nullptr : &library.pending.find((*link)->request);
    // A call may end as it begins; a claimed one is for the thread that waits for it.
    if (!pending || !pending->active() || pending->claimant) g_ended.reset();
    if (!pending || pending->claimant || !pending->ended()) {
      link = &(*link)->next;
      continue;
    }
    --left;
    CallInFlight& call = unlink(link);
    end(library, call);
    *last = &call;
    last = &call.next;
  }
  return ended;
}

void complete_all(CallInFlight* ended) noexcept {
  while (ended) {
    CallInFlight& call = *ended;
    ended = call.next;
    complete(call);
  }
}

void keep_failed(CallInFlight& call) noexcept {
  const std::lock_guard lock(g_failed_lock);
  CallInFlight** last = &g_failed;
  while (*last) last = &(*last)->next_failed;
  call.next_failed = nullptr;
  *last = &call;
  call.holders.fetch_add(1, std::memory_order_relaxed);
  failed_calls.fetch_add(1, std::memory_order_release);
}

// Null: no call with that request has failed.
CallInFlight* take_failed(MPI_Request handle) noexcept {
  const std::lock_guard lock(g_failed_lock);
  for (CallInFlight** link = &g_failed; *link; link = &(*link)->next_failed)
    if ((*link)->handle == handle) {
      failed_calls.fetch_sub(1, std::memory_order_release);
      return std::exchange(*link, (*link)->next_failed);
    }
  return nullptr;
}

// A call that did not begin: nobody has its request. Returns what the function is to return.
int give_up(CallInFlight& call, int code) noexcept {
  const int error = report(code, call.comm);
  bool counted = false;
  guard([&](Library&) { counted = take_out(call); });
  if (counted) calls_in_flight.fetch_sub(1, std::memory_order_release);
  call.operation.reset();
  PMPI_Grequest_complete(call.handle);
  PMPI_Request_free(&call.handle);
  drop(call);
  return error;
}

}  // namespace

void put_in_flight(CallInFlight& call) noexcept {
  call.next = nullptr;
  *g_end = &call;
  g_end = &call.next;
  g_ended.reset();
  calls_in_flight.fetch_add(1, std::memory_order_release);
}

bool take_out(CallInFlight& call) noexcept {
  for (CallInFlight** link = &g_first; *link; link = &(*link)->next)
    if (*link == &call) {
      unlink(link);
      return true;
    }
  return false;
}

int report_of(const CallInFlight& call, int code, const char* message) noexcept {
  if (!call.state.freed.load(std::memory_order_acquire)) return report(code, call.comm, message);
  return call.state.returned_errors ? class_of(code) : report(code, world(), message);
}

int tell(const CallInFlight& call) noexcept {
  return report_of(call, call.error, call.message.c_str());
}

int refuse(tutti_comm comm, const char* why) noexcept {
  return guard([&](Library&) {
    communicator_of(comm).refuse(Code::out_of_memory, why);
    throw Error(Code::out_of_memory, why);
  });
}

Arguments prepare(Library& library, CallInFlight& call, FunctionRef<Arguments(Numbers&)> given) {
  try {
    const Arguments arguments = given(call.room);
    if (collectives::reduces(arguments.collective)) call.operation.emplace(arguments.operation);
    library.engine->calls().want_thread();
    return arguments;
  } catch (const std::bad_alloc&) {
    communicator_of(call.tutti()).refuse(Code::out_of_memory, kOutOfMemory);
    throw;
  }
}

void end(Library& library, CallInFlight& call) noexcept {
  try {
    try {
      library.pending.find(call.request).finish();
    } catch (...) {
      call.error = code_of_exception();
      call.message = tutti_last_error_message();
    }
  } catch (const std::bad_alloc&) {  // then there are no words for it
  }
  call.kept = call.error != TUTTI_SUCCESS && !call.released;
  if (call.kept) keep_failed(call);
  if (call.is_persistent()) return;
  library.pending.remove(call.request);
  call.request = TUTTI_REQUEST_NULL;
}

void complete(CallInFlight& call) noexcept {
  if (call.is_persistent()) return complete_persistent(call);
  call.operation.reset();
  if (!call.kept) {
    if (call.error != TUTTI_SUCCESS) tell(call);
    calls_in_flight.fetch_sub(1, std::memory_order_release);
  }
  PMPI_Grequest_complete(call.handle);
  drop(call);
}

int tell_failed(MPI_Request handle) noexcept {
  CallInFlight* const call = any_failed() ? take_failed(handle) : nullptr;
  if (!call) return MPI_SUCCESS;
  calls_in_flight.fetch_sub(1, std::memory_order_release);
  const int error = tell(*call);
  if (call->is_persistent()) call->error = TUTTI_SUCCESS;
  drop(*call);
  return error;
}

void release_request(MPI_Request handle) noexcept {
  guard<Enter::by_itself>([&](Library& library) {
    const auto lock = library.engine->enter();
    for (CallInFlight* call = g_first; call; call = call->next)
      if (call->handle == handle) call->released = true;
  });
}

int begin_call(Communicator& state, MPI_Comm comm, MPI_Request* request,
               FunctionRef<Arguments(Numbers&)> given) noexcept {
  if (request) *request = MPI_REQUEST_NULL;
  auto* const call = new (std::nothrow) CallInFlight(comm, state);
  if (!call) return report(refuse(state.tutti, kOutOfMemory), comm);
  if (const int error = PMPI_Grequest_start(query, release_call, cancel, call, &call->handle);
      error != MPI_SUCCESS) {
    refuse(state.tutti, "the MPI has made no request for the call");
    delete call;
    return error;
  }
  Arguments arguments{.collective = collectives::Collective::barrier};
  int code = guard([&](Library& library) {
    arguments = prepare(library, *call, given);
    put_in_flight(*call);
  });
  if (code == TUTTI_SUCCESS)
    code = begin(state.tutti, arguments, request ? &call->request : nullptr);
  if (code != TUTTI_SUCCESS) return give_up(*call, code);
  *request = call->handle;
  return MPI_SUCCESS;
}

void finish_calls() noexcept {
  while (any_in_flight()) {
    CallInFlight* call = nullptr;
    guard([&](Library& library) {
      if (!g_first) return;
      call = &unlink(&g_first);
      end(library, *call);
    });
    if (!call) return;
    complete(*call);
  }
}

// --- waiting and testing -----------------------------------------------------------------------

Awaiting::Awaiting(std::span<const MPI_Request> requests) {
  MPI_Request* place = few_.data();
  if (requests.size() > kFew) {
    many_.reset(new (std::nothrow) MPI_Request[requests.size()]);
    place = many_.get();
  }
  if (!place) return;  // then it takes all calls further, and knows none of them
  std::copy(requests.begin(), requests.end(), place);
  requests_ = {place, requests.size()};
}

// The first of the requests that is one of ours and in flight. Null: there is none. With the lock.
CallInFlight* Awaiting::next_awaited() noexcept {
  for (; place_ < requests_.size(); ++place_) {
    CallInFlight* call = requests_[place_] == MPI_REQUEST_NULL ? nullptr : g_first;
    while (call && call->handle != requests_[place_]) call = call->next;
    if (call && call->request != TUTTI_REQUEST_NULL) return call;
  }
  return nullptr;
}

// Takes the calls further. `rests`: whether to give the core away then; a call that pauses has done
// so. Returns those that have ended.
CallInFlight* Awaiting::advance(Library& library, int pauses, bool& rests) {
  // A function of MPI's that waits for the lock could have another one of MPI's.
  const auto lock = library.engine->try_to_enter();
  if (!lock) return nullptr;
  CallInFlight* const call = next_awaited();
  Pending* const pending = call ? &library.pending.find(call->request) : nullptr;
  if (pending && !pending->claimant) {
    pending->claimant = this;  // while the lock is free, other threads leave it alone
    if (pauses == 0)
      pending->look();
    else if (std::exchange(waited_, place_ + 1) != place_ + 1)
      pending->begin_wait();
    for (int i = 0; i < pauses && !pending->ended(); ++i) pending->pause();
    pending->claimant = nullptr;
    rests = false;
  } else {
    library.engine->calls().progress(true);
  }
  return take_ended(library);
}

void Awaiting::step(int pauses) noexcept {
  CallInFlight* ended = nullptr;
  guard<Enter::by_itself>([&](Library& library) {
    bool rests = pauses > 0;
    ended = advance(library, pauses, rests);
    if (rests && !ended) library.engine->waiting().yield();
  });
  complete_all(ended);
}

int Awaiting::told_of_one(int code, int completed) noexcept {
  const auto which = static_cast<std::size_t>(completed);
  if (completed < 0 || which >= requests_.size()) return code;
  const int error = tell_failed(requests_[which]);
  return error == MPI_SUCCESS ? code : error;
}

int Awaiting::told_of_some(int code, int completed, const int* indices,
                           MPI_Status* statuses) noexcept {
  const bool has_statuses = statuses && statuses != MPI_STATUSES_IGNORE;
  for (int i = 0; i < completed && any_failed(); ++i) {
    const auto which = static_cast<std::size_t>(indices ? indices[i] : i);
    if (which >= requests_.size()) continue;
    const int error = tell_failed(requests_[which]);
    if (error == MPI_SUCCESS) continue;
    for (int j = 0; has_statuses && code == MPI_SUCCESS && j < completed; ++j)
      statuses[j].MPI_ERROR = MPI_SUCCESS;
    if (has_statuses) statuses[i].MPI_ERROR = error;
    code = MPI_ERR_IN_STATUS;
  }
  return code;
}

}  // namespace tutti::drop_in
