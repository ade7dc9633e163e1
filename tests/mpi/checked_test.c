/*
 * With the setting `check`: what matches passes, what does not is an error on all ranks before any
 * data move, which names who calls what.
 */
#include "job.h"

enum { MOST = 64 };
static double in[MOST], out[MOST];
static MPI_Comm solver;

/* On all ranks: the words are the same, and have these in them. */
static void differs(int code, const char* what, const char* words) {
  const char* const text = tutti_last_error_message();
  CHECK(code == TUTTI_ERR_CALLS_DIFFER, "%s: gives %d (%s)", what, code, text);
  CHECK(strstr(text, "call 2 of communicator `solver` is "), "%s: %s", what, text);
  CHECK(strstr(text, words), "%s: not \"%s\": %s", what, words, text);
  char first[2048];
  snprintf(first, sizeof first, "%s", text);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strcmp(first, text) == 0, "%s: %s, and on rank 0: %s", what, text, first);
}

/* `odd` ones call the second. Both are right by themselves. */
#define DIFFER(words, usual, other)                                                    \
  do {                                                                                 \
    tutti_comm comm;                                                                   \
    MUST(tutti_comm_create(solver, &comm));                                            \
    MUST(tutti_barrier(comm));                                                         \
    differs(job_rank == job_size - 1 ? (other) : (usual), #usual " / " #other, words); \
    GIVES(tutti_barrier(comm), TUTTI_ERR_CALLS_DIFFER);                                \
    MUST(tutti_comm_free(&comm));                                                      \
  } while (0)

static void operations(tutti_comm good) {
  DIFFER("allreduce(count 10, MPI_DOUBLE, MPI_SUM) on rank",
         tutti_allreduce(in, out, 10, MPI_DOUBLE, MPI_SUM, comm),
         tutti_allreduce(in, out, 10, MPI_DOUBLE, MPI_MAX, comm));
  DIFFER("allreduce(count 20, MPI_FLOAT, MPI_SUM) on rank",
         tutti_allreduce(in, out, 10, MPI_DOUBLE, MPI_SUM, comm),
         tutti_allreduce(in, out, 20, MPI_FLOAT, MPI_SUM, comm));
  DIFFER("bcast(count 10, MPI_DOUBLE, root 0) on rank", tutti_bcast(out, 10, MPI_DOUBLE, 0, comm),
         tutti_allreduce(in, out, 10, MPI_DOUBLE, MPI_SUM, comm));
  DIFFER("MPI_IN_PLACE", tutti_allreduce(in, out, 10, MPI_DOUBLE, MPI_SUM, comm),
         tutti_allreduce(MPI_IN_PLACE, out, 10, MPI_DOUBLE, MPI_SUM, comm));
  DIFFER("scan(count 3, MPI_INT, MPI_SUM)", tutti_scan(in, out, 3, MPI_INT, MPI_SUM, comm),
         tutti_scan(in, out, 3, MPI_UNSIGNED, MPI_SUM, comm));
  DIFFER("exscan(count 4, MPI_INT, MPI_SUM)", tutti_exscan(in, out, 3, MPI_INT, MPI_SUM, comm),
         tutti_exscan(in, out, 4, MPI_INT, MPI_SUM, comm));
  DIFFER("reduce(count 3, MPI_INT, MPI_SUM, root 1)",
         tutti_reduce(in, out, 3, MPI_INT, MPI_SUM, 0, comm),
         tutti_reduce(in, out, 3, MPI_INT, MPI_SUM, 1, comm));
  DIFFER("reduce_scatter_block(count 2, MPI_INT, MPI_SUM)",
         tutti_reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, comm),
         tutti_reduce_scatter_block(in, out, 2, MPI_INT, MPI_PROD, comm));
  MPI_Count counts[8] = {1, 1, 1, 1, 1, 1, 1, 1}, others[8] = {2, 0, 1, 1, 1, 1, 1, 1};
  DIFFER("reduce_scatter(counts 2, 0",
         tutti_reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm),
         tutti_reduce_scatter(in, out, others, MPI_INT, MPI_SUM, comm));
  MUST(tutti_barrier(good));
}

static void movements(tutti_comm good) {
  MPI_Count ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, others[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  others[0] = 2;
  DIFFER("bcast(count 3, MPI_INT, root 1)", tutti_bcast(out, 3, MPI_INT, 0, comm),
         tutti_bcast(out, 3, MPI_INT, 1, comm));
  DIFFER("bcast(count 12, MPI_BYTE, root 0)", tutti_bcast(out, 3, MPI_INT, 0, comm),
         tutti_bcast(out, 12, MPI_BYTE, 0, comm));
  DIFFER("scatter(count 2, MPI_INT, root 0)",
         tutti_scatter(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm),
         tutti_scatter(in, 2, MPI_INT, out, 2, MPI_FLOAT, 0, comm));
  DIFFER("gather(count 2, MPI_INT, root 0)", tutti_gather(in, 2, MPI_INT, out, 2, MPI_INT, 0, comm),
         tutti_gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, comm));
  DIFFER("gatherv(root 1)", tutti_gatherv(in, 1, MPI_INT, out, ones, NULL, MPI_INT, 0, comm),
         tutti_gatherv(in, 1, MPI_INT, out, ones, NULL, MPI_INT, 1, comm));
  DIFFER("allgather(sendcount 1, MPI_INT, receivecount 1)",
         tutti_allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm),
         tutti_allgather(in, 1, MPI_FLOAT, out, 1, MPI_FLOAT, comm));
  DIFFER("allgatherv(counts 2", tutti_allgatherv(in, 1, MPI_INT, out, ones, NULL, MPI_INT, comm),
         tutti_allgatherv(in, job_rank == 0 ? 2 : 1, MPI_INT, out, others, NULL, MPI_INT, comm));
  DIFFER("MPI_IN_PLACE", tutti_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm),
         tutti_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm));
  DIFFER("barrier()", tutti_barrier(comm), tutti_bcast(out, 0, MPI_INT, 0, comm));
  MUST(tutti_barrier(good));
}

/* Calls that look different and whose signatures are equal. */
static void equal_signatures(tutti_comm good) {
  MPI_Datatype pairs, spread;
  MPI_Type_contiguous(2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Type_vector(3, 2, 4, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  const int odd = job_rank == job_size - 1;
  MUST(odd ? tutti_bcast(out, 1, spread, 0, good) : tutti_bcast(out, 3, pairs, 0, good));
  MUST(odd ? tutti_bcast(out, 6, MPI_INT, 0, good) : tutti_bcast(out, 3, pairs, 0, good));
  MUST(odd ? tutti_bcast(out, 24, MPI_PACKED, 0, good) : tutti_bcast(out, 6, MPI_INT, 0, good));
  MUST(odd ? tutti_bcast(out, 0, MPI_INT, 0, good) : tutti_bcast(out, 0, MPI_DOUBLE, 0, good));
  MUST(odd ? tutti_scan(MPI_IN_PLACE, out, 3, MPI_INT, MPI_SUM, good)
           : tutti_scan(in, out, 3, MPI_INT, MPI_SUM, good));
  MUST(odd ? tutti_gather(in, 1, spread, out, 3, pairs, 0, good)
           : tutti_gather(in, 6, MPI_INT, out, 3, pairs, 0, good));
  DIFFER("a derived type of 24 bytes", tutti_bcast(out, 1, spread, 0, comm),
         tutti_bcast(out, 2, spread, 0, comm));
  DIFFER("count 25, MPI_PACKED", tutti_bcast(out, 24, MPI_BYTE, 0, comm),
         tutti_bcast(out, 25, MPI_PACKED, 0, comm));
  MPI_Type_free(&pairs);
  MPI_Type_free(&spread);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size > 1 && job_size <= 8, "2 to 8 ranks");
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  MUST(tutti_init(NULL));
  tutti_comm good;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &good));
  operations(good);
  movements(good);
  equal_signatures(good);
  /* The same call again and again is checked each time. */
  for (int i = 0; i < 5; ++i) MUST(tutti_allreduce(in, out, 3, MPI_INT, MPI_SUM, good));
  GIVES(tutti_allreduce(in, out, 3, MPI_INT, job_rank == 0 ? MPI_MIN : MPI_SUM, good),
        TUTTI_ERR_CALLS_DIFFER);
  MUST(tutti_comm_free(&good));
  MPI_Comm_free(&solver);
  job_end("checked");
  return 0;
}
