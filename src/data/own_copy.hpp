// Communicators of our own, on which errors are returned.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "src/data/quiet_errors.hpp"

namespace tutti {

// The same ranks as `comm`, in the same order; collective. Not a duplicate: that would copy the
// program's attributes, and call its functions. Throws Error{bootstrap_failed}.
inline MPI_Comm own_copy_of(MPI_Comm comm) {
  const QuietErrors quiet;
  int rank = 0;
  MPI_Comm copy = MPI_COMM_NULL;
  PMPI_Comm_rank(comm, &rank);
  if (const int code = PMPI_Comm_split(comm, 0, rank, &copy); code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    PMPI_Error_string(code, text, &length);
    throw Error(Code::bootstrap_failed,
                std::string("MPI makes no communicator for Tutti: ") + text);
  }
  PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace tutti
