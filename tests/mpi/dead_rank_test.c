/*
 * A rank is killed in the middle of a collective. Every survivor gets an error within seconds, also one that waits for a live
 * rank which waits for the dead one; later calls give the same error; freeing works; a communicator without the dead goes on.
 *   sh -c "dead_rank_test DIRECTORY; true"
 * Each survivor leaves a file DIRECTORY/survivor-RANK when all of that held. The shell hides the death from the launcher, which
 * would end the job; the launcher's own status says nothing, as it may stumble over ranks that leave at once.
 */
#include "job.h"

#include <signal.h>
#include <unistd.h>

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2 && job_size >= 3, "usage: dead_rank_test DIRECTORY, with 3 ranks or more");
  const int victim = job_size - 1;
  MUST(tutti_init(NULL));
  MPI_Comm living_mpi;
  MPI_Comm_split(MPI_COMM_WORLD, job_rank == victim, job_rank, &living_mpi);
  tutti_comm world, living;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &world));
  MUST(tutti_comm_create(living_mpi, &living));
  static unsigned char block[200000], *all;
  all = malloc(sizeof block * (size_t)job_size);
  const MPI_Count n = getenv("JOB_LARGE") ? (MPI_Count)sizeof block : 100;
  for (int i = 0; i < 20; ++i) MUST(tutti_allgather(block, n, MPI_BYTE, all, n, MPI_BYTE, world));
  if (job_rank == victim) raise(SIGKILL);

  const double begin = MPI_Wtime();
  int code = TUTTI_SUCCESS;
  /* A ring: rank r waits for r - 1 only. What was sent before the death may still let some rounds pass. */
  while (code == TUTTI_SUCCESS) code = tutti_allgather(block, n, MPI_BYTE, all, n, MPI_BYTE, world);
  const double seconds = MPI_Wtime() - begin;
  char first[512];
  snprintf(first, sizeof first, "%s", tutti_last_error_message());
  CHECK(code == TUTTI_ERR_PEER_FAILED, "the error is %d: %s", code, first);
  CHECK(seconds < 10, "the error came after %.1f s", seconds);
  GIVES(tutti_barrier(world), TUTTI_ERR_PEER_FAILED);
  CHECK(strcmp(first, tutti_last_error_message()) == 0, "another first cause: %s / %s", first, tutti_last_error_message());
  MUST(tutti_comm_free(&world));
  for (int i = 0; i < 50; ++i) MUST(tutti_allgather(block, n, MPI_BYTE, all, n, MPI_BYTE, living));
  MUST(tutti_barrier(living));
  MUST(tutti_comm_free(&living));
  MUST(tutti_finalize());
  printf("rank %d: after %.2f s: %s\n", job_rank, seconds, first);
  fflush(stdout);
  char name[4096];
  snprintf(name, sizeof name, "%s/survivor-%d", argv[1], job_rank);
  FILE* file = fopen(name, "w");
  CHECK(file, "cannot write %s", name);
  fclose(file);
  /* The launcher ends the job with the first rank that leaves without MPI_Finalize: leave when all have said their part. */
  for (int r = 0, waited = 0; r < victim && waited < 2000; ++waited) {
    snprintf(name, sizeof name, "%s/survivor-%d", argv[1], r);
    if (access(name, F_OK) == 0)
      ++r;
    else
      usleep(10000);
  }
  _exit(0); /* MPI_Finalize would wait for the dead */
}
