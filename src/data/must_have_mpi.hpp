// Whether MPI runs. Calls of MPI after MPI_Finalize end the program.
#pragma once

#include <mpi.h>

#include "base/error.hpp"

namespace tutti {

// Throws Error{mpi_not_initialized}.
inline void must_have_mpi() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized)
    throw Error(Code::mpi_not_initialized,
                "MPI is not running; call MPI_Init before tutti_init, and tutti_finalize before "
                "MPI_Finalize");
}

}  // namespace tutti
