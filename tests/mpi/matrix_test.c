/*
 * Every collective with the algorithms named on the command line, each forced in turn, against a
 * plain reference: random data, several counts (none, one, odd, many), every root, in place and
 * not, counts that differ with zeros among them, displacements with gaps, a commutative and a
 * non-commutative operation.
 *
 *   matrix_test COLLECTIVE=ALGORITHM…     such as allgather=bruck(k=3)
 *
 * An algorithm that does not apply to a call must say so. Prints how many calls of each algorithm
 * were run and how many it refused, for tests/harness/algorithms.py to judge. With TUTTI_COUNTS=all
 * every rank passes the counts of scatterv and gatherv, without it the root alone.
 */
#include "matrix/matrix.h"

const char* algorithm;
unsigned round_number;
long checks, calls, not_applicable;
int all_know;
MPI_Op user_op;
uint32_t *send_buffer, *receive_buffer;

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
        if (IS("neighbor_allgather")) test_neighbours(comm, n, 1);
        if (IS("neighbor_alltoall")) test_neighbours(comm, n, 0);
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

/* An algorithm must apply on all ranks or on no rank: one that refuses alone would leave the others
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
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &job_size, &periodic, 0, &ring);
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
    MUST(tutti_comm_create(ring, &comm));
    test_all(comm, argv[i]);
    report(calls - before[0], not_applicable - before[1]);
    MUST(tutti_barrier(comm));
    MUST(tutti_comm_free(&comm));
    MUST(tutti_finalize());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Op_free(&user_op);
  MPI_Comm_free(&ring);
  long sums[2] = {checks, not_applicable};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (job_rank == 0)
    printf(
        "matrix: ok with %d ranks: %d algorithms, %ld elements checked, %ld calls not applicable\n",
        job_size, argc - 1, sums[0], sums[1]);
  return 0;
}
