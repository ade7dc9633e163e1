/* Helpers of the programs of this folder, plain MPI programs, none of which knows Tutti. */
#ifndef TUTTI_TESTS_PLAIN_H
#define TUTTI_TESTS_PLAIN_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

#define CHECK(condition, ...)                                                   \
  do {                                                                          \
    if (!(condition)) {                                                         \
      char text_[1024];                                                         \
      snprintf(text_, sizeof text_, __VA_ARGS__);                               \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, rank, text_); \
      sleep(1); /* mpiexec throws away what it has not passed on */             \
      MPI_Abort(MPI_COMM_WORLD, 1);                                             \
    }                                                                           \
  } while (0)

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline void finish(const char* name) {
  MPI_Finalize();
  if (rank == 0) printf("%s: ok with %d ranks\n", name, size);
}
#endif
