/*
 * A rank's call fails while its peer is stopped, before the two are connected, and the rank waits
 * in MPI from then on. The peer goes on, and its call ends in an error. Argument: `rejects`, a call
 * with wrong arguments, or `gives-up`, one that waits for 300 ms.
 */
#include <signal.h>
#include <sys/wait.h>

#include "job.h"

enum { kLong = 1 << 22, kStopped = 9 /* seconds, more than a rank waits to tell of its call */ };

static char data[kLong];

/* Stops this process; a child wakes it. */
static void sleep_soundly(void) {
  const pid_t process = getpid(), child = fork();
  CHECK(child >= 0, "no child");
  if (child == 0) {
    sleep(kStopped);
    kill(process, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 2 && argc == 2, "this test is for 2 ranks, and takes one argument");
  const int rejects = strcmp(argv[1], "rejects") == 0;
  if (!rejects && job_rank == 0) setenv("TUTTI_TIMEOUT", "300", 1);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MPI_Barrier(MPI_COMM_WORLD);
  if (job_rank == 1) sleep_soundly();
  const int count = rejects && job_rank == 0 ? -1 : kLong;
  const int code = tutti_bcast(data, count, MPI_BYTE, rejects ? 0 : 1, comm);
  CHECK(code == (rejects ? TUTTI_ERR_COUNT : TUTTI_ERR_TIMEOUT), "gives %d (%s)", code,
        tutti_last_error_message());
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(tutti_comm_free(&comm));
  job_end("left alone");
  return 0;
}
