/*
 * A rank rejects its arguments in the first call that it makes with others, and then waits in MPI
 * alone. Ranks that wait for it in that call, or come there later, are told, whether there was a
 * connection between the two or not.
 */
#include "job.h"

static tutti_comm comm;

/* The root rejects its call. */
static void refuse(MPI_Comm ranks, int root, int late) {
  int me, data[4] = {0};
  MPI_Comm_rank(ranks, &me);
  MUST(tutti_comm_create(ranks, &comm));
  if (late && me != root) usleep(500 * 1000);
  const int code = tutti_bcast(data, me == root ? -1 : 4, MPI_INT, root, comm);
  CHECK(code == TUTTI_ERR_COUNT, "gives %d (%s)", code, tutti_last_error_message());
  MPI_Barrier(ranks);
  MUST(tutti_comm_free(&comm));
}

/* In round r rank i meets rank i ^ r, for the first time. */
static void in_pairs(int round) {
  const int other = job_rank ^ round;
  if (other >= job_size) {
    MPI_Comm none;
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
    return;
  }
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, job_rank < other ? job_rank : other, job_rank, &pair);
  refuse(pair, round / 2 % 2, round % 2);
  refuse(pair, 1 - round / 2 % 2, 0);
  MPI_Comm_free(&pair);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  if (argc > 1) /* all ranks together */
    for (int root = 0; root < job_size; ++root) refuse(MPI_COMM_WORLD, root, root % 2);
  else
    for (int round = 1; round < 2 * job_size; ++round) in_pairs(round);
  job_end("refused_test");
  return 0;
}
