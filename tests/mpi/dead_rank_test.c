/*
 * A rank is killed in the middle of a collective. Every survivor gets an error within seconds, also
 * one that waits for a live rank which waits for the dead one; later calls give the same error;
 * freeing works; a communicator without the dead rank goes on. The result of a call that succeeded
 * is right, though others put their buffers to other use as soon as they have the error.
 *
 *   sh -c "dead_rank_test DIRECTORY BYTES SEED; true"
 *
 * BYTES is the length of a block. SEED chooses the moment within a stream of collectives, of which
 * the first SEED modulo 4 are let pass: if that is 0, ranks may still be connecting, and the error
 * may be that the dead rank does not answer. SEED 0: between the 20th and the next.
 *
 * With DEAD_RANK_CHILD in the environment the rank has forked, and its child lives on: it has the
 * descriptors and mappings that the rank had.
 *
 * Each survivor for which all of that held leaves a file DIRECTORY/survivor-RANK. The shell hides
 * the death from the launcher, which would end the job. The launcher's own status says nothing, as
 * it may stumble over ranks that leave at once.
 */
#include "job.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

enum { kMostBytes = 1 << 20, kLatest = 400000 /* microseconds */ };

static atomic_int inside, number; /* in a collective, and in which */
static unsigned long seed;

/* Dies within a collective: the main thread is in one nearly always. */
static void* die_soon(void* ignored) {
  (void)ignored;
  while (number < (int)(seed % 4)) usleep(1000);
  uint64_t x = seed * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  const unsigned delay = (unsigned)(x >> 32) % kLatest;
  usleep(delay);
  while (!inside) sched_yield();
  char text[200];
  const int length =
      snprintf(text, sizeof text, "rank %d: seed %lu: killed after %u us, %s call %d\n", job_rank,
               seed, delay, inside ? "in" : "after", number);
  const ssize_t written = write(1, text, (size_t)length);
  (void)written;
  kill(getpid(), SIGKILL);
  return NULL;
}

/* The value of all bytes that rank `rank` contributes to the collective `i`: one, so that a block
 * is quickly made and looked at. */
static unsigned char value(int rank, int i) { return (unsigned char)(rank * 37 + i * 11 + 1); }

/* One value is known to be right: all bytes of a block are the same. */
static void expect(const unsigned char* block, size_t n, unsigned char right, int i,
                   const char* what) {
  CHECK(block[0] == right && memcmp(block, block + 1, n - 1) == 0,
        "call %d: %s is a success, and what came is wrong", i, what);
}

/* Every other call is an allgather, in which all ranks depend on all; those between are of every
 * shape in which ranks hand data on. */
static int call(tutti_comm comm, int rank, int ranks, size_t n, int i) {
  static unsigned char block[kMostBytes], all[kMostBytes * 16];
  const MPI_Count count = (MPI_Count)n;
  const int kind = i % 2 ? i / 2 % 3 : 3, root = i / 6 % ranks;
  memset(block, value(rank, i), n);
  memset(all, 0, n * (size_t)ranks);
  if (kind == 0 && rank == root) memset(all, value(root, i), n);
  for (int r = 0; r < ranks && kind == 1 && rank == root; ++r)
    memset(all + n * (size_t)r, value(r, i), n);
  number = i;
  inside = 1;
  const int code =
      kind == 0   ? tutti_bcast(all, count, MPI_BYTE, root, comm)
      : kind == 1 ? tutti_scatter(all, count, MPI_BYTE, block, count, MPI_BYTE, root, comm)
      : kind == 2 ? tutti_scan(block, all, count, MPI_UNSIGNED_CHAR, MPI_BXOR, comm)
                  : tutti_allgather(block, count, MPI_BYTE, all, count, MPI_BYTE, comm);
  inside = 0;
  if (code != TUTTI_SUCCESS) {
    memset(block, 0xBD, n);
    memset(all, 0xBD, n * (size_t)ranks);
    return code;
  }
  unsigned char folded = 0;
  for (int r = 0; r <= rank; ++r) folded ^= value(r, i);
  if (kind == 0) expect(all, n, value(root, i), i, "bcast");
  if (kind == 1) expect(block, n, value(rank, i), i, "scatter");
  if (kind == 2) expect(all, n, folded, i, "scan");
  for (int r = 0; r < ranks && kind == 3; ++r)
    expect(all + n * (size_t)r, n, value(r, i), i, "allgather");
  return code;
}

/* Until all survivors have reported, or for 20 s. */
static void wait_for_reports(const char* folder, int survivors) {
  char name[4096];
  for (int r = 0, waited = 0; r < survivors && waited < 2000; ++waited) {
    snprintf(name, sizeof name, "%s/survivor-%d", folder, r);
    if (access(name, F_OK) == 0)
      ++r;
    else
      usleep(10000);
  }
}

/* It outlives all errors: no rank reports before it has its own. The launcher waits for it. */
static void leave_a_child(const char* folder, int survivors) {
  const pid_t child = fork();
  CHECK(child >= 0, "no child");
  if (child > 0) return;
  wait_for_reports(folder, survivors);
  _exit(0);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 4 && job_size >= 3 && job_size <= 16,
        "usage: dead_rank_test DIRECTORY BYTES SEED, with 3 to 16 ranks");
  const size_t n = strtoul(argv[2], NULL, 10);
  seed = strtoul(argv[3], NULL, 10);
  CHECK(n >= 1 && n <= kMostBytes, "blocks have 1 to %d bytes, not %zu", kMostBytes, n);
  const int victim = job_size - 1;
  MUST(tutti_init(NULL));
  MPI_Comm living_mpi;
  MPI_Comm_split(MPI_COMM_WORLD, job_rank == victim, job_rank, &living_mpi);
  tutti_comm world, living;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &world));
  MUST(tutti_comm_create(living_mpi, &living));
  pthread_t killer;
  if (job_rank == victim && seed)
    CHECK(pthread_create(&killer, NULL, die_soon, NULL) == 0, "no thread");

  /* A ring: rank r waits for r - 1 only. Messages sent before the death may still let some rounds
   * pass. */
  int code = TUTTI_SUCCESS;
  double begin = 0;
  for (int i = 0; code == TUTTI_SUCCESS; ++i) {
    if (job_rank == victim && i == 3 && getenv("DEAD_RANK_CHILD")) leave_a_child(argv[1], victim);
    if (job_rank == victim && !seed && i == 20) raise(SIGKILL);
    begin = MPI_Wtime();
    code = call(world, job_rank, job_size, n, i);
  }
  const double seconds = MPI_Wtime() - begin;
  char first[512];
  snprintf(first, sizeof first, "%s", tutti_last_error_message());
  const int connecting = seed && seed % 4 == 0;
  CHECK(code == TUTTI_ERR_PEER_FAILED || (connecting && code == TUTTI_ERR_UNREACHABLE),
        "the error is %d: %s", code, first);
  CHECK(seconds < (connecting ? 20 : 10), "the error came after %.1f s", seconds);
  GIVES(tutti_barrier(world), code);
  CHECK(strcmp(first, tutti_last_error_message()) == 0, "another first cause: %s / %s", first,
        tutti_last_error_message());
  MUST(tutti_comm_free(&world));
  for (int i = 0; i < 50; ++i) MUST(call(living, job_rank, victim, n, i));
  MUST(tutti_barrier(living));
  MUST(tutti_comm_free(&living));
  MUST(tutti_finalize());
  printf("rank %d: told in %.2f s: %s\n", job_rank, seconds, first);
  fflush(stdout);
  char name[4096];
  snprintf(name, sizeof name, "%s/survivor-%d", argv[1], job_rank);
  FILE* file = fopen(name, "w");
  CHECK(file, "cannot write %s", name);
  fclose(file);
  /* The launcher ends the job with the first rank that leaves without MPI_Finalize: leave when all
   * have said their part. */
  wait_for_reports(argv[1], victim);
  _exit(0); /* MPI_Finalize would wait for the dead */
}
