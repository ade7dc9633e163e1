/* The MPI functions that the drop-in defines, as lists for X macros: each has the names MPI_name
 * and PMPI_name. TUTTI_CAUGHT: collectives that Tutti runs; TUTTI_WINDOWS: those that go to
 * the MPI beneath, and of which Tutti takes note; TUTTI_REQUESTS: those that go there, too, and let
 * Tutti's calls in flight go on; TUTTI_PASSED: those that go there and are counted.
 */
#ifndef TUTTI_DROP_IN_CALLS_H
#define TUTTI_DROP_IN_CALLS_H

#include <mpi.h>

#if MPI_VERSION >= 4
#define TUTTI_IF_MPI_4(...) __VA_ARGS__
#else
#define TUTTI_IF_MPI_4(...)
#endif

/* Collectives that have data, but for alltoallw; `suffix` makes the other forms: _c, _init,
 * _init_c. */
#define TUTTI_DATA(X, suffix)     \
  X(Allgather##suffix)            \
  X(Allgatherv##suffix)           \
  X(Allreduce##suffix)            \
  X(Alltoall##suffix)             \
  X(Alltoallv##suffix)            \
  X(Bcast##suffix)                \
  X(Exscan##suffix)               \
  X(Gather##suffix)               \
  X(Gatherv##suffix)              \
  X(Reduce##suffix)               \
  X(Reduce_scatter##suffix)       \
  X(Reduce_scatter_block##suffix) \
  X(Scan##suffix)                 \
  X(Scatter##suffix)              \
  X(Scatterv##suffix)
#define TUTTI_BEGUN(X, suffix)     \
  X(Iallgather##suffix)            \
  X(Iallgatherv##suffix)           \
  X(Iallreduce##suffix)            \
  X(Ialltoall##suffix)             \
  X(Ialltoallv##suffix)            \
  X(Ibcast##suffix)                \
  X(Iexscan##suffix)               \
  X(Igather##suffix)               \
  X(Igatherv##suffix)              \
  X(Ireduce##suffix)               \
  X(Ireduce_scatter##suffix)       \
  X(Ireduce_scatter_block##suffix) \
  X(Iscan##suffix)                 \
  X(Iscatter##suffix)              \
  X(Iscatterv##suffix)
#define TUTTI_OTHERS_BEGUN(X, suffix) \
  X(Ialltoallw##suffix)               \
  X(Ineighbor_allgather##suffix)      \
  X(Ineighbor_allgatherv##suffix)     \
  X(Ineighbor_alltoall##suffix)       \
  X(Ineighbor_alltoallv##suffix)      \
  X(Ineighbor_alltoallw##suffix)
#define TUTTI_NEIGHBOURS(X, suffix) \
  X(Neighbor_allgather##suffix)     \
  X(Neighbor_allgatherv##suffix)    \
  X(Neighbor_alltoall##suffix)      \
  X(Neighbor_alltoallv##suffix)     \
  X(Neighbor_alltoallw##suffix)

#define TUTTI_BLOCKING(X) \
  X(Barrier) X(Alltoallw) TUTTI_DATA(X, ) TUTTI_IF_MPI_4(X(Alltoallw_c) TUTTI_DATA(X, _c))
#define TUTTI_NONBLOCKING(X) X(Ibarrier) TUTTI_BEGUN(X, ) TUTTI_IF_MPI_4(TUTTI_BEGUN(X, _c))
#define TUTTI_PERSISTENT(X) \
  TUTTI_IF_MPI_4(X(Barrier_init) TUTTI_DATA(X, _init) TUTTI_DATA(X, _init_c))
#define TUTTI_CAUGHT(X) TUTTI_BLOCKING(X) TUTTI_NONBLOCKING(X) TUTTI_PERSISTENT(X)
/* Made and freed by all members of a communicator; other ranks may use them at any time. */
#define TUTTI_WINDOWS(X) \
  X(Win_allocate)        \
  X(Win_allocate_shared) \
  X(Win_create)          \
  X(Win_create_dynamic)  \
  X(Win_free)            \
  TUTTI_IF_MPI_4(X(Win_allocate_c) X(Win_allocate_shared_c) X(Win_create_c))
/* What a program does with requests, and what it frees while they are in flight. */
#define TUTTI_REQUESTS(X) \
  X(Op_free)              \
  X(Request_free)         \
  X(Request_get_status)   \
  X(Start)                \
  X(Startall)             \
  X(Test)                 \
  X(Testall)              \
  X(Testany)              \
  X(Testsome)             \
  X(Wait)                 \
  X(Waitall)              \
  X(Waitany)              \
  X(Waitsome)
#define TUTTI_REPLACED(X) TUTTI_CAUGHT(X) TUTTI_WINDOWS(X) TUTTI_REQUESTS(X)
#define TUTTI_PASSED(X)                                                                            \
  TUTTI_OTHERS_BEGUN(X, )                                                                          \
  TUTTI_NEIGHBOURS(X, )                                                                            \
  TUTTI_IF_MPI_4(X(Alltoallw_init) X(Alltoallw_init_c) TUTTI_OTHERS_BEGUN(X, _c) TUTTI_NEIGHBOURS( \
      X, _c) TUTTI_NEIGHBOURS(X, _init) TUTTI_NEIGHBOURS(X, _init_c))

#endif
