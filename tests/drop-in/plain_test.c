/* Every blocking collective, in its plain form and, where the MPI has it, its large-count form,
 * with results that are computed here. With an argument, rank 0 prints how often it has called
 * each. */
#include <stdint.h>

#include "plain.h"

static const char* names[64];
static int calls[64];
static long long elements;      /* summed over the blocks of all moves */
static long long gathered_more; /* bytes */

static void note(const char* name) {
  int i = 0;
  while (names[i] && strcmp(names[i], name) != 0) ++i;
  names[i] = name;
  ++calls[i];
}
#define CALL(name, ...)                                           \
  do {                                                            \
    note("MPI_" #name);                                           \
    const int code_ = MPI_##name(__VA_ARGS__);                    \
    CHECK(code_ == MPI_SUCCESS, "MPI_" #name " gives %d", code_); \
  } while (0)

enum { MOST = 16, LONG = 3000 };
static int r, P; /* rank and size of the communicator */
static int value(int from, int to, int i) { return from * 10007 + to * 101 + i; }

/* `N` is int or MPI_Count, `D` int or MPI_Aint; _c or nothing is the suffix. */
#define FORMS(suffix, N, D)                                                                        \
  static void move##suffix(MPI_Comm comm, N n) {                                                   \
    int* const in = malloc(sizeof(int) * (size_t)(n + 1) * MOST);                                  \
    int* const out = malloc(sizeof(int) * (size_t)(n + 1) * MOST);                                 \
    N counts[MOST], to_counts[MOST], bytes[MOST];                                                  \
    D places[MOST], to_places[MOST], byte_places[MOST];                                            \
    MPI_Datatype types[MOST];                                                                      \
    for (int i = 0; i < P; ++i) {                                                                  \
      counts[i] = n * (i + 1) / P;                                                                 \
      places[i] = (D)(i * (n + 1));                                                                \
      to_counts[i] = n * (r + 1) / P;                                                              \
      to_places[i] = (D)(i * (n + 1));                                                             \
      bytes[i] = n;                                                                                \
      byte_places[i] = (D)(places[i] * (D)sizeof(int));                                            \
      types[i] = MPI_INT;                                                                          \
    }                                                                                              \
    for (int root = 0; root < P; ++root) {                                                         \
      for (N i = 0; i < n; ++i) out[i] = r == root ? value(root, 0, (int)i) : -1;                  \
      CALL(Bcast##suffix, out, n, MPI_INT, root, comm);                                            \
      for (N i = 0; i < n; ++i) CHECK(out[i] == value(root, 0, (int)i), "bcast");                  \
      for (N i = 0; i < n; ++i) in[i] = value(r, root, (int)i);                                    \
      CALL(Gather##suffix, in, n, MPI_INT, out, n, MPI_INT, root, comm);                           \
      for (N i = 0; r == root && i < n * P; ++i)                                                   \
        CHECK(out[i] == value((int)(i / n), root, (int)(i % n)), "gather");                        \
      CALL(Gatherv##suffix, in, counts[r], MPI_INT, r == root ? out : NULL,                        \
           r == root ? counts : NULL, r == root ? places : NULL,                                   \
           r == root ? MPI_INT : MPI_DATATYPE_NULL, root, comm);                                   \
      for (int p = 0; r == root && p < P; ++p)                                                     \
        for (N i = 0; i < counts[p]; ++i)                                                          \
          CHECK(out[places[p] + i] == value(p, root, (int)i), "gatherv");                          \
      for (int p = 0; r == root && p < P; ++p)                                                     \
        for (N i = 0; i < n; ++i) in[p * n + i] = value(root, p, (int)i);                          \
      CALL(Scatter##suffix, in, n, MPI_INT, out, n, MPI_INT, root, comm);                          \
      for (N i = 0; i < n; ++i) CHECK(out[i] == value(root, r, (int)i), "scatter");                \
      for (int p = 0; r == root && p < P; ++p)                                                     \
        for (N i = 0; i < counts[p]; ++i) in[places[p] + i] = value(root, p, (int)i);              \
      CALL(Scatterv##suffix, r == root ? in : NULL, r == root ? counts : NULL,                     \
           r == root ? places : NULL, r == root ? MPI_INT : MPI_DATATYPE_NULL, out, counts[r],     \
           MPI_INT, root, comm);                                                                   \
      for (N i = 0; i < counts[r]; ++i) CHECK(out[i] == value(root, r, (int)i), "scatterv");       \
    }                                                                                              \
    elements += n;                                                                                 \
    for (N i = 0; i < n; ++i) in[i] = value(r, 0, (int)i);                                         \
    CALL(Allgather##suffix, in, n, MPI_INT, out, n, MPI_INT, comm);                                \
    for (N i = 0; i < n * P; ++i)                                                                  \
      CHECK(out[i] == value((int)(i / n), 0, (int)(i % n)), "allgather");                          \
    for (N i = 0; i < n * P; ++i) out[i] = i / n == r ? value(r, 1, (int)(i % n)) : -1;            \
    CALL(Allgather##suffix, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, comm);            \
    for (N i = 0; i < n * P; ++i)                                                                  \
      CHECK(out[i] == value((int)(i / n), 1, (int)(i % n)), "allgather in place");                 \
    CALL(Allgatherv##suffix, in, counts[r], MPI_INT, out, counts, places, MPI_INT, comm);          \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < counts[p]; ++i)                                                            \
        CHECK(out[places[p] + i] == value(p, 0, (int)i), "allgatherv");                            \
    for (N i = 0; i < n * P; ++i) in[i] = value(r, (int)(i / n), (int)(i % n));                    \
    CALL(Alltoall##suffix, in, n, MPI_INT, out, n, MPI_INT, comm);                                 \
    for (N i = 0; i < n * P; ++i)                                                                  \
      CHECK(out[i] == value((int)(i / n), r, (int)(i % n)), "alltoall");                           \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < n; ++i) in[places[p] + i] = value(r, p, (int)i);                           \
    CALL(Alltoallv##suffix, in, counts, places, MPI_INT, out, to_counts, to_places, MPI_INT,       \
         comm);                                                                                    \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < to_counts[p]; ++i)                                                         \
        CHECK(out[to_places[p] + i] == value(p, r, (int)i), "alltoallv");                          \
    CALL(Alltoallw##suffix, in, bytes, byte_places, types, out, bytes, byte_places, types, comm);  \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < n; ++i) CHECK(out[places[p] + i] == value(p, r, (int)i), "alltoallw");     \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < n; ++i) out[places[p] + i] = value(r, p, (int)i);                          \
    CALL(Alltoallw##suffix, MPI_IN_PLACE, NULL, NULL, NULL, out, bytes, byte_places, types, comm); \
    for (int p = 0; p < P; ++p)                                                                    \
      for (N i = 0; i < n; ++i)                                                                    \
        CHECK(out[places[p] + i] == value(p, r, (int)i), "alltoallw in place");                    \
    free(in);                                                                                      \
    free(out);                                                                                     \
  }                                                                                                \
  static void combine##suffix(MPI_Comm comm, N n) {                                                \
    long* const in = malloc(sizeof(long) * (size_t)(n + 1) * MOST);                                \
    long* const out = malloc(sizeof(long) * (size_t)(n + 1) * MOST);                               \
    const long all = (long)P * (P - 1) / 2, to_me = (long)r * (r + 1) / 2;                         \
    N counts[MOST], before = 0;                                                                    \
    for (int p = 0; p < P; ++p) {                                                                  \
      counts[p] = n * (p + 1) / P;                                                                 \
      before += p < r ? counts[p] : 0;                                                             \
    }                                                                                              \
    for (N i = 0; i < n * MOST; ++i) in[i] = r + i;                                                \
    for (int root = 0; root < P; ++root) {                                                         \
      CALL(Reduce##suffix, in, out, n, MPI_LONG, MPI_SUM, root, comm);                             \
      for (N i = 0; r == root && i < n; ++i) CHECK(out[i] == all + P * i, "reduce");               \
    }                                                                                              \
    CALL(Allreduce##suffix, in, out, n, MPI_LONG, MPI_SUM, comm);                                  \
    for (N i = 0; i < n; ++i) CHECK(out[i] == all + P * i, "allreduce");                           \
    memcpy(out, in, sizeof(long) * (size_t)n);                                                     \
    CALL(Allreduce##suffix, MPI_IN_PLACE, out, n, MPI_LONG, MPI_MAX, comm);                        \
    for (N i = 0; i < n; ++i) CHECK(out[i] == P - 1 + i, "allreduce in place");                    \
    CALL(Scan##suffix, in, out, n, MPI_LONG, MPI_SUM, comm);                                       \
    for (N i = 0; i < n; ++i) CHECK(out[i] == to_me + (r + 1) * i, "scan");                        \
    CALL(Exscan##suffix, in, out, n, MPI_LONG, MPI_SUM, comm);                                     \
    for (N i = 0; r > 0 && i < n; ++i) CHECK(out[i] == to_me - r + r * i, "exscan");               \
    CALL(Reduce_scatter_block##suffix, in, out, n, MPI_LONG, MPI_SUM, comm);                       \
    for (N i = 0; i < n; ++i) CHECK(out[i] == all + P * (r * n + i), "reduce_scatter_block");      \
    CALL(Reduce_scatter##suffix, in, out, counts, MPI_LONG, MPI_SUM, comm);                        \
    for (N i = 0; i < counts[r]; ++i) CHECK(out[i] == all + P * (before + i), "reduce_scatter");   \
    free(in);                                                                                      \
    free(out);                                                                                     \
  }
FORMS(, int, int)
#if MPI_VERSION >= 4
FORMS(_c, MPI_Count, MPI_Aint)
#endif

static void on(MPI_Comm comm) {
  static const int lengths[] = {1, 17, LONG};
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &P);
  CHECK(P <= MOST, "the test has room for %d ranks", MOST);
  for (int i = 0; i < 3; ++i) {
    CALL(Barrier, comm);
    move(comm, lengths[i]);
    combine(comm, lengths[i]);
#if MPI_VERSION >= 4
    move_c(comm, lengths[i]);
    combine_c(comm, lengths[i]);
#endif
  }
}

/* Elements of the two sides differ in size. */
static void gather_pairs(void) {
  enum { INTS = 6 };
  MPI_Datatype pair;
  int in[INTS], out[INTS * MOST];
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < INTS; ++i) in[i] = value(rank, 0, i);
  CALL(Gather, in, INTS, MPI_INT, out, INTS / 2, pair, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < INTS * size; ++i)
    CHECK(out[i] == value(i / INTS, 0, i % INTS), "pairs gathered: %d", out[i]);
  MPI_Type_free(&pair);
  gathered_more += (long long)sizeof in;
}

static void add_values(void* in, void* inout, int* n, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  /* An address from which the type counts may be none of memory. */
  for (int i = 0; i < *n; ++i) {
    const uintptr_t at = (uintptr_t)lower + (uintptr_t)(i * extent);
    *(double*)((uintptr_t)inout + at) += *(double*)((uintptr_t)in + at);
  }
}

/* Elements of which some bytes are skipped first, and one that is somewhere in memory. */
static void combine_members(void) {
  struct {
    int number;
    double value;
  } in = {1, rank + 1.0}, out = {2, 0.0};
  const int one = 1;
  const double sum = size * (size + 1) / 2.0;
  MPI_Aint place = (char*)&in.value - (char*)&in;
  MPI_Datatype member;
  MPI_Op op;
  MPI_Op_create(add_values, 1, &op);
  MPI_Type_create_hindexed(1, &one, &place, MPI_DOUBLE, &member);
  MPI_Type_commit(&member);
  CALL(Allreduce, &in, &out, 1, member, op, MPI_COMM_WORLD);
  CHECK(out.number == 2 && out.value == sum, "member: %d, %g", out.number, out.value);
  MPI_Type_free(&member);
  MPI_Get_address(&in.value, &place);
  MPI_Type_create_hindexed(1, &one, &place, MPI_DOUBLE, &member);
  MPI_Type_commit(&member);
  CALL(Allreduce, MPI_IN_PLACE, MPI_BOTTOM, 1, member, op, MPI_COMM_WORLD);
  CHECK(in.number == 1 && in.value == sum, "from MPI_BOTTOM: %d, %g", in.number, in.value);
  MPI_Type_free(&member);
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  on(MPI_COMM_WORLD);
  on(copy);
  gather_pairs();
  combine_members();
  MPI_Comm_free(&copy);
  for (int i = 0; argc > 1 && rank == 0 && names[i]; ++i)
    printf("called %s %d\n", names[i], calls[i]);
  const long long bytes = elements * (long long)sizeof(int);
  if (argc > 1 && rank == 0) {
    printf("moved MPI_Bcast %lld\n", bytes * P);
    printf("moved MPI_Gather %lld\n", bytes * P + gathered_more);
    printf("moved MPI_Allgather %lld\nmoved MPI_Alltoall %lld\n", bytes * 2, bytes * P);
  }
  finish("plain");
  return 0;
}
