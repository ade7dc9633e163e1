/*
 * Exit handlers run when the objects of the program and of its main thread may be gone already.
 * They call Tutti nevertheless: collectives that were not called before, calls that are refused,
 * and, in a handler from before tutti_init, tutti_finalize. Forked children that exit run them,
 * too, and get an error each time.
 */
#include <sys/wait.h>

#include "job.h"

static tutti_comm comm;
static pid_t rank_process;

/* Also before the other handlers: the message is then kept for this thread. */
static void refused(void) {
  int code = tutti_bcast(NULL, 1, MPI_INT, 0, TUTTI_COMM_NULL);
  const int wanted = getpid() == rank_process ? TUTTI_ERR_COMM : TUTTI_ERR_UNSUPPORTED;
  if (code != wanted || strlen(tutti_last_error_message()) < 10) _exit(9);
}

static void call_collectives(void) {
  refused();
  if (getpid() != rank_process) {
    if (tutti_barrier(comm) != TUTTI_ERR_UNSUPPORTED) _exit(8);
    return;
  }
  enum { kMost = 20000 };
  static long in[kMost], out[kMost];
  for (int i = 0; i < kMost; ++i) in[i] = i;
  for (int n = 1; n <= kMost; n = n * 3 + 1) {
    MUST(tutti_allreduce(in, out, n, MPI_LONG, MPI_SUM, comm));
    for (int i = 0; i < n; ++i) CHECK(out[i] == (long)i * job_size, "%d numbers, number %d", n, i);
    MUST(tutti_bcast(out, n, MPI_LONG, job_size - 1, comm));
    MUST(tutti_reduce(in, out, n, MPI_LONG, MPI_MAX, 0, comm));
    MUST(tutti_allgather(in, n / job_size, MPI_LONG, out, n / job_size, MPI_LONG, comm));
  }
}

static void finalize(void) {
  refused();
  if (getpid() != rank_process) {
    if (tutti_finalize() != TUTTI_ERR_UNSUPPORTED) _exit(7);
    return;
  }
  MUST(tutti_finalize());
  if (job_rank == 0) printf("at_exit: ok with %d ranks\n", job_size);
  MPI_Finalize();
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  rank_process = getpid();
  atexit(finalize);
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MUST(tutti_barrier(comm));
  refused();
  atexit(call_collectives);
  const pid_t child = fork();
  if (child == 0) exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %x", status);
  exit(0);
}
