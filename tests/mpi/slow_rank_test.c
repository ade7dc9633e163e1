/*
 * Slow is not dead: a rank makes no call to Tutti for some time, while the others wait for it: once
 * when nobody is connected, and once when all are.
 *
 *   slow_rank_test SECONDS     each of the two times
 */
#include <time.h>

#include "job.h"

/* Computes, with pauses, as other tests run beside this one: Tutti sees no difference, as neither
 * makes a call. */
static void compute(double seconds) {
  const double until = MPI_Wtime() + seconds;
  volatile double x = 1;
  for (int i = 0; MPI_Wtime() < until; ++i) {
    x = x * 1.0000001;
    if (i % 100000 == 0) usleep(100000);
  }
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2 && atof(argv[1]) > 0 && job_size > 1,
        "usage: slow_rank_test SECONDS, with 2 ranks or more");
  const double seconds = atof(argv[1]);
  const int slow = job_size - 1;
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int round = 0; round < 2; ++round) {
    const double begin = MPI_Wtime(); /* the slow rank may be the first one out of the barrier */
    MPI_Barrier(MPI_COMM_WORLD);
    if (job_rank == slow) compute(seconds);
    MUST(tutti_barrier(comm));
    const double took = MPI_Wtime() - begin;
    CHECK(took > 0.9 * seconds, "the barrier ended after %.1f s, and rank %d computes for %.1f",
          took, slow, seconds);
  }
  MUST(tutti_comm_free(&comm));
  job_end("slow rank");
  return 0;
}
