/*
 * Data of calls that were begun arrive while no rank calls Tutti. For alltoall, allgather, scatter
 * and gather of up to 1 MiB, non-blocking and persistent, each rank begins its part, sleeps now and
 * then, and looks at its receive buffer. No rank waits for its request before all have seen their
 * data.
 *
 *   landed_test [alone]
 *
 * By the progress thread: from 64 KiB on. alone: without one; from 256 KiB on, as shorter messages
 * wait in a slot. All algorithms must be of one round then, and by the model messages take so long
 * that each start waits for its peers.
 */
#include <time.h>

#include "job.h"

enum {
  kMost = 1 << 20,
  kRounds = 3,
  kPatience = 20 /* seconds until what has not come is missed */
};
enum { ALLTOALL, ALLGATHER, SCATTER, GATHER, COLLECTIVES };

static const char* const names[] = {"alltoall", "allgather", "scatter", "gather"};
static unsigned char *in, *out;
static tutti_comm comm;

static int begin_once(int what, int n, tutti_request* request) {
  switch (what) {
    case ALLTOALL: return tutti_ialltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, comm, request);
    case ALLGATHER: return tutti_iallgather(in, n, MPI_BYTE, out, n, MPI_BYTE, comm, request);
    case SCATTER: return tutti_iscatter(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, comm, request);
    default: return tutti_igather(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, comm, request);
  }
}
static int prepare(int what, int n, tutti_request* request) {
  switch (what) {
    case ALLTOALL: return tutti_alltoall_init(in, n, MPI_BYTE, out, n, MPI_BYTE, comm, request);
    case ALLGATHER: return tutti_allgather_init(in, n, MPI_BYTE, out, n, MPI_BYTE, comm, request);
    case SCATTER: return tutti_scatter_init(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, comm, request);
    default: return tutti_gather_init(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, comm, request);
  }
}

/* Each rank's byte i of the block for `to`. */
static unsigned char sent(int what, size_t i, int from, int to, int round) {
  return pattern(i, from * job_size + (what == ALLTOALL || what == SCATTER ? to : 0), round);
}

/* The first block that is not as `from` has sent it; the number of blocks if all are. */
static int first_missing(int what, int n, int round, int blocks) {
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < n; ++i)
      if (((volatile unsigned char*)out)[(size_t)b * n + i] !=
          sent(what, (size_t)i, what == SCATTER ? 0 : b, job_rank, round))
        return b;
  return blocks;
}

static void let_data_land(int what, int n, int round, int blocks) {
  const struct timespec moment = {.tv_nsec = 1000000};
  const time_t end = time(NULL) + kPatience;
  int missing;
  while ((missing = first_missing(what, n, round, blocks)) < blocks && time(NULL) < end)
    nanosleep(&moment, NULL);
  CHECK(missing == blocks, "%s of %d bytes, round %d: block %d has not come without a call",
        names[what], n, round, missing);
}

static void one(int what, int n, int persistent) {
  const int blocks = what == SCATTER  ? 1
                     : what == GATHER ? (job_rank == 0 ? job_size : 0)
                                      : job_size;
  tutti_request request;
  if (persistent) MUST(prepare(what, n, &request));
  for (int round = 0; round < kRounds; ++round) {
    for (int to = 0; to < job_size; ++to)
      for (int i = 0; i < n; ++i)
        in[(size_t)to * n + i] = sent(what, (size_t)i, job_rank, to, round);
    memset(out, 0, (size_t)n * job_size);
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(persistent ? tutti_start(&request) : begin_once(what, n, &request));
    let_data_land(what, n, round, blocks);
    MPI_Barrier(MPI_COMM_WORLD);
    MUST(tutti_wait(&request));
  }
  if (persistent) MUST(tutti_request_free(&request));
}

/* So that connections have grown. */
static void warm_up(void) { MUST(tutti_alltoall(in, kMost, MPI_BYTE, out, kMost, MPI_BYTE, comm)); }

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  const int alone = argc > 1 && strcmp(argv[1], "alone") == 0;
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  in = malloc((size_t)kMost * job_size);
  out = malloc((size_t)kMost * job_size);
  CHECK(in && out, "no memory");
  warm_up();
  for (int what = 0; what < COLLECTIVES; ++what)
    for (int n = alone ? 1 << 18 : 1 << 16; n <= kMost; n *= 4)
      for (int persistent = 0; persistent < 2; ++persistent) one(what, n, persistent);
  free(in);
  free(out);
  MUST(tutti_comm_free(&comm));
  job_end("landed");
}
