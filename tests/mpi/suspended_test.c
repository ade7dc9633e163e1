/*
 * Ranks are stopped while they connect, one after another, each for longer than the setting
 * `connect_timeout` (to be set to 1000 ms), and go on. Slow is not dead: the call succeeds.
 */
#include <signal.h>
#include <sys/wait.h>

#include "job.h"

enum { kStopped = 4 /* seconds */, kOverlap = 1 };

/* The process may be on another host of the virtual ones, which have the same processes. */
static void wait_until_stopped(int process) {
  char path[64], state = '?';
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  while (state != 'T') {
    FILE* const file = fopen(path, "r");
    CHECK(file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1, "%s cannot be read", path);
    fclose(file);
  }
}

/* A child that stops this process in so many seconds, and wakes it. With 0 the process stops
 * itself, and the other rank tells the child when it has seen that, by SIGUSR1. */
static pid_t wake_after_a_stop_in(unsigned seconds) {
  sigset_t seen;
  sigemptyset(&seen);
  sigaddset(&seen, SIGUSR1);
  sigprocmask(SIG_BLOCK, &seen, NULL);
  const pid_t process = getpid(), child = fork();
  CHECK(child >= 0, "no child");
  if (child > 0) return child;
  int number;
  if (seconds == 0) sigwait(&seen, &number);
  sleep(seconds);
  if (seconds > 0) kill(process, SIGSTOP);
  sleep(kStopped);
  kill(process, SIGCONT);
  _exit(0);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 2, "this test is for 2 ranks, not %d", job_size);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  pid_t child = job_rank == 1 ? wake_after_a_stop_in(0) : 0;
  int processes[2] = {getpid(), child};
  MPI_Bcast(processes, 2, MPI_INT, 1, MPI_COMM_WORLD);
  if (job_rank == 1) {
    raise(SIGSTOP);
  } else {
    wait_until_stopped(processes[0]);
    CHECK(kill(processes[1], SIGUSR1) == 0, "the other rank's child cannot be told");
    child = wake_after_a_stop_in(kStopped - kOverlap);
  }
  MUST(tutti_barrier(comm));
  waitpid(child, NULL, 0);
  MUST(tutti_barrier(comm));
  MUST(tutti_comm_free(&comm));
  job_end("suspended");
  return 0;
}
