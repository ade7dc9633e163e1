/*
 * A peer that does not answer while a connection is made: rank 1 is stopped (as a whole process,
 * its service thread too) before anyone has spoken to it, and goes on after some seconds. Everybody
 * gets an error that names the peer, within the setting connect_timeout (to be set to 2000 ms and
 * TUTTI_TRANSPORT to verbs), and nobody hangs.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"

/* Both ranks are on one host. */
static void wait_until_stopped(int process) {
  char path[64], state = '?';
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  while (state != 'T') {
    FILE* const file = fopen(path, "r");
    CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1, "%s cannot be read", path);
    fclose(file);
  }
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 2, "this test is for 2 ranks, not %d", job_size);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int process = getpid();
  MPI_Bcast(&process, 1, MPI_INT, 1, MPI_COMM_WORLD);
  if (job_rank == 0) wait_until_stopped(process);
  if (job_rank == 1) {
    const pid_t child = fork();
    if (child == 0) { /* wakes its parent */
      sleep(6);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
    CHECK(child > 0, "fork failed");
    raise(SIGSTOP);
    waitpid(child, NULL, 0);
  }
  const double begin = MPI_Wtime();
  GIVES(tutti_barrier(comm), TUTTI_ERR_UNREACHABLE);
  const double took = MPI_Wtime() - begin;
  CHECK(took < 6, "the error comes after %.1f s", took);
  CHECK(strstr(tutti_last_error_message(), job_rank == 0 ? "rank 1" : "rank 0"),
        "the message names no peer: %s", tutti_last_error_message());
  /* Rank 0 still lives, as it waits below, and says so. */
  CHECK(job_rank == 0 || strstr(tutti_last_error_message(), "given this rank up"), "rank 1: %s",
        tutti_last_error_message());
  GIVES(tutti_barrier(comm), TUTTI_ERR_UNREACHABLE);
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(tutti_comm_free(&comm));
  job_end("unreachable");
  return 0;
}
