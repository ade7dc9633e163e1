/*
 * MPI must go on while a rank waits in Tutti: legal programs have MPI operations pending across a
 * collective, and some MPIs move them only when someone calls MPI.
 *   pending_test
 * Rank 0 has sent a long message that its receiver takes before it comes to the collective; and it
 * waits there, so nobody calls MPI on it but Tutti. Also the other way round, many times, with
 * every collective's kind of waiting, and with a one-sided window where the target computes
 * nothing.
 */
#include "job.h"

enum { kLong = 1 << 20, kRounds = 20, kSums = 200 };

static char sent[kLong], got[kLong];

/* Even ranks send to their odd neighbours before the collective, odd ones receive before it. */
static void across(tutti_comm comm, int round, int bytes) {
  const int partner = job_rank ^ 1, flipped = round % 2;
  MPI_Request request = MPI_REQUEST_NULL;
  memset(sent, round + job_rank, (size_t)bytes);
  memset(got, 0, (size_t)bytes);
  if (partner < job_size && (job_rank + flipped) % 2 == 0)
    MPI_Isend(sent, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD, &request);
  if (partner < job_size && (job_rank + flipped) % 2 == 1) {
    MPI_Recv(got, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got[0] == (char)(round + partner) && got[bytes - 1] == got[0], "round %d: wrong message",
          round);
  }
  int sum = 0;
  switch (round % 3) {
    case 0: MUST(tutti_barrier(comm)); break;
    case 1:
      MUST(tutti_allreduce(&job_rank, &sum, 1, MPI_INT, MPI_SUM, comm));
      CHECK(sum == job_size * (job_size - 1) / 2, "round %d: the sum is %d", round, sum);
      break;
    default: MUST(tutti_allgather(&job_rank, 1, MPI_INT, got, 1, MPI_INT, comm));
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 1 asks MPI whether a long message has come, and all ask each other whether it has: rank 0,
 * which has sent it, calls Tutti only, and mostly does not wait there. */
static void polled(tutti_comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int come = job_rank > 1 || job_size == 1, all = 0;
  if (job_size > 1 && job_rank == 0) {
    MPI_Isend(sent, kLong, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    come = 1;
  }
  if (job_rank == 1) MPI_Irecv(got, kLong, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
  for (int calls = 0; !all; ++calls) {
    if (job_rank == 1) MPI_Test(&request, &come, MPI_STATUS_IGNORE);
    MUST(tutti_allreduce(&come, &all, 1, MPI_INT, MPI_MIN, comm));
    CHECK(calls < 5000, "MPI does not go on while ranks call Tutti");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 adds to what rank 1 has, which waits for it in Tutti. Tells the rate. */
static void one_sided(tutti_comm comm) {
  const double one = 1;
  _Alignas(16) double sum = 0; /* MPICH 4.0.2 over UCX 1.13 adds 8 bytes before others */
  MPI_Win window;
  MPI_Win_create(&sum, sizeof sum, sizeof sum, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; job_rank == 0 && i < kSums; ++i) {
    MPI_Accumulate(&one, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
  if (job_rank == 0)
    printf("%.1f us for each MPI_Accumulate\n", (MPI_Wtime() - begin) / kSums * 1e6);
  MUST(tutti_barrier(comm));
  MPI_Win_unlock_all(window);
  CHECK(job_rank != 1 || sum == kSums, "the sum is %g", sum);
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int round = 0; round < kRounds; ++round) {
    across(comm, round, 100000);
    across(comm, round, kLong);
  }
  for (int round = 0; round < 3; ++round) polled(comm);
  if (job_size > 1) one_sided(comm);
  MUST(tutti_comm_free(&comm));
  job_end("pending_test");
  return 0;
}
