// What the drop-in knows of an MPI communicator: whether its collectives are Tutti's. The state is
// an attribute of the communicator, made by its first collective, where all ranks are.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "tutti/tutti.h"

namespace tutti::drop_in {

struct Communicator {
  // Null: all its collectives are the MPI's, on all ranks, and `why_not` says why.
  tutti_comm tutti = TUTTI_COMM_NULL;
  const char* why_not = nullptr;
  int rank = 0, size = 1;
  bool between_groups = false;    // an intercommunicator
  std::vector<MPI_Count> counts;  // room for the arrays of one call
  Communicator* next_freed = nullptr;
};

// Before the first call. Throws Error{bootstrap_failed}. `at_end`: called in MPI_Finalize, after
// the program's own attributes of MPI_COMM_SELF are gone.
void open_communicators(void (*at_end)());
// Frees what programs have freed, and at the end all.
void close_communicators() noexcept;

// The state of a communicator, made if there is none: then the call is collective. Null: MPI has
// reported an error, by the communicator's handler, and `code` is it.
Communicator* find_communicator(MPI_Comm comm, int& code) noexcept;

}  // namespace tutti::drop_in
