/* Every collective of neighbours, blocking, non-blocking and persistent, in its plain form and,
 * where the MPI has it, its large-count form: on a closed ring, on a line, and on a graph that
 * leads from each rank to the next two, with results that are computed here. With an argument, rank
 * 0 prints how often it has called each. */
#include "plain.h"

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

static const char* names[64];
static int calls[64];
static void note(const char* name) {
  int i = 0;
  while (names[i] && strcmp(names[i], name) != 0) ++i;
  names[i] = name;
  ++calls[i];
}
#define CALL_OF(function, ...)                                 \
  do {                                                         \
    note(#function);                                           \
    const int code_ = function(__VA_ARGS__);                   \
    CHECK(code_ == MPI_SUCCESS, #function " gives %d", code_); \
  } while (0)
#define CALL(name, ...) CALL_OF(MPI_##name, __VA_ARGS__)

enum { LONG = 3000, DEGREE = 2 };
static int r, P; /* rank and size of the communicator */
/* The rank that sends each block, and the block's number there; -1: nobody sends it. */
static int from[DEGREE], block_there[DEGREE];
static int in[DEGREE * LONG], out[DEGREE * LONG];

static int value(int rank, int block, int i) { return rank * 10007 + block * 101 + i; }

/* Block b is at place[b]. */
static void expect(const char* call, const int* place, int n, int gathers) {
  for (int b = 0; b < DEGREE; ++b)
    for (int i = 0; i < n; ++i) {
      const int expected = from[b] < 0 ? -1 : value(from[b], gathers ? 0 : block_there[b], i);
      CHECK(out[place[b] + i] == expected, "%s of %d: element %d of block %d is %d, not %d", call,
            n, i, b, out[place[b] + i], expected);
    }
}
static void clear(void) {
  for (int i = 0; i < DEGREE * LONG; ++i) out[i] = -1;
}

#if MPI_VERSION >= 4
#define PREPARE(kind, suffix, ...) \
  CALL(Neighbor_##kind##_init##suffix, __VA_ARGS__, MPI_INFO_NULL, &request)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define PREPARE(kind, suffix, ...) \
  CALL_OF(MPIX_Neighbor_##kind##_init##suffix, __VA_ARGS__, MPI_INFO_NULL, &request)
#else
#define PREPARE(kind, suffix, ...) (void)request
#define NOTHING_PERSISTENT
#endif

static void run_persistent(MPI_Request* request, const char* call, const int* place, int n,
                           int gathers) {
#ifndef NOTHING_PERSISTENT
  for (int again = 0; again < 3; ++again) {
    clear();
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    expect(call, place, n, gathers);
  }
  MPI_Request_free(request);
#else
  (void)request, (void)call, (void)place, (void)n, (void)gathers;
#endif
}

/* The three forms of a call. */
#define IN_ALL_FORMS(kind, suffix, place, n, gathers, ...)             \
  do {                                                                 \
    MPI_Request request;                                               \
    clear();                                                           \
    CALL(Neighbor_##kind##suffix, __VA_ARGS__);                        \
    expect(#kind, place, (int)(n), gathers);                           \
    clear();                                                           \
    CALL(Ineighbor_##kind##suffix, __VA_ARGS__, &request);             \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                             \
    expect("begun " #kind, place, (int)(n), gathers);                  \
    PREPARE(kind, suffix, __VA_ARGS__);                                \
    run_persistent(&request, "kept " #kind, place, (int)(n), gathers); \
  } while (0)

/* `N` is int or MPI_Count, `D` int or MPI_Aint; _c or nothing is the suffix. */
#define FORMS(suffix, N, D)                                                                    \
  static void exchange##suffix(MPI_Comm comm, N n) {                                           \
    const int in_order[DEGREE] = {0, (int)n}, turned[DEGREE] = {(int)n, 0};                    \
    const N counts[DEGREE] = {n, n};                                                           \
    const D places[DEGREE] = {0, (D)n}, turned_places[DEGREE] = {(D)n, 0};                     \
    const MPI_Aint bytes[DEGREE] = {0, (MPI_Aint)(n * (N)sizeof(int))},                        \
                   turned_bytes[DEGREE] = {bytes[1], 0};                                       \
    const MPI_Datatype types[DEGREE] = {MPI_INT, MPI_INT};                                     \
    for (int b = 0; b < DEGREE; ++b)                                                           \
      for (int i = 0; i < (int)n; ++i) in[b * (int)n + i] = value(r, b, i);                    \
    IN_ALL_FORMS(allgather, suffix, in_order, n, 1, in, n, MPI_INT, out, n, MPI_INT, comm);    \
    IN_ALL_FORMS(allgatherv, suffix, turned, n, 1, in, n, MPI_INT, out, counts, turned_places, \
                 MPI_INT, comm);                                                               \
    IN_ALL_FORMS(alltoall, suffix, in_order, n, 0, in, n, MPI_INT, out, n, MPI_INT, comm);     \
    IN_ALL_FORMS(alltoallv, suffix, turned, n, 0, in, counts, places, MPI_INT, out, counts,    \
                 turned_places, MPI_INT, comm);                                                \
    IN_ALL_FORMS(alltoallw, suffix, turned, n, 0, in, counts, bytes, types, out, counts,       \
                 turned_bytes, types, comm);                                                   \
  }
FORMS(, int, int)
#if MPI_VERSION >= 4
FORMS(_c, MPI_Count, MPI_Aint)
#endif

static void on(MPI_Comm comm) {
  static const int lengths[] = {1, 17, LONG};
  CALL(Barrier, comm); /* the drop-in looks at a new communicator in a call that may wait */
  for (int i = 0; i < 3; ++i) {
    exchange(comm, lengths[i]);
#if MPI_VERSION >= 4
    exchange_c(comm, lengths[i]);
#endif
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm comm;
  P = size;
  r = rank;
  const int below = (r + P - 1) % P, above = (r + 1) % P;
  /* A rank that is alone in a ring is its own neighbour twice, for which MPIs have several orders,
   * and its calls are the MPI's. */
  for (int periodic = 0; periodic < (P > 1 ? 2 : 1); ++periodic) {
    MPI_Cart_create(MPI_COMM_WORLD, 1, &P, &periodic, 0, &comm);
    from[0] = periodic || r > 0 ? below : -1;
    from[1] = periodic || r < P - 1 ? above : -1;
    block_there[0] = 1;
    block_there[1] = 0;
    on(comm);
    MPI_Comm_free(&comm);
  }
  if (P > 2) { /* or a rank would be there twice */
    const int sources[DEGREE] = {(r + P - 2) % P, below}, ends[DEGREE] = {(r + 2) % P, above};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, DEGREE, sources, MPI_UNWEIGHTED, DEGREE, ends,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    for (int b = 0; b < DEGREE; ++b) {
      from[b] = sources[b];
      block_there[b] = b;
    }
    on(comm);
    MPI_Comm_free(&comm);
  }
  for (int i = 0; argc > 1 && rank == 0 && names[i]; ++i)
    printf("called %s %d\n", names[i], calls[i]);
  finish("plain_neighbours");
  return 0;
}
