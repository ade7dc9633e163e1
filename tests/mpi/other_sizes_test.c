/*
 * The last rank passes another count than all others, and the two lead to different algorithms, in
 * which messages may still have the expected lengths. A rank may get an error or the right result,
 * but not success with another one.
 */
#include "job.h"

enum { kMost = 20000 };
static long in[kMost], out[kMost];

/* Whether what this rank got for its `count` is right, if all passed at least `least`. */
static int is_right(int count, int least) {
  const long ranks = (long)job_size * (job_size + 1) / 2;
  if (count > least) return 0;
  for (int i = 0; i < count; ++i)
    if (out[i] != ranks * 1000000 + (long)job_size * i) return 0;
  return 1;
}

static void try_counts(int all, int last) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  const int count = job_rank == job_size - 1 ? last : all, least = all < last ? all : last;
  for (int i = 0; i < count; ++i) {
    in[i] = (job_rank + 1) * 1000000L + i;
    out[i] = -1;
  }
  const int code = tutti_allreduce(in, out, count, MPI_LONG, MPI_SUM, comm);
  CHECK(code != TUTTI_SUCCESS || is_right(count, least),
        "success with a wrong result: %d numbers here, %d and %d elsewhere", count, all, last);
  MUST(tutti_comm_free(&comm));
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  for (int n = 256; n <= kMost / 4; n = n * 3 / 2)
    for (int times = 2; times <= 4; ++times) {
      try_counts(n, n * times);
      try_counts(n * times, n);
      try_counts(n * times + 1, n);
    }
  job_end("other_sizes");
}
