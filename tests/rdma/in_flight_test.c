/*
 * What a send that is given up while its message is on its way leaves to the receiver: the right
 * data, or an error.
 *
 *   sh -c "in_flight_test DIRECTORY MIB timeout|kill; true"
 *
 * Rank 0 broadcasts MIB MiB, and its call fails: by its own time limit, or because the last rank is
 * killed meanwhile. At once it puts its buffer to other use. Any other rank whose call is a success
 * must have what was sent.
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

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 4 && job_size >= 2, "usage: in_flight_test DIRECTORY MIB timeout|kill");
  const size_t bytes = strtoul(argv[2], NULL, 10) << 20;
  const int kills = strcmp(argv[3], "kill") == 0, survivors = job_size - kills;
  if (!kills && job_rank == 0) setenv("TUTTI_TIMEOUT", "200", 1);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* const buffer = malloc(bytes);
  CHECK(buffer, "no memory for %zu bytes", bytes);
  /* Connections stand, and are large. */
  for (int i = 0; i < 20; ++i) MUST(tutti_bcast(buffer, 1 << 17, MPI_BYTE, 0, comm));
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
  CHECK(job_rank != 0 || code == (kills ? TUTTI_ERR_PEER_FAILED : TUTTI_ERR_TIMEOUT),
        "rank 0 gets %d: nothing was tested", code);
  size_t wrong = 0;
  for (size_t i = 0; i < bytes && code == TUTTI_SUCCESS; ++i)
    wrong += buffer[i] != pattern(i, 0, 1);
  CHECK(wrong == 0, "a success, and %zu of %zu bytes are wrong", wrong, bytes);
  /* Who leaves takes its end of the connections along. */
  report(argv[1], "returned");
  wait_for_reports(argv[1], "returned", survivors);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  report(argv[1], "survivor");
  /* The launcher ends the job with the first rank that leaves without MPI_Finalize. */
  wait_for_reports(argv[1], "survivor", survivors);
  _exit(0); /* MPI_Finalize would wait for the dead */
}
