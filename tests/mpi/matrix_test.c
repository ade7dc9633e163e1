/*
 * Every collective with the algorithms named on the command line, each forced in turn, against a
 * plain reference: random data, several counts (none, one, odd, many), every root, in place and
 * not, counts that differ with zeros among them, displacements with gaps, a commutative and a
 * non-commutative operation. matrix_test COLLECTIVE=ALGORITHM…          such as
 * allgather=bruck(k=3) An algorithm that does not apply to a call must say so. How many calls of
 * each were run and how many refused is printed, for tests/harness to judge. With TUTTI_COUNTS=all
 * every rank passes the counts of scatterv and gatherv, without it the root alone.
 */
#include "job.h"

#include <stdint.h>

enum { kMostRanks = 64, kLongest = 20000 };

/* Element `i` of what rank `rank` contributes in round `round`. */
static uint32_t datum(int rank, size_t i, unsigned round) {
  uint64_t x =
      (uint64_t)rank * 0x9E3779B97F4A7C15u + i * 0xBF58476D1CE4E5B9u + round * 0x94D049BB133111EBu;
  x ^= x >> 29;
  x *= 0xD6E8FEB86659FD93u;
  return (uint32_t)(x >> 32);
}

/* Two numbers of 16 bits are the map x -> ax + b; the left operand is applied last. Associative,
 * not commutative. */
static uint32_t compose(uint32_t left, uint32_t right) {
  const uint32_t a = (left & 0xffff) * (right & 0xffff),
                 b = (left & 0xffff) * (right >> 16) + (left >> 16);
  return (a & 0xffff) | b << 16;
}
static void compose_op(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    ((uint32_t*)inout)[i] = compose(((uint32_t*)in)[i], ((uint32_t*)inout)[i]);
}

static unsigned round_number;
static const char* algorithm;
static long checks, calls, not_applicable;
static int all_know; /* the counts of scatterv and gatherv */
static MPI_Op user_op;

static uint32_t *send_buffer, *receive_buffer;
static MPI_Count counts[kMostRanks], displacements[kMostRanks], counts2[kMostRanks],
    displacements2[kMostRanks];

static void fill(uint32_t* buffer, size_t from, size_t n) {
  for (size_t i = 0; i < n; ++i) buffer[i] = datum(job_rank, from + i, round_number);
}
static void clear(size_t n) { memset(receive_buffer, 0xEE, n * sizeof *receive_buffer); }

/* Whether the call was run, and not refused as not applicable. */
static int ran(int code, const char* what) {
  if (code == TUTTI_ERR_NOT_APPLICABLE) {
    ++not_applicable;
    return 0;
  }
  ++calls;
  CHECK(code == TUTTI_SUCCESS, "%s with %s gives %d: %s", what, algorithm, code,
        tutti_last_error_message());
  return 1;
}

static void expect(uint32_t got, uint32_t want, const char* what, size_t i) {
  ++checks;
  CHECK(got == want, "%s with %s, %d ranks: element %zu is %08x, not %08x", what, algorithm,
        job_size, i, got, want);
}

static uint32_t reduced(int first, int end, size_t i, int commutes) {
  uint32_t value = datum(first, i, round_number);
  for (int r = first + 1; r < end; ++r)
    value =
        commutes ? value + datum(r, i, round_number) : compose(value, datum(r, i, round_number));
  return value;
}

static void test_barrier(tutti_comm comm) { ran(tutti_barrier(comm), "barrier"), ++checks; }

static void test_bcast(tutti_comm comm, MPI_Count n, int root) {
  clear((size_t)n + 1);
  if (job_rank == root) fill(receive_buffer, 0, (size_t)n);
  if (!ran(tutti_bcast(receive_buffer, n, MPI_UINT32_T, root, comm), "bcast")) return;
  for (size_t i = 0; i < (size_t)n; ++i)
    expect(receive_buffer[i], datum(root, i, round_number), "bcast", i);
  expect(receive_buffer[n], 0xEEEEEEEEu, "bcast: behind the buffer", (size_t)n);
}

static void test_scatter(tutti_comm comm, MPI_Count n, int root, int in_place) {
  fill(send_buffer, 0, (size_t)n * (size_t)job_size);
  clear((size_t)n + 1);
  void* const to = in_place && job_rank == root ? MPI_IN_PLACE : (void*)receive_buffer;
  if (!ran(tutti_scatter(send_buffer, n, MPI_UINT32_T, to, n, MPI_UINT32_T, root, comm), "scatter"))
    return;
  if (to == MPI_IN_PLACE) return;
  for (size_t i = 0; i < (size_t)n; ++i)
    expect(receive_buffer[i], datum(root, (size_t)job_rank * (size_t)n + i, round_number),
           "scatter", i);
}

/* Lengths that differ, with zeros; blocks in falling order with gaps between them. */
static MPI_Count uneven(MPI_Count n, MPI_Count* c, MPI_Count* d, int seed) {
  MPI_Count at = 3;
  for (int i = job_size - 1; i >= 0; --i) {
    c[i] = (i + seed) % 3 == 0 ? 0 : n * ((i * 7 + seed) % 4 + 1) / 4;
    d[i] = at;
    at += c[i] + i % 2;
  }
  return at;
}

static void test_scatterv(tutti_comm comm, MPI_Count n, int root, int in_place) {
  fill(send_buffer, 0, (size_t)uneven(n, counts, displacements, 1));
  clear((size_t)n + 1);
  void* const to = in_place && job_rank == root ? MPI_IN_PLACE : (void*)receive_buffer;
  const int knows = all_know || job_rank == root;
  if (!ran(tutti_scatterv(send_buffer, knows ? counts : NULL, knows ? displacements : NULL,
                          MPI_UINT32_T, to, counts[job_rank], MPI_UINT32_T, root, comm),
           "scatterv"))
    return;
  if (to == MPI_IN_PLACE) return;
  for (size_t i = 0; i < (size_t)counts[job_rank]; ++i)
    expect(receive_buffer[i], datum(root, (size_t)displacements[job_rank] + i, round_number),
           "scatterv", i);
}

static void test_gather(tutti_comm comm, MPI_Count n, int root, int in_place) {
  const size_t own = (size_t)n * (size_t)job_rank;
  clear((size_t)n * (size_t)job_size + 1);
  fill(send_buffer, 0, (size_t)n);
  const int here = in_place && job_rank == root;
  if (here) fill(receive_buffer + own, 0, (size_t)n);
  if (!ran(tutti_gather(here ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T, receive_buffer,
                        n, MPI_UINT32_T, root, comm),
           "gather"))
    return;
  if (job_rank != root) return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i], datum(r, i, round_number), "gather", i);
}

static void test_gatherv(tutti_comm comm, MPI_Count n, int root, int in_place) {
  const size_t all = (size_t)uneven(n, counts, displacements, 2);
  clear(all + 1);
  fill(send_buffer, 0, (size_t)counts[job_rank]);
  const int here = in_place && job_rank == root;
  if (here) fill(receive_buffer + displacements[job_rank], 0, (size_t)counts[job_rank]);
  const int knows = all_know || job_rank == root;
  if (!ran(tutti_gatherv(here ? MPI_IN_PLACE : (void*)send_buffer, counts[job_rank], MPI_UINT32_T,
                         receive_buffer, knows ? counts : NULL, knows ? displacements : NULL,
                         MPI_UINT32_T, root, comm),
           "gatherv"))
    return;
  if (job_rank != root) return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts[r]; ++i)
      expect(receive_buffer[(size_t)displacements[r] + i], datum(r, i, round_number), "gatherv", i);
  expect(receive_buffer[0], 0xEEEEEEEEu, "gatherv: a gap", 0);
}

static void test_allgather(tutti_comm comm, MPI_Count n, int in_place) {
  clear((size_t)n * (size_t)job_size + 1);
  fill(send_buffer, 0, (size_t)n);
  if (in_place) fill(receive_buffer + (size_t)n * (size_t)job_rank, 0, (size_t)n);
  if (!ran(tutti_allgather(in_place ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T,
                           receive_buffer, n, MPI_UINT32_T, comm),
           "allgather"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i], datum(r, i, round_number), "allgather", i);
  expect(receive_buffer[(size_t)n * (size_t)job_size], 0xEEEEEEEEu, "allgather: behind the buffer",
         0);
}

static void test_allgatherv(tutti_comm comm, MPI_Count n, int in_place, int with_gaps) {
  size_t all = (size_t)uneven(n, counts, displacements, 3);
  if (!with_gaps) {
    all = 0;
    for (int r = 0; r < job_size; ++r) displacements[r] = (MPI_Count)all, all += (size_t)counts[r];
  }
  clear(all + 1);
  fill(send_buffer, 0, (size_t)counts[job_rank]);
  if (in_place) fill(receive_buffer + displacements[job_rank], 0, (size_t)counts[job_rank]);
  if (!ran(
          tutti_allgatherv(in_place ? MPI_IN_PLACE : (void*)send_buffer, counts[job_rank],
                           MPI_UINT32_T, receive_buffer, counts, displacements, MPI_UINT32_T, comm),
          "allgatherv"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts[r]; ++i)
      expect(receive_buffer[(size_t)displacements[r] + i], datum(r, i, round_number), "allgatherv",
             i);
}

static void test_alltoall(tutti_comm comm, MPI_Count n, int in_place) {
  const size_t all = (size_t)n * (size_t)job_size;
  clear(all + 1);
  fill(send_buffer, 0, all);
  if (in_place) fill(receive_buffer, 0, all);
  if (!ran(tutti_alltoall(in_place ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T,
                          receive_buffer, n, MPI_UINT32_T, comm),
           "alltoall"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i],
             datum(r, (size_t)job_rank * (size_t)n + i, round_number), "alltoall", i);
}

/* What rank `from` sends to `to`: so many, from there on in its buffer. */
static MPI_Count matrix_count(MPI_Count n, int from, int to, int symmetric) {
  const int kind = symmetric ? (from * to + from + to) % 5 : (from + 2 * to) % 4;
  return n * kind / 4;
}
static MPI_Count matrix_place(MPI_Count n, int from, int to, int symmetric) {
  MPI_Count at = 1;
  for (int i = 0; i < to; ++i) at += matrix_count(n, from, i, symmetric) + 1;
  return at;
}

static void test_alltoallv(tutti_comm comm, MPI_Count n, int in_place) {
  MPI_Count received = 2;
  for (int r = 0; r < job_size; ++r) {
    counts[r] = matrix_count(n, job_rank, r, in_place);
    displacements[r] = matrix_place(n, job_rank, r, in_place);
    counts2[r] = matrix_count(n, r, job_rank, in_place);
    displacements2[r] = in_place ? displacements[r] : received;
    received += counts2[r] + 1;
  }
  const size_t all = (size_t)(received + matrix_place(n, job_rank, job_size, in_place));
  clear(all);
  fill(send_buffer, 0, all);
  if (in_place) fill(receive_buffer, 0, all);
  if (!ran(tutti_alltoallv(in_place ? MPI_IN_PLACE : (void*)send_buffer, counts, displacements,
                           MPI_UINT32_T, receive_buffer, counts2, displacements2, MPI_UINT32_T,
                           comm),
           "alltoallv"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts2[r]; ++i)
      expect(receive_buffer[(size_t)displacements2[r] + i],
             datum(r, (size_t)matrix_place(n, r, job_rank, in_place) + i, round_number),
             "alltoallv", i);
}

static void test_reduction(tutti_comm comm, const char* name, MPI_Count n, int root, int in_place,
                           int commutes) {
  const MPI_Op op = commutes ? MPI_SUM : user_op;
  const int scatters = strncmp(name, "reduce_scatter", 14) == 0,
            rooted = strcmp(name, "reduce") == 0;
  const int v = strcmp(name, "reduce_scatterv") == 0, exclusive = strcmp(name, "exscan") == 0,
            scan = strcmp(name, "scan") == 0 || exclusive;
  size_t whole = (size_t)n, first = 0, own = (size_t)n;
  if (scatters) {
    whole = 0;
    for (int r = 0; r < job_size; ++r) {
      counts[r] = v ? ((r + 1) % 3 == 0 ? 0 : n * (r % 4 + 1) / 4) : n;
      if (r == job_rank) first = whole, own = (size_t)counts[r];
      whole += (size_t)counts[r];
    }
  }
  const int here = in_place && (!rooted || job_rank == root);
  clear(whole + 1);
  fill(send_buffer, 0, whole);
  if (here) fill(receive_buffer, 0, whole);
  void* const from = here ? MPI_IN_PLACE : (void*)send_buffer;
  const MPI_Datatype t = MPI_UINT32_T;
  const int code = rooted ? tutti_reduce(from, receive_buffer, n, t, op, root, comm)
                   : strcmp(name, "allreduce") == 0
                       ? tutti_allreduce(from, receive_buffer, n, t, op, comm)
                   : strcmp(name, "scan") == 0 ? tutti_scan(from, receive_buffer, n, t, op, comm)
                   : exclusive                 ? tutti_exscan(from, receive_buffer, n, t, op, comm)
                   : v ? tutti_reduce_scatter(from, receive_buffer, counts, t, op, comm)
                       : tutti_reduce_scatter_block(from, receive_buffer, n, t, op, comm);
  if (!ran(code, name)) return;
  if (rooted && job_rank != root) return;
  if (exclusive && job_rank == 0) {
    for (size_t i = 0; i < whole && !here; ++i)
      expect(receive_buffer[i], 0xEEEEEEEEu, "exscan: rank 0's buffer", i);
    return;
  }
  const int end = !scan ? job_size : exclusive ? job_rank : job_rank + 1;
  for (size_t i = 0; i < own; ++i)
    expect(receive_buffer[i], reduced(0, end, first + i, commutes), name, i);
}

static void test_all(tutti_comm comm, const char* collective) {
  static const MPI_Count sizes[] = {0, 1, 7, 300, 5000};
  const int is = (int)strcspn(collective, "=");
  const int rooted =
      strncmp(collective, "bcast=", 6) == 0 || strncmp(collective, "scatter=", 8) == 0 ||
      strncmp(collective, "gather=", 7) == 0 || strncmp(collective, "reduce=", 7) == 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int root = 0; root<(rooted ? job_size : 1); root += job_size> 4 ? 3 : 1)
      for (int in_place = 0; in_place < 2; ++in_place) {
        const MPI_Count n = sizes[s];
        ++round_number;
#define IS(name) (is == (int)strlen(name) && strncmp(collective, name, (size_t)is) == 0)
        if (IS("barrier")) test_barrier(comm);
        if (IS("bcast")) test_bcast(comm, n, root);
        if (IS("scatter"))
          test_scatter(comm, n, root, in_place), test_scatterv(comm, n, root, in_place);
        if (IS("gather"))
          test_gather(comm, n, root, in_place), test_gatherv(comm, n, root, in_place);
        if (IS("allgather"))
          test_allgather(comm, n, in_place), test_allgatherv(comm, n, in_place, 0),
              test_allgatherv(comm, n, in_place, 1);
        if (IS("alltoall")) test_alltoall(comm, n, in_place), test_alltoallv(comm, n, in_place);
        for (int commutes = 1; commutes >= 0; --commutes) {
          if (IS("reduce")) test_reduction(comm, "reduce", n, root, in_place, commutes);
          if (IS("allreduce")) test_reduction(comm, "allreduce", n, 0, in_place, commutes);
          if (IS("scan")) test_reduction(comm, "scan", n, 0, in_place, commutes);
          if (IS("exscan")) test_reduction(comm, "exscan", n, 0, in_place, commutes);
          if (IS("reduce_scatter")) {
            test_reduction(comm, "reduce_scatter_block", n, 0, in_place, commutes);
            test_reduction(comm, "reduce_scatterv", n, 0, in_place, commutes);
          }
        }
      }
}

/* What applies must be the same on all ranks: one that refuses alone would leave the others
 * waiting. */
static void report(long run, long refused) {
  long numbers[2] = {run, refused}, first[2] = {run, refused};
  CHECK(run + refused > 0, "%s was never called", algorithm);
  MPI_Bcast(first, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  CHECK(memcmp(numbers, first, sizeof first) == 0,
        "%s: %ld calls run and %ld refused here, %ld and %ld on rank 0", algorithm, run, refused,
        first[0], first[1]);
  if (job_rank == 0) printf("%s: %ld calls run, %ld refused\n", algorithm, run, refused);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc > 1 && job_size <= kMostRanks,
        "usage: matrix_test COLLECTIVE=ALGORITHM...; at most %d ranks", kMostRanks);
  const size_t room = (size_t)(kLongest + 64) * (size_t)(job_size + 1);
  send_buffer = malloc(room * sizeof *send_buffer);
  receive_buffer = malloc(room * sizeof *receive_buffer);
  CHECK(send_buffer && receive_buffer, "no memory");
  MPI_Op_create(compose_op, 0, &user_op);
  const char* const counts_setting = getenv("TUTTI_COUNTS");
  all_know = counts_setting && strcmp(counts_setting, "all") == 0;
  for (int i = 1; i < argc; ++i) {
    char setting[256];
    snprintf(setting, sizeof setting, "algorithm=%s", argv[i]);
    const char* settings[] = {setting, NULL};
    const tutti_options options = {sizeof options, settings, NULL, NULL};
    algorithm = argv[i];
    const long before[2] = {calls, not_applicable};
    MUST(tutti_init(&options));
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    test_all(comm, argv[i]);
    report(calls - before[0], not_applicable - before[1]);
    MUST(tutti_barrier(comm));
    MUST(tutti_comm_free(&comm));
    MUST(tutti_finalize());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Op_free(&user_op);
  long sums[2] = {checks, not_applicable};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (job_rank == 0)
    printf(
        "matrix: ok with %d ranks: %d algorithms, %ld elements checked, %ld calls not applicable\n",
        job_size, argc - 1, sums[0], sums[1]);
  return 0;
}
