// Errors of Tutti as MPI reports errors.
#pragma once

#include <mpi.h>

namespace tutti::drop_in {

// Calls the communicator's error handler, once. Returns what the MPI function is to return, one of
// MPI's error classes. `code` is not TUTTI_SUCCESS, and the message is that of this thread.
int report(int code, MPI_Comm comm) noexcept;

}  // namespace tutti::drop_in
