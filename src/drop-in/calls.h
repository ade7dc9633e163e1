/* The MPI functions that the drop-in defines, as lists for X macros: each has the names MPI_name
 * and PMPI_name. TUTTI_CAUGHT: collectives that Tutti runs; TUTTI_WINDOWS, TUTTI_DUPLICATES and
 * TUTTI_FREES: those that go to the MPI beneath, and of which Tutti takes note; TUTTI_REQUESTS:
 * those that go there, too, and let Tutti's calls in flight go on; TUTTI_PLAIN: those that go there
 * and may wait for other ranks, or say how attributes are copied; TUTTI_PASSED: those that go there
 * and are counted.
 */
#ifndef TUTTI_DROP_IN_CALLS_H
#define TUTTI_DROP_IN_CALLS_H

#include <mpi.h>

#if MPI_VERSION >= 4
#define TUTTI_IF_MPI_4(...) __VA_ARGS__
#else
#define TUTTI_IF_MPI_4(...)
#endif

/* Open MPI 4 has persistent collectives as an extension, MPIX_Bcast_init and so on. The lists have
 * them as X_Bcast_init, and whoever makes names of these must let them become the right ones: see
 * TUTTI_TEXT. */
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif
#if defined(OMPI_HAVE_MPI_EXT_PCOLLREQ) && MPI_VERSION < 4
#define TUTTI_IF_EXTENDED(...) __VA_ARGS__
#define MPI_X_Allgather_init MPIX_Allgather_init
#define PMPI_X_Allgather_init PMPIX_Allgather_init
#define MPI_X_Allgatherv_init MPIX_Allgatherv_init
#define PMPI_X_Allgatherv_init PMPIX_Allgatherv_init
#define MPI_X_Allreduce_init MPIX_Allreduce_init
#define PMPI_X_Allreduce_init PMPIX_Allreduce_init
#define MPI_X_Alltoall_init MPIX_Alltoall_init
#define PMPI_X_Alltoall_init PMPIX_Alltoall_init
#define MPI_X_Alltoallv_init MPIX_Alltoallv_init
#define PMPI_X_Alltoallv_init PMPIX_Alltoallv_init
#define MPI_X_Alltoallw_init MPIX_Alltoallw_init
#define PMPI_X_Alltoallw_init PMPIX_Alltoallw_init
#define MPI_X_Barrier_init MPIX_Barrier_init
#define PMPI_X_Barrier_init PMPIX_Barrier_init
#define MPI_X_Bcast_init MPIX_Bcast_init
#define PMPI_X_Bcast_init PMPIX_Bcast_init
#define MPI_X_Exscan_init MPIX_Exscan_init
#define PMPI_X_Exscan_init PMPIX_Exscan_init
#define MPI_X_Gather_init MPIX_Gather_init
#define PMPI_X_Gather_init PMPIX_Gather_init
#define MPI_X_Gatherv_init MPIX_Gatherv_init
#define PMPI_X_Gatherv_init PMPIX_Gatherv_init
#define MPI_X_Neighbor_allgather_init MPIX_Neighbor_allgather_init
#define PMPI_X_Neighbor_allgather_init PMPIX_Neighbor_allgather_init
#define MPI_X_Neighbor_allgatherv_init MPIX_Neighbor_allgatherv_init
#define PMPI_X_Neighbor_allgatherv_init PMPIX_Neighbor_allgatherv_init
#define MPI_X_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define PMPI_X_Neighbor_alltoall_init PMPIX_Neighbor_alltoall_init
#define MPI_X_Neighbor_alltoallv_init MPIX_Neighbor_alltoallv_init
#define PMPI_X_Neighbor_alltoallv_init PMPIX_Neighbor_alltoallv_init
#define MPI_X_Neighbor_alltoallw_init MPIX_Neighbor_alltoallw_init
#define PMPI_X_Neighbor_alltoallw_init PMPIX_Neighbor_alltoallw_init
#define MPI_X_Reduce_init MPIX_Reduce_init
#define PMPI_X_Reduce_init PMPIX_Reduce_init
#define MPI_X_Reduce_scatter_init MPIX_Reduce_scatter_init
#define PMPI_X_Reduce_scatter_init PMPIX_Reduce_scatter_init
#define MPI_X_Reduce_scatter_block_init MPIX_Reduce_scatter_block_init
#define PMPI_X_Reduce_scatter_block_init PMPIX_Reduce_scatter_block_init
#define MPI_X_Scan_init MPIX_Scan_init
#define PMPI_X_Scan_init PMPIX_Scan_init
#define MPI_X_Scatter_init MPIX_Scatter_init
#define PMPI_X_Scatter_init PMPIX_Scatter_init
#define MPI_X_Scatterv_init MPIX_Scatterv_init
#define PMPI_X_Scatterv_init PMPIX_Scatterv_init
#else
#define TUTTI_IF_EXTENDED(...)
#endif
#define TUTTI_TEXT_AS_IT_IS(name) #name
#define TUTTI_TEXT(name) TUTTI_TEXT_AS_IT_IS(name)

/* Collectives of all ranks that have data; `suffix` makes the other forms: _c, _init, _init_c. */
#define TUTTI_DATA(X, suffix)     \
  X(Allgather##suffix)            \
  X(Allgatherv##suffix)           \
  X(Allreduce##suffix)            \
  X(Alltoall##suffix)             \
  X(Alltoallv##suffix)            \
  X(Alltoallw##suffix)            \
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
  X(Ialltoallw##suffix)            \
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
#define TUTTI_NEIGHBOURS_BEGUN(X, suffix) \
  X(Ineighbor_allgather##suffix)          \
  X(Ineighbor_allgatherv##suffix)         \
  X(Ineighbor_alltoall##suffix)           \
  X(Ineighbor_alltoallv##suffix)          \
  X(Ineighbor_alltoallw##suffix)
#define TUTTI_NEIGHBOURS(X, suffix) \
  X(Neighbor_allgather##suffix)     \
  X(Neighbor_allgatherv##suffix)    \
  X(Neighbor_alltoall##suffix)      \
  X(Neighbor_alltoallv##suffix)     \
  X(Neighbor_alltoallw##suffix)

#define TUTTI_BLOCKING(X) \
  X(Barrier)              \
  TUTTI_DATA(X, ) TUTTI_NEIGHBOURS(X, ) TUTTI_IF_MPI_4(TUTTI_DATA(X, _c) TUTTI_NEIGHBOURS(X, _c))
#define TUTTI_NONBLOCKING(X) \
  X(Ibarrier)                \
  TUTTI_BEGUN(X, )           \
  TUTTI_NEIGHBOURS_BEGUN(X, ) TUTTI_IF_MPI_4(TUTTI_BEGUN(X, _c) TUTTI_NEIGHBOURS_BEGUN(X, _c))
#define TUTTI_PERSISTENT(X)                                                  \
  TUTTI_IF_MPI_4(X(Barrier_init) TUTTI_DATA(X, _init) TUTTI_DATA(X, _init_c) \
                     TUTTI_NEIGHBOURS(X, _init) TUTTI_NEIGHBOURS(X, _init_c))
#define TUTTI_EXTENDED(X)                                                                        \
  TUTTI_IF_EXTENDED(                                                                             \
      X(X_Barrier_init) X(X_Allgather_init) X(X_Allgatherv_init) X(X_Allreduce_init)             \
          X(X_Alltoall_init) X(X_Alltoallv_init) X(X_Alltoallw_init) X(X_Bcast_init)             \
              X(X_Exscan_init) X(X_Gather_init) X(X_Gatherv_init) X(X_Neighbor_allgather_init)   \
                  X(X_Neighbor_allgatherv_init) X(X_Neighbor_alltoall_init)                      \
                      X(X_Neighbor_alltoallv_init) X(X_Neighbor_alltoallw_init) X(X_Reduce_init) \
                          X(X_Reduce_scatter_init) X(X_Reduce_scatter_block_init) X(X_Scan_init) \
                              X(X_Scatter_init) X(X_Scatterv_init))
#define TUTTI_CAUGHT(X) TUTTI_BLOCKING(X) TUTTI_NONBLOCKING(X) TUTTI_PERSISTENT(X) TUTTI_EXTENDED(X)
/* Made and freed by all members of a communicator; other ranks may use them at any time. */
#define TUTTI_WINDOWS(X) \
  X(Win_allocate)        \
  X(Win_allocate_shared) \
  X(Win_create)          \
  X(Win_create_dynamic)  \
  X(Win_free)            \
  TUTTI_IF_MPI_4(X(Win_allocate_c) X(Win_allocate_shared_c) X(Win_create_c))
/* With these, all members duplicate a communicator. */
#define TUTTI_DUPLICATES(X) \
  X(Comm_dup)               \
  X(Comm_dup_with_info)     \
  X(Comm_idup)              \
  TUTTI_IF_MPI_4(X(Comm_idup_with_info))
/* With these, all members give a communicator up. */
#define TUTTI_FREES(X) \
  X(Comm_disconnect)   \
  X(Comm_free)
/* A program's functions on requests, and on objects that it frees while they are in flight. */
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
/* Functions for single messages that may wait, or are asked until one has come; some have a
 * large-count form. */
#define TUTTI_MESSAGES(X, suffix) \
  X(Recv##suffix)                 \
  X(Rsend##suffix)                \
  X(Send##suffix)                 \
  X(Sendrecv##suffix)             \
  X(Ssend##suffix)
#define TUTTI_ASKED(X) \
  X(Improbe)           \
  X(Iprobe)            \
  X(Mprobe)            \
  X(Probe)             \
  X(Win_test)
/* Other functions that may wait for other ranks. */
#define TUTTI_BUFFERED(X, suffix) \
  X(Buffer_detach##suffix)        \
  X(Mrecv##suffix)                \
  X(Sendrecv_replace##suffix)
#define TUTTI_EPOCHS(X)  \
  X(Win_complete)        \
  X(Win_fence)           \
  X(Win_flush)           \
  X(Win_flush_all)       \
  X(Win_flush_local)     \
  X(Win_flush_local_all) \
  X(Win_lock)            \
  X(Win_lock_all)        \
  X(Win_set_info)        \
  X(Win_start)           \
  X(Win_unlock)          \
  X(Win_unlock_all)      \
  X(Win_wait)
#define TUTTI_MAKES(X)          \
  X(Cart_create)                \
  X(Cart_sub)                   \
  X(Comm_create)                \
  X(Comm_set_info)              \
  X(Comm_split)                 \
  X(Comm_split_type)            \
  X(Dist_graph_create)          \
  X(Dist_graph_create_adjacent) \
  X(Graph_create)               \
  X(Intercomm_merge)
#define TUTTI_COPIES(X)  \
  X(Comm_accept)         \
  X(Comm_connect)        \
  X(Comm_create_group)   \
  X(Comm_join)           \
  X(Comm_spawn)          \
  X(Comm_spawn_multiple) \
  X(Intercomm_create)
/* Some MPIs are built without files. */
#if defined(ROMIO_VERSION) || defined(OPEN_MPI)
#define TUTTI_FILE_DATA(X, suffix)  \
  X(File_read##suffix)              \
  X(File_read_all##suffix)          \
  X(File_read_all_begin##suffix)    \
  X(File_read_at##suffix)           \
  X(File_read_at_all##suffix)       \
  X(File_read_at_all_begin##suffix) \
  X(File_write##suffix)             \
  X(File_write_all##suffix)         \
  X(File_write_all_begin##suffix)   \
  X(File_write_at##suffix)          \
  X(File_write_at_all##suffix)      \
  X(File_write_at_all_begin##suffix)
#define TUTTI_FILE_SHARED(X, suffix)  \
  X(File_read_ordered##suffix)        \
  X(File_read_ordered_begin##suffix)  \
  X(File_read_shared##suffix)         \
  X(File_write_ordered##suffix)       \
  X(File_write_ordered_begin##suffix) \
  X(File_write_shared##suffix)
#define TUTTI_FILES(X)     \
  X(File_preallocate)      \
  X(File_read_all_end)     \
  X(File_read_at_all_end)  \
  X(File_read_ordered_end) \
  X(File_set_atomicity)    \
  X(File_set_info)         \
  X(File_set_size)         \
  X(File_set_view)         \
  X(File_sync)             \
  X(File_write_all_end)    \
  X(File_write_at_all_end) \
  X(File_write_ordered_end)
#define TUTTI_FILE_USES(X) \
  X(File_close)            \
  X(File_open)             \
  X(File_seek_shared)
#else
#define TUTTI_FILE_DATA(X, suffix)
#define TUTTI_FILE_SHARED(X, suffix)
#define TUTTI_FILES(X)
#define TUTTI_FILE_USES(X)
#endif
#define TUTTI_MAY_WAIT(X) \
  TUTTI_BUFFERED(X, )     \
  TUTTI_EPOCHS(X)         \
  TUTTI_MAKES(X)          \
  TUTTI_FILE_DATA(X, )    \
  TUTTI_FILES(X) TUTTI_IF_MPI_4(TUTTI_BUFFERED(X, _c) TUTTI_FILE_DATA(X, _c))
/* In these an MPI may also copy attributes: as it opens the file of a shared pointer, for one, and
 * Open MPI as it makes a communicator by a group, or between two. */
#define TUTTI_COPIES_OF_MPI_4(X) \
  TUTTI_FILE_SHARED(X, _c)       \
  X(Comm_create_from_group) X(Intercomm_create_from_groups)
#define TUTTI_MAY_COPY(X) \
  TUTTI_COPIES(X)         \
  TUTTI_FILE_USES(X) TUTTI_FILE_SHARED(X, ) TUTTI_IF_MPI_4(TUTTI_COPIES_OF_MPI_4(X))
/* With these, a program says how attributes are copied. */
#define TUTTI_KEYVALS(X) \
  X(Comm_create_keyval)  \
  X(Keyval_create)
/* MPIs may lack some of these. */
#define TUTTI_PLAIN(X) \
  TUTTI_ASKED(X)       \
  TUTTI_KEYVALS(X)     \
  TUTTI_MESSAGES(X, ) TUTTI_MAY_WAIT(X) TUTTI_MAY_COPY(X) TUTTI_IF_MPI_4(TUTTI_MESSAGES(X, _c))
#define TUTTI_REPLACED(X) \
  TUTTI_CAUGHT(X)         \
  TUTTI_WINDOWS(X) TUTTI_DUPLICATES(X) TUTTI_FREES(X) TUTTI_REQUESTS(X)
/* No function is passed on today. */
#define TUTTI_PASSED(X)

#endif
