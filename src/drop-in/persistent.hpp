// Persistent collectives under the drop-in. MPI has no generalized request that can be started
// again, so the program gets a persistent receive of no bytes, from this rank itself: MPI_Start
// starts it along with Tutti's call, and a message completes it when that has ended.
#pragma once

#include <mpi.h>

#include "src/drop-in/in_flight.hpp"

namespace tutti::drop_in {

// Makes a call whose arguments are `given(room)`; the room lives as long as the request. Returns
// what MPI's function is to return.
int keep_call(Communicator& state, MPI_Comm comm, MPI_Request* request,
              FunctionRef<Arguments(Numbers&)> given) noexcept;

// MPI_Start and MPI_Startall.
int start_request(MPI_Request* request) noexcept;
int start_requests(int count, MPI_Request requests[]) noexcept;
// MPI_Request_free for such a request; `code`: its result. false: it is another request.
bool free_persistent(MPI_Request* request, int& code) noexcept;

// In MPI_Init, before the first request.
void open_persistent(const Library& library) noexcept;
// In MPI_Finalize, when no call is in flight any more.
void close_persistent() noexcept;

}  // namespace tutti::drop_in
