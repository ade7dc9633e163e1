/*
 * A user-defined operation fails on one rank: that rank is told, whoever returns success has the
 * right result, and in the end all are told.
 */
#include "job.h"

#include <dlfcn.h>

enum { kCount = 40000, kMost = 16 };

static int fails_after = -1; /* pieces that still succeed; -1: all */
static int has_failed = 0;

/* In front of the MPI's, for Tutti too. */
int PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  static int (*real)(const void*, void*, int, MPI_Datatype, MPI_Op);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "PMPI_Reduce_local");
  if (fails_after == 0) has_failed = 1;
  if (has_failed) return MPI_ERR_OTHER; /* and leaves what was there */
  if (fails_after > 0) --fails_after;
  return real(in, inout, count, type, op);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static int from[kCount * kMost], to[kCount * kMost];
static MPI_Op sum;

/* The number of ranks whose values are in this rank's result; 0: it has none. */
static int reduce(tutti_comm comm, int which, MPI_Count count, int* code) {
  switch (which) {
    case 0: *code = tutti_reduce(from, to, count, MPI_INT, sum, 0, comm); break;
    case 1: *code = tutti_allreduce(from, to, count, MPI_INT, sum, comm); break;
    case 2: *code = tutti_reduce_scatter_block(from, to, count, MPI_INT, sum, comm); break;
    case 3: *code = tutti_scan(from, to, count, MPI_INT, sum, comm); return job_rank + 1;
    default: *code = tutti_exscan(from, to, count, MPI_INT, sum, comm); return job_rank;
  }
  return which == 0 && job_rank != 0 ? 0 : job_size;
}

static void try_one(int which, MPI_Count count, int wrong, int after) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int i = 0; i < kCount * job_size; ++i) from[i] = i + 1;
  memset(to, 0, sizeof to);
  fails_after = job_rank == wrong ? after : -1;
  int code = 0;
  const int ranks = reduce(comm, which, count, &code);
  const int failed = has_failed;
  fails_after = -1;
  has_failed = 0;
  CHECK(!failed || code == TUTTI_ERR_OP_FAILED, "form %d: the failed rank gets %d", which, code);
  CHECK(code == 0 || code == TUTTI_ERR_OP_FAILED, "form %d: gives %d (%s)", which, code,
        tutti_last_error_message());
  const int first = which == 2 ? job_rank * (int)count : 0;
  for (int i = 0; code == 0 && ranks > 0 && i < (int)count; ++i)
    CHECK(to[i] == ranks * from[first + i],
          "form %d, %d elements, rank %d fails: success, and element %d is %d, not %d", which,
          (int)count, wrong, i, to[i], ranks * from[first + i]);
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  int next = code;
  for (int tries = 0; next == 0 && tries < (any ? 1000 : 3); ++tries) next = tutti_barrier(comm);
  CHECK(next == (any ? TUTTI_ERR_OP_FAILED : 0), "form %d: the next calls give %d (%s)", which,
        next, tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size <= kMost, "too many ranks");
  MUST(tutti_init(NULL));
  MPI_Op_create(add, 1, &sum);
  const MPI_Count counts[] = {1, 1000, kCount};
  for (int which = 0; which < 5; ++which)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
      for (int wrong = 0; wrong < job_size; ++wrong)
        for (int after = 0; after < 3; ++after) try_one(which, counts[i], wrong, after);
  MPI_Op_free(&sum);
  job_end("failing_operation");
  return 0;
}
