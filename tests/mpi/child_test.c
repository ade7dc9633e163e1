/*
 * A forked child that calls Tutti, however it was forked, gets an error that says so; the ranks go
 * on as if nothing had been.
 */
#include "job.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static tutti_comm comm;

/* The child's report fits a pipe. Returns what is wrong, or NULL. */
static const char* call_everything(void) {
  int word = 7;
  tutti_comm other = comm;
  char text[64];
  const struct {
    const char* name;
    int code;
  } calls[] = {
      {"tutti_barrier", tutti_barrier(comm)},
      {"tutti_bcast", tutti_bcast(&word, 1, MPI_INT, 0, comm)},
      {"tutti_comm_create", tutti_comm_create(MPI_COMM_WORLD, &other)},
      {"tutti_comm_free", tutti_comm_free(&other)},
      {"tutti_describe", tutti_describe(comm, text, sizeof text, NULL)},
      {"tutti_finalize", tutti_finalize()},
      {"tutti_init", tutti_init(NULL)},
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
    if (calls[i].code != TUTTI_ERR_UNSUPPORTED) return calls[i].name;
  return strstr(tutti_last_error_message(), "forked") ? NULL : "the message";
}

static void try_child(pid_t (*fork_somehow)(void), const char* how) {
  if (job_rank == 0) {
    const pid_t child = fork_somehow();
    if (child == 0) {
      alarm(30);
      const char* const wrong = call_everything();
      if (wrong) dprintf(2, "in the child, %s is wrong\n", wrong);
      _exit(wrong ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child made by %s ends with %d", how, status);
  }
  int word = job_rank == 0 ? 42 : 0;
  MUST(tutti_bcast(&word, 1, MPI_INT, 0, comm));
  CHECK(word == 42, "after %s a broadcast brings %d", how, word);
  MUST(tutti_barrier(comm));
}

static pid_t clone_raw(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MUST(tutti_barrier(comm));
  try_child(fork, "fork()");
  try_child(clone_raw, "clone");
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  MPI_Finalize();
  if (job_rank == 0) printf("child: ok with %d ranks\n", job_size);
  return 0;
}
