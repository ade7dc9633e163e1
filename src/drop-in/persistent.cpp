// The life of persistent requests.
#include "src/drop-in/persistent.hpp"

#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/api/requests.hpp"
#include "src/drop-in/call_in_flight.hpp"
#include "src/drop-in/errors.hpp"
#include "src/drop-in/statistics.hpp"

namespace tutti::drop_in {
namespace {

// All of this with the lock, but for messages.
std::mutex g_persistent_lock;
std::atomic<int> g_persistent{0};  // number of persistent requests
auto& g_by_handle = *new std::unordered_map<MPI_Request, CallInFlight*>;
auto& g_free_tags = *new std::vector<int>;
int g_next_tag = 0;
MPI_Comm g_self = MPI_COMM_NULL;  // this rank alone; the library's

char g_nothing;

// Throws Error, std::bad_alloc.
void register_call(CallInFlight& call) {
  const std::lock_guard lock(g_persistent_lock);
  if (g_free_tags.empty()) {
    g_free_tags.reserve(static_cast<std::size_t>(g_next_tag) + 1);
    g_free_tags.push_back(g_next_tag++);
  }
  MPI_Request handle = MPI_REQUEST_NULL;
  if (PMPI_Recv_init(&g_nothing, 0, MPI_BYTE, 0, g_free_tags.back(), g_self, &handle) !=
      MPI_SUCCESS)
    throw Error(Code::out_of_memory, "the MPI has made no request for the call");
  try {
    g_by_handle.emplace(handle, &call);
  } catch (...) {
    PMPI_Request_free(&handle);
    throw;
  }
  call.handle = handle;
  call.tag = g_free_tags.back();
  g_free_tags.pop_back();
  g_persistent.fetch_add(1, std::memory_order_release);
}

// The call goes; its request is freed by its caller.
void remove_persistent(CallInFlight& call) noexcept {
  {
    const std::lock_guard lock(g_persistent_lock);
    g_by_handle.erase(call.handle);
    g_free_tags.push_back(call.tag);
    g_persistent.fetch_sub(1, std::memory_order_release);
  }
  delete &call;
}

// Null: it is none of ours.
CallInFlight* find_persistent(const MPI_Request* request) noexcept {
  if (g_persistent.load(std::memory_order_acquire) == 0 || !request) return nullptr;
  const std::lock_guard lock(g_persistent_lock);
  const auto found = g_by_handle.find(*request);
  return found == g_by_handle.end() ? nullptr : found->second;
}

int start(CallInFlight& call, MPI_Request* request) noexcept {
  if (call.active.load(std::memory_order_relaxed)) {  // Open MPI would start the message again
    PMPI_Comm_call_errhandler(call.comm, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  if (const int error = PMPI_Start(request); error != MPI_SUCCESS) return error;
  const int code = tutti_start(&call.request);
  if (code != TUTTI_SUCCESS) {
    const int error = report_of(call, code);
    PMPI_Send(&g_nothing, 0, MPI_BYTE, 0, call.tag, g_self);
    return error;
  }
  call.active.store(true, std::memory_order_relaxed);
  guard([&](Library&) { put_in_flight(call); });
  return MPI_SUCCESS;
}

}  // namespace

int keep_call(Communicator& state, MPI_Comm comm, MPI_Request* request,
              FunctionRef<Arguments(Numbers&)> given) noexcept {
  if (request) *request = MPI_REQUEST_NULL;
  tutti_comm own = TUTTI_COMM_NULL;
  if (const int code = make_own(state, comm, own); code != TUTTI_SUCCESS) return report(code, comm);
  auto* const call = new (std::nothrow) CallInFlight(comm, state);
  if (!call) {
    const int error = report(refuse(own, kOutOfMemory), comm);
    free_own(own);
    return error;
  }
  call->own = own;
  Arguments arguments{.collective = collectives::Collective::barrier};
  int code = guard([&](Library& library) { arguments = prepare(library, *call, given); });
  if (code == TUTTI_SUCCESS) code = keep(own, arguments, request ? &call->request : nullptr);
  if (code == TUTTI_SUCCESS)
    code = guard<Enter::by_itself>([&](Library&) { register_call(*call); });
  if (code == TUTTI_SUCCESS) {
    *request = call->handle;
    return MPI_SUCCESS;
  }
  const int error = report(code, comm);
  if (call->request != TUTTI_REQUEST_NULL) {  // this rank alone has no request
    refuse(own, "the MPI has made no request for the call");
    tutti_request_free(&call->request);
  }
  free_own(own);
  delete call;
  return error;
}

void complete_persistent(CallInFlight& call) noexcept {
  if (!call.kept) calls_in_flight.fetch_sub(1, std::memory_order_release);
  call.active.store(false, std::memory_order_relaxed);
  PMPI_Send(&g_nothing, 0, MPI_BYTE, 0, call.tag, g_self);
}

int start_request(MPI_Request* request) noexcept {
  CallInFlight* const call = find_persistent(request);
  return call ? start(*call, request) : PMPI_Start(request);
}

int start_requests(int count, MPI_Request requests[]) noexcept {
  if (g_persistent.load(std::memory_order_acquire) == 0 || count < 1 || !requests)
    return PMPI_Startall(count, requests);
  int first = MPI_SUCCESS;
  for (int i = 0; i < count; ++i)
    if (const int error = start_request(&requests[i]); first == MPI_SUCCESS) first = error;
  return first;
}

// MPI forbids to free one that is active: it is waited for.
bool free_persistent(MPI_Request* request, int& code) noexcept {
  CallInFlight* const call = find_persistent(request);
  if (!call) return false;
  bool active = false;
  guard([&](Library& library) {
    active = take_out(*call);
    if (active) end(library, *call);
  });
  if (active) complete(*call);
  tell_failed(call->handle);
  tutti_request_free(&call->request);
  free_own(call->own);
  remove_persistent(*call);
  code = PMPI_Request_free(request);
  return true;
}

void open_persistent(const Library& library) noexcept { g_self = library.datatypes.self(); }

void close_persistent() noexcept {
  for (const auto& [handle, call] : g_by_handle)  // the program has not freed these
    if (statistics_wanted) note_algorithms(call->own);
}

}  // namespace tutti::drop_in
