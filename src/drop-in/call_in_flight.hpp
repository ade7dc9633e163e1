// One call of Tutti's behind a request of the MPI's, for the files that begin, start and end such
// calls. in_flight.hpp is for all others.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "src/api/library.hpp"
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/operations.hpp"

namespace tutti::drop_in {

struct CallInFlight {
  CallInFlight(MPI_Comm c, Communicator& s) : comm(c), state(s) {
    state.requests.fetch_add(1, std::memory_order_relaxed);
  }
  ~CallInFlight() { state.requests.fetch_sub(1, std::memory_order_release); }
  CallInFlight(const CallInFlight&) = delete;
  CallInFlight& operator=(const CallInFlight&) = delete;

  bool is_persistent() const noexcept { return tag >= 0; }
  tutti_comm tutti() const noexcept { return own == TUTTI_COMM_NULL ? state.tutti : own; }

  MPI_Request handle = MPI_REQUEST_NULL;       // the program's
  tutti_request request = TUTTI_REQUEST_NULL;  // null: it has not begun, or has ended
  MPI_Comm comm;                               // the program's, unless state.freed
  Communicator& state;
  tutti_comm own = TUTTI_COMM_NULL;  // of a persistent call: see make_own()
  Numbers room;
  std::optional<HeldOperation> operation;
  int tag = -1;               // of a persistent request's message; -1: the call is not persistent
  int error = TUTTI_SUCCESS;  // and why, from the end on
  std::string message;
  std::atomic<bool> active{false};      // a persistent call, from its start until it has ended
  bool kept = false;                    // among those that have failed
  bool released = false;                // the program has freed the request: nobody will ask for it
  CallInFlight* next = nullptr;         // in flight
  CallInFlight* next_failed = nullptr;  // kept

  // Tutti until the request is complete; the list of failed calls; and the MPI until it frees the
  // request: at once if the program frees one that is not complete (MPICH), or when it is complete
  // (Open MPI).
  std::atomic<int> holders{2};
};

// In flight from now on. With the engine's lock.
void put_in_flight(CallInFlight& call) noexcept;
// false: it was not in flight. With the lock.
bool take_out(CallInFlight& call) noexcept;
// Waits for the end if it has to. With the lock; the call is not in flight any more, and one that
// has failed is kept.
void end(Library& library, CallInFlight& call) noexcept;
// Follows the call's end: the program's request is complete, too. Without the lock.
void complete(CallInFlight& call) noexcept;
void complete_persistent(CallInFlight& call) noexcept;

// As report(), to the handler of the call's communicator. If the program has freed that, nobody can
// be given it any more: then MPI_COMM_WORLD's hears of the error, unless errors were returned.
int report_of(const CallInFlight& call, int code,
              const char* message = tutti_last_error_message()) noexcept;
// Calls the error handler. Returns what a function of MPI's is to return.
int tell(const CallInFlight& call) noexcept;

// Calls that have failed, and whose requests nobody has waited for yet. The MPI completes a request
// in one thread, and another may be the one that waits.
// Tells of the one whose request the MPI has completed. MPI_SUCCESS: the request is not one of
// these.
int tell_failed(MPI_Request handle) noexcept;
inline std::atomic<int> failed_calls{0};
inline bool any_failed() noexcept { return failed_calls.load(std::memory_order_acquire) != 0; }

// This rank cannot take part, and the others may wait for it. Returns the code.
int refuse(tutti_comm comm, const char* why) noexcept;

// Fills in arguments, operation and room: what a call needs before it begins. With the lock. Throws
// std::bad_alloc, after the members have heard of that.
Arguments prepare(Library& library, CallInFlight& call, FunctionRef<Arguments(Numbers&)> given);

}  // namespace tutti::drop_in
