/*
 * The same call again and again: what Tutti remembers of the last one must still be so. The data
 * change, handles of datatypes and operations come again and mean something else, plans are dropped
 * in between, communicators fail.
 */
#include "job.h"

enum { kInts = 16 };
static int sends[64 * kInts], receives[64 * kInts];
static tutti_comm comm;
static int sum_of_ranks;

static void fill(int* place, int count, int value) {
  for (int i = 0; i < count; ++i) place[i] = value;
}

static void holds(const char* what, const int* place, int count, int value) {
  for (int i = 0; i < count; ++i)
    CHECK(place[i] == value, "%s: element %d is %d, not %d", what, i, place[i], value);
}

static void all_collectives(int round) {
  const int P = job_size, root = round / 4 % P, me = job_rank;
  MUST(tutti_barrier(comm));

  fill(receives, kInts, me == root ? 100 + round : -1);
  MUST(tutti_bcast(receives, kInts, MPI_INT, root, comm));
  holds("bcast", receives, kInts, 100 + round);

  for (int r = 0; r < P; ++r) fill(sends + r * kInts, kInts, me == root ? 1000 * r + round : -1);
  MUST(tutti_scatter(sends, kInts, MPI_INT, receives, kInts, MPI_INT, root, comm));
  holds("scatter", receives, kInts, 1000 * me + round);

  fill(sends, P * kInts, 1000 * me + round);
  MUST(tutti_gather(sends, kInts, MPI_INT, receives, kInts, MPI_INT, root, comm));
  if (me == root)
    for (int r = 0; r < P; ++r) holds("gather", receives + r * kInts, kInts, 1000 * r + round);
  MUST(tutti_allgather(sends, kInts, MPI_INT, receives, kInts, MPI_INT, comm));
  for (int r = 0; r < P; ++r) holds("allgather", receives + r * kInts, kInts, 1000 * r + round);
  MUST(tutti_alltoall(sends, kInts, MPI_INT, receives, kInts, MPI_INT, comm));
  for (int r = 0; r < P; ++r) holds("alltoall", receives + r * kInts, kInts, 1000 * r + round);

  fill(sends, P * kInts, me + round);
  const int sum = sum_of_ranks + P * round;
  const int before = me * (me - 1) / 2 + me * round;
  MUST(tutti_reduce(sends, receives, kInts, MPI_INT, MPI_SUM, root, comm));
  if (me == root) holds("reduce", receives, kInts, sum);
  MUST(tutti_allreduce(sends, receives, kInts, MPI_INT, MPI_SUM, comm));
  holds("allreduce", receives, kInts, sum);
  MUST(tutti_reduce_scatter_block(sends, receives, kInts, MPI_INT, MPI_SUM, comm));
  holds("reduce_scatter_block", receives, kInts, sum);
  MUST(tutti_scan(sends, receives, kInts, MPI_INT, MPI_SUM, comm));
  holds("scan", receives, kInts, before + me + round);
  fill(receives, kInts, -7);
  MUST(tutti_exscan(sends, receives, kInts, MPI_INT, MPI_SUM, comm));
  holds("exscan", receives, kInts, me == 0 ? -7 : before);

  fill(receives, kInts, me + round);
  MUST(tutti_allreduce(MPI_IN_PLACE, receives, kInts, MPI_INT, MPI_SUM, comm));
  holds("allreduce in place", receives, kInts, sum);
  MUST(tutti_allreduce(sends, receives, round % 2 * kInts, MPI_INT, MPI_SUM, comm));
  holds("allreduce of nothing, or in other buffers", receives, kInts, sum);
}

/* MPICH and Open MPI both give the handle of a type that was freed to the next one. */
static void types_that_change(void) {
  for (int round = 0; round < 12; ++round) {
    const int ints = 1 + round % 4 * 3;
    MPI_Datatype type;
    if (round % 3 == 2) /* with gaps */
      MPI_Type_vector(ints, 1, 2, MPI_INT, &type);
    else
      MPI_Type_contiguous(ints, MPI_INT, &type);
    MPI_Type_commit(&type);
    fill(receives, 2 * kInts, job_rank == 0 ? round : -1);
    for (int again = 0; again < 2; ++again) MUST(tutti_bcast(receives, 1, type, 0, comm));
    for (int i = 0; i < 2 * kInts; ++i) {
      const int sent = round % 3 == 2 ? i % 2 == 0 && i < 2 * ints : i < ints;
      const int value = sent || job_rank == 0 ? round : -1;
      CHECK(receives[i] == value, "round %d: element %d is %d, not %d", round, i, receives[i],
            value);
    }
    MPI_Type_free(&type);
  }
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

static void largest(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

static void operations_that_change(void) {
  for (int round = 0; round < 8; ++round) {
    MPI_Op op;
    MPI_Op_create(round % 2 == 0 ? add : largest, 1, &op);
    fill(sends, kInts, job_rank);
    for (int again = 0; again < 2; ++again) {
      MUST(tutti_allreduce(sends, receives, kInts, MPI_INT, op, comm));
      holds("an operation of the user", receives, kInts,
            round % 2 == 0 ? sum_of_ranks : job_size - 1);
    }
    MPI_Op_free(&op);
  }
}

/* More plans than are kept, between two equal calls. */
static void plans_that_go(void) {
  for (int round = 0; round < 3; ++round) {
    for (int again = 0; again < 2; ++again) {
      fill(receives, kInts, job_rank == 0 ? round : -1);
      MUST(tutti_bcast(receives, kInts, MPI_INT, 0, comm));
      holds("a plan made anew", receives, kInts, round);
    }
    for (int bytes = 1; bytes < 200; ++bytes)
      MUST(tutti_allgather(sends, bytes, MPI_BYTE, receives, bytes, MPI_BYTE, comm));
  }
}

static void communicators_that_go(void) {
  for (int round = 0; round < 4; ++round) {
    for (int again = 0; again < 2; ++again) all_collectives(round);
    MUST(tutti_comm_free(&comm));
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  }
}

/* One rank refuses a call; then every call of that communicator fails, known or not. */
static void a_communicator_that_fails(void) {
  for (int again = 0; again < 3; ++again)
    MUST(tutti_allreduce(sends, receives, kInts, MPI_INT, MPI_SUM, comm));
  GIVES(tutti_allreduce(sends, receives, job_rank == 0 ? -1 : kInts, MPI_INT, MPI_SUM, comm),
        TUTTI_ERR_COUNT);
  if (job_rank != 0)
    for (int again = 0; again < 2; ++again)
      GIVES(tutti_allreduce(sends, receives, kInts, MPI_INT, MPI_SUM, comm), TUTTI_ERR_COUNT);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  sum_of_ranks = job_size * (job_size - 1) / 2;
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int round = 0; round < 4 * job_size; ++round) all_collectives(round);
  types_that_change();
  operations_that_change();
  plans_that_go();
  communicators_that_go();
  a_communicator_that_fails();
  MUST(tutti_comm_free(&comm));
  job_end("repeats_test");
  return 0;
}
