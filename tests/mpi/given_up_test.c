/*
 * A rank that gives up leaves an error to those behind it, and never success with a buffer that
 * nobody wrote.
 *
 *   given_up_test [ROUNDS]
 *
 * In each round another rank, the root among them, refuses its arguments in a collective of long
 * messages. Every other rank must return an error, or success with the right data, though ranks
 * put their buffers to other use as soon as they have the error. To be run with algorithms that
 * hand data on (chains, trees), and with a single copy.
 */
#include "job.h"

enum { kBytes = 1 << 20, kCollectives = 5 };

static unsigned char in[16 * kBytes], out[16 * kBytes];
static const char* const kNames[kCollectives] = {"bcast", "scatter", "allgather", "scan", "reduce"};

static void fill(unsigned char* to, int rank, int round) {
  for (size_t i = 0; i < kBytes; ++i) to[i] = pattern(i, rank, round);
}

static void expect(const unsigned char* at, int rank, int round, const char* what) {
  for (size_t i = 0; i < kBytes; ++i)
    CHECK(at[i] == pattern(i, rank, round),
          "round %d: %s is a success, and byte %zu of what rank %d gave is %d, not %d", round, what,
          i, rank, at[i], pattern(i, rank, round));
}

/* Fold by maximum: what the ranks from 0 to `last` give together. */
static void expect_fold(int last, int round, const char* what) {
  for (size_t i = 0; i < kBytes; ++i) {
    unsigned char most = 0;
    for (int r = 0; r <= last; ++r)
      if (pattern(i, r, round) > most) most = pattern(i, r, round);
    CHECK(out[i] == most, "round %d: %s is a success, and byte %zu is %d, not %d", round, what, i,
          out[i], most);
  }
}

static int call(int collective, int round, MPI_Count count, tutti_comm comm) {
  memset(out, 0, (size_t)job_size * kBytes);
  fill(in, job_rank, round);
  int code = TUTTI_SUCCESS;
  switch (collective) {
    case 0:
      if (job_rank == 0) fill(out, 0, round);
      code = tutti_bcast(out, count, MPI_BYTE, 0, comm);
      if (code == TUTTI_SUCCESS) expect(out, 0, round, "bcast");
      break;
    case 1:
      for (int r = 0; r < job_size; ++r) fill(in + (size_t)r * kBytes, r, round);
      code = tutti_scatter(in, count, MPI_BYTE, out, count, MPI_BYTE, 0, comm);
      if (code == TUTTI_SUCCESS) expect(out, job_rank, round, "scatter");
      break;
    case 2:
      code = tutti_allgather(in, count, MPI_BYTE, out, count, MPI_BYTE, comm);
      for (int r = 0; r < job_size && code == TUTTI_SUCCESS; ++r)
        expect(out + (size_t)r * kBytes, r, round, "allgather");
      break;
    case 3:
      code = tutti_scan(in, out, count, MPI_UNSIGNED_CHAR, MPI_MAX, comm);
      if (code == TUTTI_SUCCESS) expect_fold(job_rank, round, "scan");
      break;
    default:
      code = tutti_reduce(in, out, count, MPI_UNSIGNED_CHAR, MPI_MAX, 0, comm);
      if (code == TUTTI_SUCCESS && job_rank == 0) expect_fold(job_size - 1, round, "reduce");
  }
  if (code != TUTTI_SUCCESS) {
    memset(in, 0xBD, sizeof in);
    memset(out, 0xBD, sizeof out);
  }
  return code;
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size <= 16, "16 ranks at most");
  MUST(tutti_init(NULL));
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  int failed = 0;
  for (int round = 0; round < rounds; ++round)
    for (int collective = 0; collective < kCollectives; ++collective) {
      tutti_comm comm;
      MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
      /* A first call that all make right: connections stand, so that the next one is under way
       * everywhere. */
      const int first = call(collective, round, kBytes, comm);
      CHECK(first == TUTTI_SUCCESS, "%s gives %d: %s", kNames[collective], first,
            tutti_last_error_message());
      MPI_Barrier(MPI_COMM_WORLD); /* news of the failure must not meet a rank that is still in the
                                      first call */
      const int refuser = round % 2 ? round / 2 % job_size : 0;
      const int code = call(collective, round, job_rank == refuser ? -1 : kBytes, comm);
      if (job_rank == refuser) CHECK(code == TUTTI_ERR_COUNT, "a count of -1 gives %d", code);
      if (code != TUTTI_SUCCESS) {
        ++failed;
        CHECK(code == TUTTI_ERR_COUNT, "round %d: %s gives %d (%s), not the error of rank %d",
              round, kNames[collective], code, tutti_last_error_message(), refuser);
      }
      MUST(tutti_comm_free(&comm));
      MPI_Barrier(MPI_COMM_WORLD);
    }
  CHECK(failed > 0, "no call failed: nothing was tested");
  job_end("given_up_test");
  return 0;
}
