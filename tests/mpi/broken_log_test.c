/* The log goes to standard error, which may be full, closed or a pipe that nobody reads: lines are
   lost, and nothing else is. */
#include <fcntl.h>
#include <signal.h>

#include "job.h"

static int full(void) { return open("/dev/full", O_WRONLY); }

/* As if closed: writing gives EBADF. If it were closed, the next file that is opened would take its
   number, and all that is printed. */
static int not_for_writing(void) { return open("/dev/null", O_RDONLY); }

static int without_reader(void) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  close(ends[0]);
  return ends[1];
}

static int start(void) {
  const char* settings[] = {"log=info", NULL};
  tutti_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.settings = settings;
  return tutti_init(&options);
}

/* The first call of each size logs what was chosen for it. */
static int use(tutti_comm comm, int size) {
  int mine[2] = {1, 1}, sums[2];
  const int code = tutti_allreduce(mine, sums, size, MPI_INT, MPI_SUM, comm);
  return code == TUTTI_SUCCESS && sums[size - 1] != job_size ? -1 : code;
}

/* `from_the_start`: the log breaks before tutti_init, else when the communicator is in use. Nothing
   is checked before standard error is whole again: it takes what a check prints. */
static void with_a_broken_log(int (*broken)(void), int from_the_start) {
  const int whole = dup(STDERR_FILENO), instead = broken();
  int codes[5] = {0};
  tutti_comm comm = TUTTI_COMM_NULL;
  CHECK(instead >= 0 && whole >= 0, "nothing to take the place of standard error");
  if (from_the_start) dup2(instead, STDERR_FILENO);
  if ((codes[0] = start()) == TUTTI_SUCCESS) {
    codes[1] = tutti_comm_create(MPI_COMM_WORLD, &comm);
    codes[2] = use(comm, 1);
    dup2(instead, STDERR_FILENO);
    codes[3] = use(comm, 2);
    codes[4] = tutti_comm_free(&comm);
  }
  dup2(whole, STDERR_FILENO);
  close(whole);
  close(instead);
  for (int i = 0; i < 5; ++i)
    CHECK(codes[i] == TUTTI_SUCCESS, "call %d gives %d: %s", i, codes[i],
          tutti_last_error_message());
}

int main(int argc, char** argv) {
  int (*const all[])(void) = {full, not_for_writing, without_reader};
  job_begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN); /* else the pipe ends the process, as it would end any that prints */
  for (int i = 0; i < 6; ++i) {
    with_a_broken_log(all[i / 2], i % 2);
    if (i < 5) MUST(tutti_finalize());
  }
  job_end("a broken log");
  return 0;
}
