#include "job.h"

int job_rank, job_size;

void job_begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
}

void job_end(const char* name) {
  MUST(tutti_finalize());
  MPI_Finalize();
  if (job_rank == 0) printf("%s: ok with %d ranks\n", name, job_size);
}
