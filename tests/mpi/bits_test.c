/*
 * The bits of reductions whose result depends on where the brackets are: floats and doubles with
 * full mantissas, exponents apart, both signs.
 *
 *   bits_test COLLECTIVE=ALGORITHM…     such as allreduce=ring
 *   bits_test COLLECTIVE…               what Tutti chooses
 *
 * Each algorithm is forced in turn. A second call, with other ranks late and the result elsewhere,
 * gives the bits of the first; after an allreduce all ranks have the same bits; all are near the
 * true sum. With TUTTI_REPRODUCIBLE=on they are those of ((x0 + x1) + x2) + …, also in place.
 * Prints how many calls of each algorithm were run and how many it refused, as matrix_test does.
 */
#include "job.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { kMostRanks = 16, kMost = 10000 };

static const char* algorithm;
static unsigned round_number;
static long calls, refused, depends; /* elements that would differ if the brackets were elsewhere */
static int reproducible;

/* Element `i` of what rank `rank` contributes: all bits of the mantissa, an exponent of -4 to 3,
 * either sign. */
static double datum(int rank, size_t i, int is_float) {
  uint64_t x = (uint64_t)(rank + 1) * 0x9E3779B97F4A7C15u + i * 0xBF58476D1CE4E5B9u +
               round_number * 0x94D049BB133111EBu;
  x ^= x >> 29;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  static const double powers[] = {0x1p-4, 0x1p-3, 0x1p-2, 0.5, 1, 2, 4, 8};
  const double mantissa = 1 + (double)(x >> 12) * 0x1p-52;
  const double value = (x & 1 ? -mantissa : mantissa) * powers[x >> 1 & 7];
  return is_float ? (float)value : value;
}

typedef struct {
  double left, right, exact,
      size; /* from either end; the error of any order is at most P epsilons of `size` */
} Sum;

static Sum sum(int end, size_t i, int is_float) {
  double x[kMostRanks] = {datum(0, i, is_float)};
  for (int r = 1; r < end; ++r) x[r] = datum(r, i, is_float);
  Sum s = {x[0], x[end - 1], 0, 0};
  for (int r = 1; r < end; ++r) {
    s.left = is_float ? (float)((float)s.left + (float)x[r]) : s.left + x[r];
    s.right = is_float ? (float)((float)x[end - 1 - r] + (float)s.right) : x[end - 1 - r] + s.right;
  }
  long double exact = 0;
  for (int r = 0; r < end; ++r) exact += x[r], s.size += fabs(x[r]);
  s.exact = (double)exact;
  return s;
}

static void put(void* buffer, size_t i, double value, int is_float) {
  if (is_float)
    ((float*)buffer)[i] = (float)value;
  else
    ((double*)buffer)[i] = value;
}
static double get(const void* buffer, size_t i, int is_float) {
  return is_float ? (double)((const float*)buffer)[i] : ((const double*)buffer)[i];
}

static MPI_Count counts[kMostRanks];

static int call(const char* name, const void* from, void* to, MPI_Count n, MPI_Datatype t, int root,
                tutti_comm comm) {
  if (strcmp(name, "reduce") == 0) return tutti_reduce(from, to, n, t, MPI_SUM, root, comm);
  if (strcmp(name, "allreduce") == 0) return tutti_allreduce(from, to, n, t, MPI_SUM, comm);
  if (strcmp(name, "scan") == 0) return tutti_scan(from, to, n, t, MPI_SUM, comm);
  if (strcmp(name, "exscan") == 0) return tutti_exscan(from, to, n, t, MPI_SUM, comm);
  if (strcmp(name, "reduce_scatterv") == 0)
    return tutti_reduce_scatter(from, to, counts, t, MPI_SUM, comm);
  CHECK(strcmp(name, "reduce_scatter") == 0, "there is no reduction '%s'", name);
  return tutti_reduce_scatter_block(from, to, n, t, MPI_SUM, comm);
}

static void check(const char* name, MPI_Count n, int root, int is_float, int in_place,
                  tutti_comm comm) {
  static double send[kMost * kMostRanks + 2], results[2][kMost * kMostRanks + 2];
  const MPI_Datatype type = is_float ? MPI_FLOAT : MPI_DOUBLE;
  const size_t size = is_float ? sizeof(float) : sizeof(double);
  const int scatters = strncmp(name, "reduce_scatter", 14) == 0,
            uneven = strcmp(name, "reduce_scatterv") == 0;
  const int exclusive = strcmp(name, "exscan") == 0, scan = exclusive || strcmp(name, "scan") == 0;
  const int has_result =
      (strcmp(name, "reduce") != 0 || job_rank == root) && !(exclusive && job_rank == 0);
  size_t whole = (size_t)n, first = 0, own = (size_t)n;
  for (int r = 0, at = 0; scatters && r < job_size; ++r, whole = (size_t)at) {
    counts[r] = uneven ? n * (r % 3) / 2 : n;
    if (r == job_rank) first = (size_t)at, own = (size_t)counts[r];
    at += (int)counts[r];
  }
  ++round_number;
  for (size_t i = 0; i < whole; ++i) put(send, i, datum(job_rank, i, is_float), is_float);
  for (int again = 0; again < 2; ++again) {
    void* const to = (char*)results[again] + (size_t)again * size; /* another alignment */
    const int here = in_place && (strcmp(name, "reduce") != 0 || job_rank == root);
    if (here) memcpy(to, send, whole * size);
    usleep((unsigned)(again ? job_size - job_rank : job_rank) % 4 *
           150); /* messages come in another order */
    const int code = call(name, here ? MPI_IN_PLACE : (const void*)send, to, n, type, root, comm);
    if (code == TUTTI_ERR_NOT_APPLICABLE) {
      ++refused;
      return;
    }
    CHECK(code == TUTTI_SUCCESS, "%s with %s gives %d: %s", name, algorithm, code,
          tutti_last_error_message());
  }
  ++calls;
  const char *const one = (const char*)results[0], *const two = (const char*)results[1] + size;
  const int end = !scan ? job_size : exclusive ? job_rank : job_rank + 1;
  for (size_t i = 0; has_result && i < own; ++i) {
    const Sum s = sum(end, first + i, is_float);
    const double got = get(one, i, is_float);
    depends += s.left != s.right;
    CHECK(memcmp(one + i * size, two + i * size, size) == 0,
          "%s with %s: element %zu is %a, and when called again %a", name, algorithm, i, got,
          get(two, i, is_float));
    CHECK(fabs(got - s.exact) <= job_size * (is_float ? FLT_EPSILON : DBL_EPSILON) * s.size,
          "%s with %s: element %zu is %a, not %a", name, algorithm, i, got, s.exact);
    if (reproducible)
      CHECK(got == s.left,
            "%s with %s, %s: element %zu of %zu is %a, and from left to right it is %a", name,
            algorithm, in_place ? "in place" : "not in place", i, own, got, s.left);
  }
  if (strcmp(name, "allreduce") != 0) return;
  memcpy(send, one, own * size);
  MPI_Bcast(send, (int)own, type, 0, MPI_COMM_WORLD);
  for (size_t i = 0; i < own; ++i)
    CHECK(memcmp((char*)send + i * size, one + i * size, size) == 0,
          "allreduce with %s: element %zu is %a, and on rank 0 %a", algorithm, i,
          get(one, i, is_float), get(send, i, is_float));
}

static void check_all(const char* name, tutti_comm comm) {
  static const MPI_Count sizes[] = {7, 1000, kMost};
  const int rooted = strcmp(name, "reduce") == 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int root = 0; root<(rooted ? job_size : 1); root += job_size> 4 ? 3 : 1)
      for (int is_float = 0; is_float < 2; ++is_float)
        for (int in_place = 0; in_place < 2; ++in_place)
          check(name, sizes[s], root, is_float, in_place, comm);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc > 1 && job_size > 1 && job_size <= kMostRanks,
        "usage: bits_test COLLECTIVE[=ALGORITHM]..., with 2 to %d ranks", kMostRanks);
  const char* const setting = getenv("TUTTI_REPRODUCIBLE");
  reproducible = setting && strcmp(setting, "on") == 0;
  for (int i = 1; i < argc; ++i) {
    char name[64], forced[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i], "="), argv[i]);
    snprintf(forced, sizeof forced, "algorithm=%s", strchr(argv[i], '=') ? argv[i] : "");
    const char* settings[] = {forced, NULL};
    const tutti_options options = {sizeof options, settings, NULL, NULL};
    algorithm = argv[i];
    calls = refused = 0;
    MUST(tutti_init(&options));
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    check_all(name, comm);
    if (strcmp(name, "reduce_scatter") == 0) check_all("reduce_scatterv", comm);
    if (job_rank == 0) printf("%s: %ld calls run, %ld refused\n", algorithm, calls, refused);
    MUST(tutti_comm_free(&comm));
    MUST(tutti_finalize());
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(MPI_IN_PLACE, &depends, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(job_size == 2 || depends > 1000,
        "the data show nothing: of %ld elements only the bits depend on the order", depends);
  MPI_Finalize();
  if (job_rank == 0)
    printf("bits: ok with %d ranks: %ld elements would have shown another order\n", job_size,
           depends);
  return 0;
}
