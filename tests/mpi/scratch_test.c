/*
 * Memory that a process keeps for later calls does not grow with its communicators.
 *   scratch_test
 * The same long reduction on one communicator after the other, all of which live on; then packed
 * copies; then short calls on communicators that are freed.
 */
#include <malloc.h>

#include "job.h"

enum { kCommunicators = 12, kInts = 4 << 20, kFreed = 200 };

static tutti_comm comms[kCommunicators];
static int mine[kInts], sums[kInts];

/* Bytes of memory that this process takes, without what is shared with other ranks. */
static long anonymous_bytes(void) {
  char line[256];
  long kilobytes = -1;
  FILE* const status = fopen("/proc/self/status", "r");
  CHECK(status, "no /proc/self/status");
  while (fgets(line, sizeof line, status)) sscanf(line, "RssAnon: %ld kB", &kilobytes);
  fclose(status);
  CHECK(kilobytes > 0, "/proc/self/status has no RssAnon");
  return kilobytes << 10;
}

static void sum(int which, int round) {
  for (int i = 0; i < kInts; ++i) mine[i] = i % 1000 + job_rank + round;
  MUST(tutti_allreduce(mine, sums, kInts, MPI_INT, MPI_SUM, comms[which]));
  for (int i = 0; i < kInts; ++i) {
    const int expected = job_size * (i % 1000 + round) + job_size * (job_size - 1) / 2;
    CHECK(sums[i] == expected, "communicator %d, round %d: element %d is %d, not %d", which, round,
          i, sums[i], expected);
  }
}

/* Packed copies take the memory that reductions have given back, and give it back. */
static void pack(void) {
  const long long kept = job_describes(comms[0], "scratch_bytes_kept");
  CHECK(kept > (1 << 20), "only %lld bytes are kept", kept);
  MPI_Datatype every_other;
  MPI_Type_vector(kInts / 16, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  for (int i = 0; i < kInts; ++i) mine[i] = job_rank == 0 ? i : -i;
  MUST(tutti_bcast(mine, 1, every_other, 0, comms[0]));
  for (int i = 0; i < kInts / 8; ++i) {
    const int expected = job_rank == 0 || i % 2 == 0 ? i : -i;
    CHECK(mine[i] == expected, "element %d is %d, not %d", i, mine[i], expected);
  }
  MPI_Type_free(&every_other);
  const long long then = job_describes(comms[0], "scratch_bytes_kept");
  CHECK(then == kept, "after packing %lld bytes are kept, before %lld", then, kept);
}

static void come_and_go(int times) {
  for (int i = 0; i < times; ++i) {
    tutti_comm comm;
    int data = job_rank, total = -1;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    MUST(tutti_bcast(&data, 1, MPI_INT, job_size - 1, comm));
    MUST(tutti_allreduce(&job_rank, &total, 1, MPI_INT, MPI_SUM, comm));
    CHECK(data == job_size - 1 && total == job_size * (job_size - 1) / 2, "%d, %d", data, total);
    tutti_request prepared;
    MUST(tutti_allreduce_init(&job_rank, &total, 1, MPI_INT, MPI_SUM, comm, &prepared));
    MUST(tutti_start(&prepared));
    MUST(tutti_wait(&prepared));
    MUST(tutti_comm_free(&comm));
    MUST(tutti_request_free(&prepared));  // until now it has kept what it needs
  }
}

/* A freed communicator leaves its handle, which becomes no other's, and nothing else. */
static void leave(void) {
  come_and_go(kFreed);
  const size_t before = mallinfo2().uordblks;
  come_and_go(kFreed);
  const long each = ((long)mallinfo2().uordblks - (long)before) / kFreed;
  CHECK(each < 256, "a freed communicator leaves %ld bytes", each);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  for (int c = 0; c < kCommunicators; ++c) MUST(tutti_comm_create(MPI_COMM_WORLD, &comms[c]));
  const long before = anonymous_bytes();
  sum(0, 0);
  const long one = anonymous_bytes();
  const long buffers = 2 * (long)sizeof sums;
  CHECK(one - before > buffers + (1 << 20), "the reduction needs no scratch: it tests nothing");
  for (int round = 0; round < 2; ++round)
    for (int c = 0; c < kCommunicators; ++c) sum(c, round);
  const long grown = anonymous_bytes() - one;
  CHECK(grown < (8 << 20), "%d communicators take %ld KiB more than one", kCommunicators,
        grown >> 10);
  pack();
  for (int c = 0; c < kCommunicators; ++c) MUST(tutti_comm_free(&comms[c]));
  leave();
  job_end("scratch_test");
  return 0;
}
