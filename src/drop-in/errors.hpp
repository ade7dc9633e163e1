// Errors of Tutti as MPI reports errors.
#pragma once

#include <mpi.h>

#include "tutti/tutti.h"

namespace tutti::drop_in {

// MPI's class of an error of Tutti's, which is not TUTTI_SUCCESS.
int class_of(int code) noexcept;
// Calls the communicator's error handler, once. Returns what the MPI function is to return, one of
// MPI's error classes. `code` is not TUTTI_SUCCESS; `message` says what happened.
int report(int code, MPI_Comm comm, const char* message = tutti_last_error_message()) noexcept;

}  // namespace tutti::drop_in
