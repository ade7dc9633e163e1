// Maps Tutti's error codes to MPI's error classes.
#include "src/drop-in/errors.hpp"

#include <unistd.h>

#include <cstdio>

namespace tutti::drop_in {

int class_of(int code) noexcept {
  switch (code) {
    case TUTTI_ERR_COMM: return MPI_ERR_TOPOLOGY;  // it is valid: a topology is all it can lack
    case TUTTI_ERR_BUFFER:
    case TUTTI_ERR_OVERLAP: return MPI_ERR_BUFFER;
    case TUTTI_ERR_COUNT: return MPI_ERR_COUNT;
    case TUTTI_ERR_TYPE:
    case TUTTI_ERR_TYPE_NOT_COMMITTED: return MPI_ERR_TYPE;
    case TUTTI_ERR_ROOT: return MPI_ERR_ROOT;
    case TUTTI_ERR_SIZE_MISMATCH:
    case TUTTI_ERR_CALLS_DIFFER: return MPI_ERR_TRUNCATE;
    case TUTTI_ERR_OP:
    case TUTTI_ERR_OP_FAILED: return MPI_ERR_OP;
    case TUTTI_ERR_DISPLACEMENT: return MPI_ERR_ARG;
    case TUTTI_ERR_REQUEST: return MPI_ERR_REQUEST;
    case TUTTI_ERR_NO_MEMORY:
    case TUTTI_ERR_LOCKED_MEMORY: return MPI_ERR_NO_MEM;
    case TUTTI_ERR_UNSUPPORTED: return MPI_ERR_UNSUPPORTED_OPERATION;
    case TUTTI_ERR_INTERNAL: return MPI_ERR_INTERN;
    default: return MPI_ERR_OTHER;
  }
}

namespace {

bool is_fatal(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return true;
  bool fatal = handler == MPI_ERRORS_ARE_FATAL;
#if MPI_VERSION >= 4
  fatal |= handler == MPI_ERRORS_ABORT;
#endif
  PMPI_Errhandler_free(&handler);
  return fatal;
}

}  // namespace

int report(int code, MPI_Comm comm, const char* message) noexcept {
  const int error = class_of(code);
  if (is_fatal(comm)) {
    // The message says more than MPI's class of the error. Launchers throw away what they have not
    // passed on when they end a job.
    std::fprintf(stderr, "tutti: %s\n", message);
    usleep(100'000);
  }
  PMPI_Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace tutti::drop_in
