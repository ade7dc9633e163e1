/*
 * A rank that waits for long says for whom. It does so once, and the call goes on: here until the
 * other ranks come after all.
 *
 *   hang_test SECONDS     how long they are late
 */
#include <time.h>

#include "job.h"

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2 && atof(argv[1]) > 0 && job_size > 1,
        "usage: hang_test SECONDS, with 2 ranks or more");
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(solver, &comm));
  MUST(tutti_barrier(comm));
  MPI_Barrier(MPI_COMM_WORLD); /* or one could tell the other that it is in Tutti still */
  if (job_rank > 0) usleep((useconds_t)(1e6 * atof(argv[1])));
  long long one = 1, sum = 0;
  MUST(tutti_allreduce(&one, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm));
  CHECK(sum == job_size, "the sum is %lld", sum);
  MUST(tutti_comm_free(&comm));
  MPI_Comm_free(&solver);
  job_end("hang");
  return 0;
}
