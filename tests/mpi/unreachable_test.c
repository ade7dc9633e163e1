/*
 * A peer that does not answer while a connection is made: the network lets no packet of RoCE pass
 * from rank 0's host, host 0, to rank 1's until rank 0 has given up. Everybody gets an error that
 * names the peer, within the setting connect_timeout (to be set to 2000 ms), and nobody hangs.
 */
#include "job.h"

static void set_network(const char* commands) {
  CHECK(system(commands) == 0, "this failed: %s", commands);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 2, "this test is for 2 ranks, not %d", job_size);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  if (job_rank == 0)
    set_network(
        "tc qdisc add dev eth0 root handle 1: prio bands 2 "
        "priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 && "
        "tc qdisc add dev eth0 parent 1:2 netem loss 100% && "
        "tc filter add dev eth0 parent 1: protocol ip u32 "
        "match ip protocol 17 0xff match ip dport 4791 0xffff flowid 1:2");
  if (job_rank == 1) MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  GIVES(tutti_barrier(comm), TUTTI_ERR_UNREACHABLE);
  const double took = MPI_Wtime() - begin;
  CHECK(took < 20, "the error comes after %.1f s", took);
  CHECK(strstr(tutti_last_error_message(), job_rank == 0 ? "rank 1" : "rank 0"),
        "the message names no peer: %s", tutti_last_error_message());
  if (job_rank == 0) {
    set_network("tc qdisc del dev eth0 root");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  /* Rank 0 still lives, as it waits below, and says so. */
  CHECK(job_rank == 0 || strstr(tutti_last_error_message(), "given this rank up"), "rank 1: %s",
        tutti_last_error_message());
  GIVES(tutti_barrier(comm), TUTTI_ERR_UNREACHABLE);
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(tutti_comm_free(&comm));
  job_end("unreachable");
  return 0;
}
