/*
 * Slow is not dead: a rank computes for some seconds, without a call to Tutti, while the others wait for it.
 *   slow_rank_test SECONDS
 */
#include "job.h"

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2, "usage: slow_rank_test SECONDS");
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int round = 0; round < 2; ++round) { /* the first time not even connected */
    if (job_rank == job_size - 1) {
      const double until = MPI_Wtime() + atof(argv[1]) / 2;
      volatile double x = 1;
      while (MPI_Wtime() < until) x = x * 1.0000001;
    }
    MUST(tutti_barrier(comm));
  }
  MUST(tutti_comm_free(&comm));
  job_end("slow rank");
  return 0;
}
