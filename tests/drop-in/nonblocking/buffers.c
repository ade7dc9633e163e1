/* Values by which each element of each block is known. */
#include "buffers.h"

int r, P;
MPI_Datatype own_int;
buffers at[KINDS];

static int value(int from, int to, int i) { return from * 10007 + to * 101 + i; }
/* Sum of the contributions of the ranks from `first` to `last`. */
static int sum(int first, int last, int to, int i) {
  int all = 0;
  for (int p = first; p <= last; ++p) all += value(p, to, i);
  return all;
}

void fill(int kind, int n, int root) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* for CHECK: each file has its own */
  for (int p = 0; p < P; ++p) {
    at[kind].counts[p] = n * (p + 1) / P;
    at[kind].to_counts[p] = n * (r + 1) / P;
    at[kind].places[p] = p * n;
    at[kind].byte_places[p] = p * n * (int)sizeof(int);
    at[kind].types[p] = p % 2 == 0 ? own_int : MPI_INT;
#if MPI_VERSION >= 4
    at[kind].counts_c[p] = at[kind].counts[p];
    at[kind].to_counts_c[p] = at[kind].to_counts[p];
    at[kind].places_c[p] = at[kind].places[p];
    at[kind].byte_places_c[p] = at[kind].byte_places[p];
#endif
  }
  for (int i = 0; i < n * P; ++i) {
    at[kind].in[i] = value(r, i / n, i % n);
    at[kind].out[i] = -1;
    if (kind == BCAST && r == root) at[kind].out[i] = value(root, 0, i);
    if (kind == ALLGATHER_IN_PLACE && i / n == r) at[kind].out[i] = value(r, 0, i % n);
    if (kind == ALLREDUCE_IN_PLACE) at[kind].out[i] = value(r, 0, i);
  }
}

static int is(int kind, int n, int block, int i, int expected) {
  const int found = at[kind].out[block * n + i];
  CHECK(found == expected, "kind %d, %d elements: element %d of block %d is %d, not %d", kind, n, i,
        block, found, expected);
  return 1;
}

void check(int kind, int n, int root) {
  const int mine = n * (r + 1) / P;
  for (int p = 0; p < P; ++p)
    for (int i = 0; i < n; ++i) {
      const int in_block = i < n * (p + 1) / P;
      switch (kind) {
        case BCAST:
          if (p == 0) is(kind, n, p, i, value(root, 0, i));
          break;
        case GATHER:
          if (r == root) is(kind, n, p, i, value(p, 0, i));
          break;
        case GATHERV:
          if (r == root && in_block) is(kind, n, p, i, value(p, 0, i));
          break;
        case SCATTER:
          if (p == 0) is(kind, n, p, i, value(root, r, i));
          break;
        case SCATTERV:
          if (p == 0 && i < mine) is(kind, n, p, i, value(root, r, i));
          break;
        case ALLGATHER:
        case ALLGATHER_IN_PLACE: is(kind, n, p, i, value(p, 0, i)); break;
        case ALLGATHERV:
          if (in_block) is(kind, n, p, i, value(p, 0, i));
          break;
        case ALLTOALL: is(kind, n, p, i, value(p, r, i)); break;
        case ALLTOALLV:
        case ALLTOALLW:
          if (i < mine) is(kind, n, p, i, value(p, r, i));
          break;
        case REDUCE:
          if (p == 0 && r == root) is(kind, n, p, i, sum(0, P - 1, 0, i));
          break;
        case ALLREDUCE:
        case ALLREDUCE_IN_PLACE:
        case ALLREDUCE_OF_OURS:
          if (p == 0) is(kind, n, p, i, sum(0, P - 1, 0, i));
          break;
        case REDUCE_SCATTER_BLOCK:
          if (p == 0) is(kind, n, p, i, sum(0, P - 1, r, i));
          break;
        case SCAN:
          if (p == 0) is(kind, n, p, i, sum(0, r, 0, i));
          break;
        case EXSCAN:
          if (p == 0 && r > 0) is(kind, n, p, i, sum(0, r - 1, 0, i));
          break;
        case RECEIVE:
          if (p == 0) is(kind, n, p, i, value((r + P - 1) % P, 0, i));
          break;
        default: break;
      }
    }
  for (int i = 0, before = 0; kind == REDUCE_SCATTER && i < mine; ++i) {
    before = 0;
    for (int p = 0; p < r; ++p) before += n * (p + 1) / P;
    is(kind, n, 0, i, sum(0, P - 1, (before + i) / n, (before + i) % n));
  }
}
