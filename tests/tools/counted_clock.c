/*
 * Preloaded: a clock by which tutti bench measures the same on every machine. It goes on by a
 * millisecond when it is read, and by one at each MPI_Bcast; on the last rank three times as fast.
 */
#include <mpi.h>

static long ticks;

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++ticks;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

double MPI_Wtime(void) {
  int rank = 0, size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return (double)++ticks * (rank + 1 == size ? 3 : 1) / 1000;
}
