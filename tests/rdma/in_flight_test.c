/*
 * A rank that gives up while a message is on its way leaves the right data or an error to the
 * receiver, and the connection to other communicators.
 *
 *   sh -c "in_flight_test DIRECTORY MIB timeout|receive|kill; true"
 *
 * Rank 0 broadcasts MIB MiB, and its call fails: by its own time limit, or because the last rank is
 * killed meanwhile. Or that of rank 1, which receives, fails by its time limit. At once the rank
 * puts its buffer to other use. Any other rank whose call is a success must have what was sent, and
 * another communicator of the living goes on.
 *
 * Each rank that lives, and for which that held, leaves a file DIRECTORY/survivor-RANK. The shell
 * hides a death from the launcher, which would end the job.
 */
#include "job.h"

#include <signal.h>
#include <sys/time.h>

enum { kMicroseconds = 60000 /* until a rank is killed */ };

static void die_soon(void) {
  const struct itimerval soon = {.it_value = {.tv_usec = kMicroseconds}};
  signal(SIGALRM, SIG_DFL);
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0, "no timer");
}

static void report(const char* folder, const char* what) {
  char name[4096];
  snprintf(name, sizeof name, "%s/%s-%d", folder, what, job_rank);
  FILE* const file = fopen(name, "w");
  CHECK(file, "cannot write %s", name);
  fclose(file);
}

static void wait_for_reports(const char* folder, const char* what, int survivors) {
  char name[4096];
  for (int r = 0, waited = 0; r < survivors && waited < 12000; ++waited) {
    snprintf(name, sizeof name, "%s/%s-%d", folder, what, r);
    if (access(name, F_OK) == 0)
      ++r;
    else
      usleep(10000);
  }
}

/* Whether a rank with a time limit found the others late. */
static int too_late(int code, MPI_Comm ranks) {
  int late = code == TUTTI_ERR_TIMEOUT;
  MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, ranks);
  return late;
}

/* Connections stand after these, and are large. */
static int broadcasts(tutti_comm comm) {
  static unsigned char block[1 << 17];
  int code = TUTTI_SUCCESS;
  for (int i = 0; i < 20 && code == TUTTI_SUCCESS; ++i)
    code = tutti_bcast(block, sizeof block, MPI_BYTE, 0, comm);
  return code;
}

/* The calls succeed; on a new communicator if a rank with a time limit found the others late. */
static void must_succeed(int (*calls)(tutti_comm), tutti_comm* comm, MPI_Comm ranks, int limited) {
  int code = calls(*comm);
  for (int again = 0; again < 100 && limited && too_late(code, ranks); ++again) {
    MUST(tutti_comm_free(comm));
    MUST(tutti_comm_create(ranks, comm));
    code = calls(*comm);
  }
  CHECK(code == TUTTI_SUCCESS, "calls give %d: %s", code, tutti_last_error_message());
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 4 && job_size >= 2, "usage: in_flight_test DIRECTORY MIB timeout|receive|kill");
  const size_t bytes = strtoul(argv[2], NULL, 10) << 20;
  const int kills = strcmp(argv[3], "kill") == 0, survivors = job_size - kills;
  const int gives_up = strcmp(argv[3], "receive") == 0 ? 1 : 0;
  if (!kills && job_rank == gives_up) setenv("TUTTI_TIMEOUT", "200", 1);
  MUST(tutti_init(NULL));
  tutti_comm comm, other;
  MPI_Comm living;
  MPI_Comm_split(MPI_COMM_WORLD, job_rank < survivors, job_rank, &living);
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MUST(tutti_comm_create(living, &other));
  unsigned char* const buffer = malloc(bytes);
  CHECK(buffer, "no memory for %zu bytes", bytes);
  must_succeed(broadcasts, &comm, MPI_COMM_WORLD, !kills);
  for (size_t i = 0; i < bytes; ++i) buffer[i] = job_rank == 0 ? pattern(i, 0, 1) : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (kills && job_rank == survivors) die_soon();
  const double begin = MPI_Wtime();
  const int code = tutti_bcast(buffer, (MPI_Count)bytes, MPI_BYTE, 0, comm);
  const double seconds = MPI_Wtime() - begin;
  if (code != TUTTI_SUCCESS) memset(buffer, 0xBD, bytes);
  printf("rank %d: %d after %.2f s: %s\n", job_rank, code, seconds,
         code == TUTTI_SUCCESS ? "success" : tutti_last_error_message());
  fflush(stdout);
  CHECK(job_rank != gives_up || code == (kills ? TUTTI_ERR_PEER_FAILED : TUTTI_ERR_TIMEOUT),
        "rank %d gets %d: nothing was tested", gives_up, code);
  size_t wrong = 0;
  for (size_t i = 0; i < bytes && code == TUTTI_SUCCESS; ++i)
    wrong += buffer[i] != pattern(i, 0, 1);
  CHECK(wrong == 0, "a success, and %zu of %zu bytes are wrong", wrong, bytes);
  /* A rank that leaves takes its end of the connections along. */
  report(argv[1], "returned");
  wait_for_reports(argv[1], "returned", survivors);
  must_succeed(tutti_barrier, &other, living, !kills);
  MUST(tutti_comm_free(&other));
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  report(argv[1], "survivor");
  /* The launcher ends the job with the first rank that leaves without MPI_Finalize. */
  wait_for_reports(argv[1], "survivor", survivors);
  _exit(0); /* MPI_Finalize would wait for the dead */
}
