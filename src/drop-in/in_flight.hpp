// Tutti's non-blocking calls under the drop-in, from the function that begins one until its request
// is complete.
//
// The program gets a generalized request of the MPI's, so that every function of MPI's takes it,
// alone or in an array with requests of the MPI's own. A thread of Tutti's moves the call's data
// whatever the rank does. It is no thread of the program's, and calls no MPI: the request is
// completed by one that is in a function which waits or tests.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>

#include "base/function_ref.hpp"
#include "src/api/call_arguments.hpp"
#include "src/drop-in/communicators.hpp"
#include "src/drop-in/given.hpp"

namespace tutti {
struct Library;
}
namespace tutti::drop_in {

struct CallInFlight;

// Begins a call whose arguments are `given(room)`; the room lives as long as the call. Returns what
// MPI's function is to return.
int begin_call(Communicator& state, MPI_Comm comm, MPI_Request* request,
               FunctionRef<Arguments(Numbers&)> given) noexcept;

// Calls that are in flight, or have failed and nobody has been told.
inline std::atomic<int> calls_in_flight{0};
inline bool any_in_flight() noexcept {
  return calls_in_flight.load(std::memory_order_acquire) != 0;
}

// The program frees this request, whoever made it: if it is one of Tutti's and in flight, its error
// is told as soon as it has failed.
void release_request(MPI_Request handle) noexcept;

// In MPI_Finalize: waits for all.
void finish_calls() noexcept;

// MPI_Wait.
int wait_for(MPI_Request* request, MPI_Status* status);

// One call of a function that waits for requests, or tests them.
class Awaiting {
 public:
  // `requests`: MPI's array, some of which may be Tutti's.
  explicit Awaiting(std::span<const MPI_Request> requests);
  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;

  // Takes Tutti's calls further, and completes the requests of those that have ended.
  void look() noexcept { step(0); }
  // Takes calls further, and yields the core now and then. `all`: nothing is achieved before
  // all of the requests are complete.
  void pause(bool all) noexcept { step(all ? kPauses : 1); }

  // After a call of the MPI's which gave `code`: reports those that have failed and that it has
  // completed. Returns the function's result, for the request at `completed` (negative: none is):
  int told_of_one(int code, int completed) noexcept;
  // For several: request indices[i], or i if `indices` is null, has the status statuses[i].
  int told_of_some(int code, int completed, const int* indices, MPI_Status* statuses) noexcept;

 private:
  static constexpr int kPauses = 16;
  static constexpr std::size_t kFew = 16;

  void step(int pauses) noexcept;
  CallInFlight* advance(Library& library, int pauses, bool& rests);
  CallInFlight* next_awaited() noexcept;

  std::array<MPI_Request, kFew> few_;
  std::unique_ptr<MPI_Request[]> many_;
  std::span<const MPI_Request> requests_;  // as they were before the MPI has changed them
  std::size_t place_ = 0;                  // those before it are not in flight
  std::size_t waited_ = 0;                 // one more than the place of the one last waited for
};

}  // namespace tutti::drop_in
