/*
 * Tutti: collective communication for InfiniBand and RoCE.
 *
 * This header is the whole C API and its manual: the page of each function is generated from the
 * comment above it. C99 and C++. MPI starts the job and exchanges addresses. MPI_Datatype, MPI_Op,
 * MPI_Comm and MPI_IN_PLACE are accepted as they are. Functions that can fail return TUTTI_SUCCESS
 * (0) or one of the TUTTI_ERR_* codes. No function exits or aborts, and none prints, but for the
 * log; see the setting `log`. A buffer at an address where there is no memory ends the program by a
 * signal, as it does under any MPI.
 */
#ifndef TUTTI_TUTTI_H
#define TUTTI_TUTTI_H

#include <mpi.h>
#include <stddef.h>

/* Handles of one MPI mean nothing to another. The installed header defines above for which MPI its
 * library was built: 1 for Open MPI, 0 for MPICH and all MPIs with its binary interface. */
#ifdef TUTTI_FOR_OPEN_MPI
#if TUTTI_FOR_OPEN_MPI && !defined(OPEN_MPI)
#error \
    "this Tutti was built for Open MPI, and mpi.h is of another MPI: \
compile with Open MPI's mpicc, or install a Tutti for your MPI beside it (meson setup -Dmpi=...)"
#elif !TUTTI_FOR_OPEN_MPI && defined(OPEN_MPI)
#error \
    "this Tutti was built for MPICH, and mpi.h is Open MPI's: \
compile with MPICH's mpicc, or install a Tutti for Open MPI beside it (meson setup -Dmpi=openmpi)"
#endif
#endif

#define TUTTI_VERSION_MAJOR 0
#define TUTTI_VERSION_MINOR 1
#define TUTTI_VERSION_PATCH 0

#if defined(__GNUC__)
#define TUTTI_API __attribute__((visibility("default")))
#else
#define TUTTI_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Error codes. tutti_error_string() says what a code means, tutti_last_error_message() what
 * happened this time. */
enum {
  TUTTI_SUCCESS = 0,
  TUTTI_ERR_NOT_INITIALIZED = 1,     /* tutti_init was not called, or tutti_finalize was */
  TUTTI_ERR_ALREADY_INITIALIZED = 2, /* tutti_init was called before */
  TUTTI_ERR_MPI_NOT_INITIALIZED = 3, /* MPI_Init was not called, or MPI_Finalize was */
  TUTTI_ERR_COMM = 4,                /* null, freed or foreign, or an intercommunicator */
  TUTTI_ERR_BUFFER = 5,              /* null, or memory of a GPU; MPI_IN_PLACE misplaced */
  TUTTI_ERR_OVERLAP = 6,             /* the send and the receive buffer share bytes */
  TUTTI_ERR_COUNT = 7,               /* negative, or the bytes do not fit in 63 bits */
  TUTTI_ERR_TYPE = 8,                /* MPI_DATATYPE_NULL or an invalid datatype */
  TUTTI_ERR_TYPE_NOT_COMMITTED = 9,  /* a derived datatype without MPI_Type_commit */
  TUTTI_ERR_ROOT = 10,               /* root is not a rank of the communicator */
  TUTTI_ERR_SIZE_MISMATCH = 11,      /* a block is sent and received with different sizes */
  TUTTI_ERR_CONFIGURATION = 12,      /* a setting or its file cannot be read */
  TUTTI_ERR_UNKNOWN_ALGORITHM = 13,  /* no algorithm of that name */
  TUTTI_ERR_NOT_APPLICABLE = 14,     /* the forced algorithm cannot run this call */
  TUTTI_ERR_NO_DEVICE = 15,          /* no RDMA device, or not the one asked for */
  TUTTI_ERR_PORT_DOWN = 16,          /* the device's port is not active */
  TUTTI_ERR_LOCKED_MEMORY = 17,      /* RLIMIT_MEMLOCK is too low */
  TUTTI_ERR_UNREACHABLE = 18,        /* a peer's address does not answer */
  TUTTI_ERR_PEER_FAILED = 19,        /* a peer died, or reported that another did */
  TUTTI_ERR_TRANSPORT = 20,          /* the device or the link failed */
  TUTTI_ERR_NO_MEMORY = 21,          /* memory or shared memory is exhausted */
  TUTTI_ERR_BOOTSTRAP = 22,          /* MPI failed while Tutti started */
  TUTTI_ERR_UNSUPPORTED = 23,        /* valid, but Tutti cannot do it */
  TUTTI_ERR_TIMEOUT = 24,            /* the limit that the user set on waiting has passed */
  TUTTI_ERR_SYSTEM = 25,             /* a system call failed */
  TUTTI_ERR_INTERNAL = 26,           /* a bug in Tutti */
  TUTTI_ERR_PEER_FINALIZED = 27,     /* this rank waits for a peer that called tutti_finalize */
  TUTTI_ERR_OP = 28,                 /* MPI_OP_NULL, or not defined on the datatype */
  TUTTI_ERR_DISPLACEMENT = 29,       /* two blocks of a receive buffer overlap */
  TUTTI_ERR_OP_FAILED = 30,          /* a user-defined operation reported an error */
  TUTTI_ERR_CALLS_DIFFER = 31,       /* ranks make different calls, or pass other sizes or roots */
  TUTTI_ERR_REQUEST = 32             /* null or freed; or active, where it must not be */
};

/* A communicator of Tutti: an opaque handle. */
typedef struct tutti_comm_object* tutti_comm;
#define TUTTI_COMM_NULL ((tutti_comm)0)

/* A call that was begun and not ended, or one that was prepared: an opaque handle. */
typedef struct tutti_request_object* tutti_request;
#define TUTTI_REQUEST_NULL ((tutti_request)0)

/* Options of tutti_init. Zero the whole structure, then set `size`. */
typedef struct tutti_options {
  /* sizeof(tutti_options): the library tells versions apart by it. */
  size_t size;
  /* NULL, or a NULL-terminated array of "name=value". They override environment and file. */
  const char* const* settings;
  /* NULL, or called with `log_context` and each line of the log; see the setting `log`. */
  void (*log)(void* context, const char* line);
  void* log_context;
} tutti_options;

/*
 * NAME
 *   tutti_init - start Tutti in this process
 * SYNOPSIS
 *   int tutti_init(const tutti_options *options);
 * DESCRIPTION
 *   Reads the configuration, opens the transports and exchanges addresses over MPI. A setting comes
 *   from `options`, else from the environment variable TUTTI_NAME, else from the file that
 *   TUTTI_CONFIG names, else it has its default; see tutti(1), section CONFIGURATION. `options` may
 *   be NULL; Tutti does not keep it.
 *
 *   Collective over MPI_COMM_WORLD. MPI must be initialized. If one rank fails, every rank returns
 *   an error.
 *
 *   A rank may fork. The child keeps its copy of the rank's memory, and must leave Tutti alone:
 *   there each function returns TUTTI_ERR_UNSUPPORTED, and changes nothing. The same holds within
 *   functions of the program that Tutti calls: user-defined operations, and the one that takes the
 *   log. Functions that MPI calls, of attributes say, may call Tutti.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error nothing is left behind, and tutti_init may be
 *   called again.
 * ERRORS
 *   TUTTI_ERR_ALREADY_INITIALIZED  tutti_init was called before.
 *   TUTTI_ERR_MPI_NOT_INITIALIZED  call MPI_Init first.
 *   TUTTI_ERR_UNSUPPORTED          the MPI of this process is not of the kind for which this
 *                                  library was built: MPICH, or Open MPI.
 *   TUTTI_ERR_CONFIGURATION        a value cannot be understood; the message names it and what is
 *                                  allowed.
 *   TUTTI_ERR_UNKNOWN_ALGORITHM    the setting `algorithm` or `table` names an algorithm that does
 *                                  not exist.
 *   TUTTI_ERR_NO_DEVICE            verbs is needed (ranks on several nodes, or transport=verbs),
 *                                  and there is no device.
 *   TUTTI_ERR_PORT_DOWN            the device's port is not active.
 *   TUTTI_ERR_LOCKED_MEMORY        RLIMIT_MEMLOCK is too low; the message says what is needed.
 *   TUTTI_ERR_NO_MEMORY            memory or /dev/shm is exhausted.
 *   TUTTI_ERR_BOOTSTRAP            MPI reported an error.
 * THREADS
 *   Call it from one thread. The thread level is that of MPI: with MPI_THREAD_MULTIPLE, later calls
 *   may come from any thread, one at a time for each communicator. A rank that waits lets MPI go
 *   on, so at lower levels a call of Tutti counts as one of MPI: with MPI_THREAD_SERIALIZED no
 *   other thread may be inside MPI, and below that only the main thread may call Tutti.
 * SEE ALSO
 *   tutti_finalize(3), tutti_comm_create(3), tutti(1)
 */
TUTTI_API int tutti_init(const tutti_options* options);

/*
 * NAME
 *   tutti_finalize - leave Tutti
 * SYNOPSIS
 *   int tutti_finalize(void);
 * DESCRIPTION
 *   Sends what is still on its way, tells the peers that this rank leaves, and frees everything,
 *   communicators included. Call it before MPI_Finalize. It does not wait for other ranks: a rank
 *   that waits for this one afterwards gets TUTTI_ERR_PEER_FINALIZED.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 * THREADS
 *   No other thread may be inside Tutti.
 * SEE ALSO
 *   tutti_init(3)
 */
TUTTI_API int tutti_finalize(void);

/*
 * NAME
 *   tutti_comm_create - make a communicator from an MPI intracommunicator
 * SYNOPSIS
 *   int tutti_comm_create(MPI_Comm mpi, tutti_comm *comm);
 * DESCRIPTION
 *   The new communicator has the ranks of `mpi`, in the same order, and its topology if it has one,
 *   for collectives of neighbours; see tutti_neighbor_allgather(3). `mpi` may be freed afterwards.
 *   All its ranks must belong to MPI_COMM_WORLD. Collective over `mpi`. It costs O(P) bytes and
 *   makes no connections: two ranks connect when they first communicate. On success the caller owns
 *   *comm and frees it with tutti_comm_free.
 *
 *   A communicator fails if some of its ranks reject a collective call (each for its own arguments,
 *   with its own code), or if ranks make a call with different sizes or roots, or in different
 *   orders. Ranks that need the others get an error from this call, the others from a later call,
 *   and every further call returns the same error. Free the communicator and make another one. If
 *   all ranks reject a call, the communicator does not fail.
 *
 *   How much later: a rank that had only to send in a call finds it a success, whatever the others
 *   have called. The mistake shows when its message has come to a rank that does not ask for it,
 *   and that rank looks, as it does whenever it waits, now and then in other calls, and in
 *   tutti_comm_free. No number of calls is promised, but ranks that call tutti_barrier again and
 *   again all get TUTTI_ERR_CALLS_DIFFER. A rank that frees the communicator without an error does
 *   not get this one any more: what it finds then, or later, is a warning in the log (setting
 *   `log`). The sender, and whoever waits for the rank, still get the error.
 *
 *   The message says which call it is, by its number on the communicator, and what that is here
 *   and on another rank, as far as it is known: its collective, and its bytes and root if the other
 *   rank is in Tutti. Calls with the same collective, bytes and root are not compared further: the
 *   result is wrong if ranks pass different operations, or types of the same size. To find such
 *   mistakes set `check` to `calls`: then all ranks compare operation, types, counts and root
 *   before a call moves data. If they differ, all get TUTTI_ERR_CALLS_DIFFER from that very call,
 *   and one message, which names who calls what.
 * RETURN
 *   TUTTI_SUCCESS, or an error code with *comm set to TUTTI_COMM_NULL.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `mpi` is MPI_COMM_NULL, has been freed, or is an intercommunicator.
 *   TUTTI_ERR_BUFFER           `comm` is NULL.
 *   TUTTI_ERR_UNSUPPORTED      a rank of `mpi` is not in MPI_COMM_WORLD (spawned or connected), or
 *                              the program has made 2^32 communicators.
 *   TUTTI_ERR_NO_MEMORY        memory is exhausted.
 *   TUTTI_ERR_BOOTSTRAP        MPI reported an error, or another rank could not make the
 *                              communicator; then no rank has it.
 * THREADS
 *   As MPI demands for collective calls on `mpi`.
 * SEE ALSO
 *   tutti_comm_free(3)
 */
TUTTI_API int tutti_comm_create(MPI_Comm mpi, tutti_comm* comm);

/*
 * NAME
 *   tutti_comm_free - free a communicator
 * SYNOPSIS
 *   int tutti_comm_free(tutti_comm *comm);
 * DESCRIPTION
 *   Frees *comm and sets it to TUTTI_COMM_NULL. Every rank must call it. It waits for the end of
 *   calls that were begun on the communicator and have not ended; tutti_wait or tutti_test then
 *   returns what came of each. Else it does not wait for other ranks. Persistent requests can
 *   still be started.
 *
 *   It also works on a communicator that has failed: that is no error here. If ranks have made
 *   different calls, and no call has returned that yet, it is a warning in the log; see
 *   tutti_comm_create(3).
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is NULL, or *comm is null or has been freed.
 *   TUTTI_ERR_REQUEST          another thread waits for a call of the communicator.
 * THREADS
 *   No other thread may use the communicator.
 * SEE ALSO
 *   tutti_comm_create(3), tutti_ibarrier(3)
 */
TUTTI_API int tutti_comm_free(tutti_comm* comm);

/*
 * NAME
 *   tutti_barrier - wait until every rank has arrived
 * SYNOPSIS
 *   int tutti_barrier(tutti_comm comm);
 * DESCRIPTION
 *   Returns after all ranks of `comm` have called it, as MPI_Barrier does.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is null or has been freed.
 *   TUTTI_ERR_NOT_APPLICABLE   the algorithm that a setting forces cannot run this call; the
 *                              message says why.
 *   TUTTI_ERR_CALLS_DIFFER     ranks make different calls, or pass different sizes or roots; the
 *                              communicator has failed for good.
 *   TUTTI_ERR_PEER_FAILED      a rank died, or a peer reports that one did; the communicator has
 *                              failed for good.
 *   TUTTI_ERR_PEER_FINALIZED   a rank that this one waits for has called tutti_finalize.
 *   TUTTI_ERR_UNREACHABLE      a rank's address does not answer.
 *   TUTTI_ERR_TRANSPORT        the device or the link failed.
 *   TUTTI_ERR_TIMEOUT          the limit that the setting `timeout` gives has passed.
 *   TUTTI_ERR_NO_MEMORY        memory or shared memory is exhausted.
 *   TUTTI_ERR_LOCKED_MEMORY    registering memory needs a higher RLIMIT_MEMLOCK.
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_bcast(3), tutti_allgather(3)
 */
TUTTI_API int tutti_barrier(tutti_comm comm);

/*
 * NAME
 *   tutti_bcast - copy the root's buffer to every rank
 * SYNOPSIS
 *   int tutti_bcast(void *buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm);
 * DESCRIPTION
 *   `count` elements of `type` at `buffer` are read on `root` and written on all other ranks, as by
 *   MPI_Bcast. `root` and the number of bytes must be the same on all ranks; datatypes may differ
 *   if they describe the same bytes. The caller owns the buffer and may reuse it on return. It may
 *   be NULL if there are no bytes.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the buffer are undefined, except
 *   on the root.
 * ERRORS
 *   TUTTI_ERR_BUFFER              `buffer` is NULL and there are bytes, or it is MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               `count` is negative or too large.
 *   TUTTI_ERR_TYPE                `type` is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allgather(3), tutti_barrier(3)
 */
TUTTI_API int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                          tutti_comm comm);

/*
 * NAME
 *   tutti_scatter - give every rank its block of the root's buffer
 * SYNOPSIS
 *   int tutti_scatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                     void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                     tutti_comm comm);
 * DESCRIPTION
 *   The root's `sendbuf` holds P blocks of `sendcount` elements; block i becomes the `recvbuf` of
 *   rank i, as with MPI_Scatter. `sendbuf`, `sendcount` and `sendtype` matter on the root only. If
 *   the root passes MPI_IN_PLACE as `recvbuf`, its own block stays where it is. The caller owns the
 *   buffers; they must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_scatterv(3), tutti_gather(3)
 */
TUTTI_API int tutti_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                            tutti_comm comm);

/*
 * NAME
 *   tutti_scatterv - give every rank its block of the root's buffer, blocks of different lengths
 * SYNOPSIS
 *   int tutti_scatterv(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Count *displs,
 *                      MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
 *                      MPI_Datatype recvtype, int root, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_scatter, but block i has `sendcounts[i]` elements and begins `displs[i]` extents of
 *   `sendtype` into `sendbuf`. If `displs` is NULL, the blocks follow each other. Both arrays have
 *   P entries and matter on the root only. If the setting `counts` is `all`, every rank must pass
 *   the counts; then algorithms can run in which ranks forward the blocks of others.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_scatter(3), tutti_gatherv(3)
 */
TUTTI_API int tutti_scatterv(const void* sendbuf, const MPI_Count* sendcounts,
                             const MPI_Count* displs, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm);

/*
 * NAME
 *   tutti_gather - collect one block of every rank at the root
 * SYNOPSIS
 *   int tutti_gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                    void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                    tutti_comm comm);
 * DESCRIPTION
 *   The `sendbuf` of rank i becomes block i of the root's `recvbuf`, which holds P blocks of
 *   `recvcount` elements, as with MPI_Gather. `recvbuf`, `recvcount` and `recvtype` matter on the
 *   root only. If the root passes MPI_IN_PLACE as `sendbuf`, its own block is already in place. The
 *   caller owns the buffers; they must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_gatherv(3), tutti_scatter(3)
 */
TUTTI_API int tutti_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                           tutti_comm comm);

/*
 * NAME
 *   tutti_gatherv - collect one block of every rank at the root, blocks of different lengths
 * SYNOPSIS
 *   int tutti_gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                     void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                     MPI_Datatype recvtype, int root, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_gather, but block i has `recvcounts[i]` elements and begins `displs[i]` extents of
 *   `recvtype` into `recvbuf`. If `displs` is NULL, the blocks follow each other. Both arrays have
 *   P entries and matter on the root only, unless the setting `counts` is `all`; see
 *   tutti_scatterv(3).
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_gather(3), tutti_scatterv(3)
 */
TUTTI_API int tutti_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                            MPI_Datatype recvtype, int root, tutti_comm comm);

/*
 * NAME
 *   tutti_allgather - collect one block of every rank on every rank
 * SYNOPSIS
 *   int tutti_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                       tutti_comm comm);
 * DESCRIPTION
 *   The `sendbuf` of rank i becomes block i of `recvbuf`, which holds P blocks of `recvcount`
 *   elements, as with MPI_Allgather. If all ranks pass MPI_IN_PLACE as `sendbuf`, each rank's own
 *   block is already in place, and `sendcount` and `sendtype` are ignored. A block has the same
 *   number of bytes at its sender and at its receivers, and on all ranks. The caller owns the
 *   buffers; they must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allgatherv(3), tutti_bcast(3), tutti_barrier(3)
 */
TUTTI_API int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              tutti_comm comm);

/*
 * NAME
 *   tutti_allgatherv - collect one block of every rank on every rank, blocks of different lengths
 * SYNOPSIS
 *   int tutti_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                        void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                        MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_allgather, but block i has `recvcounts[i]` elements and begins `displs[i]` extents of
 *   `recvtype` into `recvbuf`. If `displs` is NULL, the blocks follow each other. The bytes of each
 *   block must be the same on all ranks; displacements may differ. Blocks that do not follow each
 *   other are received into memory of Tutti's own first.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allgather(3)
 */
TUTTI_API int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                               MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_alltoall - send a different block to every rank
 * SYNOPSIS
 *   int tutti_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   Block j of the `sendbuf` of rank i becomes block i of the `recvbuf` of rank j, as with
 *   MPI_Alltoall. If all ranks pass MPI_IN_PLACE as `sendbuf`, the blocks to send are those at
 *   `recvbuf`. The caller owns the buffers; they must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoallv(3)
 */
TUTTI_API int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             tutti_comm comm);

/*
 * NAME
 *   tutti_alltoallv - send a different block to every rank, blocks of different lengths
 * SYNOPSIS
 *   int tutti_alltoallv(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Count *sdispls,
 *                       MPI_Datatype sendtype, void *recvbuf, const MPI_Count *recvcounts,
 *                       const MPI_Count *rdispls, MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_alltoall, but the block to rank i has `sendcounts[i]` elements and begins `sdispls[i]`
 *   extents into `sendbuf`; the block from rank i has `recvcounts[i]` elements and begins
 *   `rdispls[i]` extents into `recvbuf`. If an array of displacements is NULL, the blocks follow
 *   each other. Rank i must send as many bytes to rank j as j receives from i. In place,
 *   `recvcounts` also says what is sent, and the counts must be symmetric.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoall(3), tutti_alltoallw(3)
 */
TUTTI_API int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count* recvcounts, const MPI_Count* rdispls,
                              MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_alltoallw - send a different block to every rank, blocks of different datatypes
 * SYNOPSIS
 *   int tutti_alltoallw(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Count *sdispls,
 *                       const MPI_Datatype *sendtypes, void *recvbuf, const MPI_Count *recvcounts,
 *                       const MPI_Count *rdispls, const MPI_Datatype *recvtypes, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_alltoallv, but each block has a datatype of its own, and displacements are in bytes:
 *   the block to rank i has `sendcounts[i]` elements of `sendtypes[i]` and begins `sdispls[i]`
 *   bytes into `sendbuf`; the block from rank i has `recvcounts[i]` elements of `recvtypes[i]` and
 *   begins `rdispls[i]` bytes into `recvbuf`. The datatype of a block without elements is not
 *   looked at. Rank i must send as many bytes to rank j as j receives from i. In place,
 *   `recvcounts` and `recvtypes` also say what is sent, and must be symmetric.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoall(3), tutti_alltoallv(3)
 */
TUTTI_API int tutti_alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                              void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* rdispls,
                              const MPI_Datatype* recvtypes, tutti_comm comm);

/*
 * NAME
 *   tutti_neighbor_allgather - send one block to all neighbours
 * SYNOPSIS
 *   int tutti_neighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                                void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                                tutti_comm comm);
 * DESCRIPTION
 *   Each rank sends its `sendbuf` to each rank to which it has an edge in the topology of `comm`,
 *   and receives a block of `recvcount` elements from each rank from which it has one. The blocks
 *   follow each other in `recvbuf`, in the order in which MPI counts the neighbours, as with
 *   MPI_Neighbor_allgather. The topology is that of the MPI communicator from which `comm` was
 *   made: one of MPI_Cart_create, MPI_Graph_create, MPI_Dist_graph_create or
 *   MPI_Dist_graph_create_adjacent, or a duplicate of such a communicator.
 *
 *   In a Cartesian topology the neighbours are, for each dimension, the rank below and the one
 *   above, also where both are the same rank, or this one: what a rank sends down comes from above.
 *   A block beyond a border stays as it is. In a graph a rank may have several edges to another,
 *   and to itself; the blocks for one rank arrive in the order in which they leave. A rank without
 *   neighbours has to call, too. Both ends of an edge must give its block as many bytes.
 *   MPI_IN_PLACE is not allowed.
 *
 *   If all ranks have their neighbours at the same offsets on a torus, short messages may be
 *   combined: then ranks forward blocks of others, and a call may wait for ranks that are not its
 *   neighbours.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_COMM                `comm` has no topology.
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank that is its own neighbour sends a block with another size
 *                                 than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allgather(3), tutti_comm_create(3), tutti_neighbor_alltoall(3)
 */
TUTTI_API int tutti_neighbor_allgather(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                       MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_neighbor_allgatherv - send one block to all neighbours, of different lengths
 * SYNOPSIS
 *   int tutti_neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                                 void *recvbuf, const MPI_Count *recvcounts,
 *                                 const MPI_Count *displs, MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_neighbor_allgather, but the block from neighbour i has `recvcounts[i]` elements and
 *   begins `displs[i]` extents into `recvbuf`. If `displs` is NULL, the blocks follow each other.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_COMM                `comm` has no topology.
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank that is its own neighbour sends a block with another size
 *                                 than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allgatherv(3), tutti_neighbor_allgather(3)
 */
TUTTI_API int tutti_neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf,
                                        const MPI_Count* recvcounts, const MPI_Count* displs,
                                        MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_neighbor_alltoall - send a different block to every neighbour
 * SYNOPSIS
 *   int tutti_neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                               void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                               tutti_comm comm);
 * DESCRIPTION
 *   As tutti_neighbor_allgather, but `sendbuf` has a block of `sendcount` elements for each rank to
 *   which this one has an edge, as with MPI_Neighbor_alltoall. In a Cartesian topology there is a
 *   block for each direction, beyond a border, too.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_COMM                `comm` has no topology.
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank that is its own neighbour sends a block with another size
 *                                 than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoall(3), tutti_neighbor_allgather(3)
 */
TUTTI_API int tutti_neighbor_alltoall(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                      MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_neighbor_alltoallv - send a block of its own length to every neighbour
 * SYNOPSIS
 *   int tutti_neighbor_alltoallv(const void *sendbuf, const MPI_Count *sendcounts,
 *                                const MPI_Count *sdispls, MPI_Datatype sendtype, void *recvbuf,
 *                                const MPI_Count *recvcounts, const MPI_Count *rdispls,
 *                                MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_neighbor_alltoall, but the block to neighbour i has `sendcounts[i]` elements and
 *   begins `sdispls[i]` extents into `sendbuf`; the block from neighbour i has `recvcounts[i]`
 *   elements and begins `rdispls[i]` extents into `recvbuf`. If an array of displacements is NULL,
 *   the blocks follow each other. Counts of blocks beyond a border are not looked at.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_COMM                `comm` has no topology.
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank that is its own neighbour sends a block with another size
 *                                 than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoallv(3), tutti_neighbor_alltoall(3)
 */
TUTTI_API int tutti_neighbor_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                                       const MPI_Count* sdispls, MPI_Datatype sendtype,
                                       void* recvbuf, const MPI_Count* recvcounts,
                                       const MPI_Count* rdispls, MPI_Datatype recvtype,
                                       tutti_comm comm);

/*
 * NAME
 *   tutti_neighbor_alltoallw - send a block of its own datatype to every neighbour
 * SYNOPSIS
 *   int tutti_neighbor_alltoallw(const void *sendbuf, const MPI_Count *sendcounts,
 *                                const MPI_Count *sdispls, const MPI_Datatype *sendtypes,
 *                                void *recvbuf, const MPI_Count *recvcounts,
 *                                const MPI_Count *rdispls, const MPI_Datatype *recvtypes,
 *                                tutti_comm comm);
 * DESCRIPTION
 *   As tutti_neighbor_alltoallv, but each block has a datatype of its own, and displacements are in
 *   bytes, as with tutti_alltoallw. The datatype of a block without elements is not looked at.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_COMM                `comm` has no topology.
 *   TUTTI_ERR_BUFFER              a buffer or an array is NULL where one is needed, or MPI_IN_PLACE
 *                                 stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank that is its own neighbour sends a block with another size
 *                                 than it receives it.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_alltoallw(3), tutti_neighbor_alltoallv(3)
 */
TUTTI_API int tutti_neighbor_alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                                       const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                                       void* recvbuf, const MPI_Count* recvcounts,
                                       const MPI_Count* rdispls, const MPI_Datatype* recvtypes,
                                       tutti_comm comm);

/*
 * NAME
 *   tutti_reduce - combine the data of all ranks at the root
 * SYNOPSIS
 *   int tutti_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                    MPI_Op op, int root, tutti_comm comm);
 * DESCRIPTION
 *   The root's `recvbuf` becomes x0 op x1 op ..., element by element, where xi is the `sendbuf` of
 *   rank i, as with MPI_Reduce. `recvbuf` is ignored on other ranks. If the root passes
 *   MPI_IN_PLACE as `sendbuf`, its contribution is at `recvbuf`.
 *
 *   `op` is a predefined operation on a datatype for which MPI defines it, or a user-defined
 *   operation. Unless `op` is commutative, the operands keep the order of the ranks. Predefined
 *   operations on predefined datatypes run in loops of Tutti's own, all others in MPI_Reduce_local.
 *   The same inputs on the same number of ranks give the same bits in every run. With the setting
 *   `reproducible` the bits do not depend on the algorithm either.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_allreduce(3), tutti_reduce_scatter(3)
 */
TUTTI_API int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root, tutti_comm comm);

/*
 * NAME
 *   tutti_allreduce - combine the data of all ranks, with the result on every rank
 * SYNOPSIS
 *   int tutti_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                       MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_reduce, but every rank gets the result, and all ranks get the same bits; as
 *   MPI_Allreduce. If all ranks pass MPI_IN_PLACE as `sendbuf`, their contributions are at
 *   `recvbuf`. See tutti_reduce(3) for `op`.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_reduce(3)
 */
TUTTI_API int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_reduce_scatter_block - combine the data of all ranks, and give each rank a block
 * SYNOPSIS
 *   int tutti_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
 *                                  MPI_Datatype type, MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   `sendbuf` holds P blocks of `recvcount` elements; the `recvbuf` of rank i becomes block i of
 *   the combination, as with MPI_Reduce_scatter_block. If all ranks pass MPI_IN_PLACE as `sendbuf`,
 *   the P blocks are at `recvbuf`; the result goes to its beginning, and the rest of it is
 *   undefined afterwards. See tutti_reduce(3) for `op`.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_reduce(3), tutti_reduce_scatter(3)
 */
TUTTI_API int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_reduce_scatter - combine the data of all ranks, and give each a block of its own length
 * SYNOPSIS
 *   int tutti_reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts,
 *                            MPI_Datatype type, MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_reduce_scatter_block, but block i has `recvcounts[i]` elements. The array has P
 *   entries, the same on all ranks. See tutti_reduce(3) for `op`.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_reduce(3), tutti_reduce_scatter_block(3)
 */
TUTTI_API int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                                   MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_scan - combine the data of all ranks up to this one
 * SYNOPSIS
 *   int tutti_scan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                  MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   The `recvbuf` of rank r becomes x0 op ... op xr, where xi is the `sendbuf` of rank i, as with
 *   MPI_Scan. If all ranks pass MPI_IN_PLACE as `sendbuf`, their contributions are at `recvbuf`.
 *   See tutti_reduce(3) for `op`.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_exscan(3), tutti_reduce(3)
 */
TUTTI_API int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                         MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_exscan - combine the data of all ranks before this one
 * SYNOPSIS
 *   int tutti_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                    MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   The `recvbuf` of rank r becomes x0 op ... op x(r-1), where xi is the `sendbuf` of rank i, as
 *   with MPI_Exscan. On rank 0 it stays as it is and may be NULL. If all ranks pass MPI_IN_PLACE as
 *   `sendbuf`, their contributions are at `recvbuf`. See tutti_reduce(3) for `op`.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of the receive buffer are
 *   undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where one is needed, or
 *                                 MPI_IN_PLACE stands where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a datatype is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or `op` is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed, here or at a peer.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sends its own block with another size than it receives it.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time on each communicator.
 * SEE ALSO
 *   tutti_reduce(3), tutti_scan(3)
 */
TUTTI_API int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_ibarrier, tutti_ibcast, tutti_iscatter, tutti_iscatterv, tutti_igather, tutti_igatherv,
 *   tutti_iallgather, tutti_iallgatherv, tutti_ialltoall, tutti_ialltoallv, tutti_ialltoallw,
 *   tutti_ineighbor_allgather, tutti_ineighbor_allgatherv, tutti_ineighbor_alltoall,
 *   tutti_ineighbor_alltoallv, tutti_ineighbor_alltoallw, tutti_ireduce, tutti_iallreduce,
 *   tutti_ireduce_scatter_block, tutti_ireduce_scatter, tutti_iscan, tutti_iexscan - begin a
 *   collective
 * SYNOPSIS
 *   int tutti_ibarrier(tutti_comm comm, tutti_request *request);
 *   int tutti_ibcast(void *buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm,
 *                    tutti_request *request);
 *   int tutti_iscatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                      tutti_comm comm, tutti_request *request);
 *   int tutti_iscatterv(const void *sendbuf, const MPI_Count *sendcounts, const MPI_Count *displs,
 *                       MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
 *                       MPI_Datatype recvtype, int root, tutti_comm comm, tutti_request *request);
 *   int tutti_igather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                     void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                     tutti_comm comm, tutti_request *request);
 *   int tutti_igatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                      void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                      MPI_Datatype recvtype, int root, tutti_comm comm, tutti_request *request);
 *   int tutti_iallgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                        void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                        tutti_comm comm, tutti_request *request);
 *   int tutti_iallgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                         void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                         MPI_Datatype recvtype, tutti_comm comm, tutti_request *request);
 *   int tutti_ialltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                       tutti_comm comm, tutti_request *request);
 *   int tutti_ialltoallv(const void *sendbuf, const MPI_Count *sendcounts,
 *                        const MPI_Count *sdispls, MPI_Datatype sendtype, void *recvbuf,
 *                        const MPI_Count *recvcounts, const MPI_Count *rdispls,
 *                        MPI_Datatype recvtype, tutti_comm comm, tutti_request *request);
 *   int tutti_ialltoallw(const void *sendbuf, const MPI_Count *sendcounts,
 *                        const MPI_Count *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
 *                        const MPI_Count *recvcounts, const MPI_Count *rdispls,
 *                        const MPI_Datatype *recvtypes, tutti_comm comm,
 *                        tutti_request *request);
 *   int tutti_ineighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                                 void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                                 tutti_comm comm, tutti_request *request);
 *   int tutti_ineighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                                  void *recvbuf, const MPI_Count *recvcounts,
 *                                  const MPI_Count *displs, MPI_Datatype recvtype, tutti_comm comm,
 *                                  tutti_request *request);
 *   int tutti_ineighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                                void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                                tutti_comm comm, tutti_request *request);
 *   int tutti_ineighbor_alltoallv(const void *sendbuf, const MPI_Count *sendcounts,
 *                                 const MPI_Count *sdispls, MPI_Datatype sendtype, void *recvbuf,
 *                                 const MPI_Count *recvcounts, const MPI_Count *rdispls,
 *                                 MPI_Datatype recvtype, tutti_comm comm, tutti_request *request);
 *   int tutti_ineighbor_alltoallw(const void *sendbuf, const MPI_Count *sendcounts,
 *                                 const MPI_Count *sdispls, const MPI_Datatype *sendtypes,
 *                                 void *recvbuf, const MPI_Count *recvcounts,
 *                                 const MPI_Count *rdispls, const MPI_Datatype *recvtypes,
 *                                 tutti_comm comm, tutti_request *request);
 *   int tutti_ireduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                     MPI_Op op, int root, tutti_comm comm, tutti_request *request);
 *   int tutti_iallreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                        MPI_Op op, tutti_comm comm, tutti_request *request);
 *   int tutti_ireduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
 *                                   MPI_Datatype type, MPI_Op op, tutti_comm comm,
 *                                   tutti_request *request);
 *   int tutti_ireduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts,
 *                             MPI_Datatype type, MPI_Op op, tutti_comm comm,
 *                             tutti_request *request);
 *   int tutti_iscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                   MPI_Op op, tutti_comm comm, tutti_request *request);
 *   int tutti_iexscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                     MPI_Op op, tutti_comm comm, tutti_request *request);
 * DESCRIPTION
 *   Each begins what the function without the `i` in its name does, and returns without waiting for
 *   other ranks (but see tutti_start(3)); its arguments are those of that function. *request
 *   becomes a handle by which tutti_wait or tutti_test ends the call. Until then the buffers belong
 *   to the call, those that are only read included, and so do arrays of counts and displacements,
 *   and a user-defined operation: leave them alone. Datatypes may be freed at once. So may the
 *   communicator: tutti_comm_free waits for the calls.
 *
 *   On each communicator all ranks begin the same calls in the same order, blocking ones and those
 *   that are begun by tutti_start among them. They may be completed in any order. A call that is
 *   begun does not match a blocking one of another rank.
 *
 *   Data move while this rank is in Tutti: in any function that begins a call, waits or tests, on
 *   any communicator, and while tutti_comm_create waits for others. A rank that computes for long,
 *   or waits in MPI, should test now and then, or others may wait for it.
 *
 *   The setting `check` compares blocking calls only.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error *request is TUTTI_REQUEST_NULL, and the call
 *   counts as rejected; see tutti_comm_create(3).
 * ERRORS
 *   TUTTI_ERR_REQUEST  `request` is NULL.
 *   and those of the function without the `i`.
 * THREADS
 *   One call is begun at a time on each communicator.
 * SEE ALSO
 *   tutti_barrier_init(3), tutti_comm_create(3), tutti_test(3), tutti_wait(3)
 */
TUTTI_API int tutti_ibarrier(tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ibcast(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                           tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_iscatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                             tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_iscatterv(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* displs, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm,
                              tutti_request* request);
TUTTI_API int tutti_igather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                            tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_igatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                             MPI_Datatype recvtype, int root, tutti_comm comm,
                             tutti_request* request);
TUTTI_API int tutti_iallgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                               tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_iallgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                                MPI_Datatype recvtype, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ialltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ialltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                               const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count* recvcounts, const MPI_Count* rdispls,
                               MPI_Datatype recvtype, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ialltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                               const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                               void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* rdispls,
                               const MPI_Datatype* recvtypes, tutti_comm comm,
                               tutti_request* request);
TUTTI_API int tutti_ineighbor_allgather(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, tutti_comm comm,
                                        tutti_request* request);
TUTTI_API int tutti_ineighbor_allgatherv(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf,
                                         const MPI_Count* recvcounts, const MPI_Count* displs,
                                         MPI_Datatype recvtype, tutti_comm comm,
                                         tutti_request* request);
TUTTI_API int tutti_ineighbor_alltoall(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                       MPI_Datatype recvtype, tutti_comm comm,
                                       tutti_request* request);
TUTTI_API int tutti_ineighbor_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                                        const MPI_Count* sdispls, MPI_Datatype sendtype,
                                        void* recvbuf, const MPI_Count* recvcounts,
                                        const MPI_Count* rdispls, MPI_Datatype recvtype,
                                        tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ineighbor_alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                                        const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                                        void* recvbuf, const MPI_Count* recvcounts,
                                        const MPI_Count* rdispls, const MPI_Datatype* recvtypes,
                                        tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_ireduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                            MPI_Op op, int root, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_iallreduce(const void* sendbuf, void* recvbuf, MPI_Count count,
                               MPI_Datatype type, MPI_Op op, tutti_comm comm,
                               tutti_request* request);
TUTTI_API int tutti_ireduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                          MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                          tutti_request* request);
TUTTI_API int tutti_ireduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                                    MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                    tutti_request* request);
TUTTI_API int tutti_iscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                          MPI_Op op, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_iexscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                            MPI_Op op, tutti_comm comm, tutti_request* request);

/*
 * NAME
 *   tutti_barrier_init, tutti_bcast_init, tutti_scatter_init, tutti_scatterv_init,
 *   tutti_gather_init, tutti_gatherv_init, tutti_allgather_init, tutti_allgatherv_init,
 *   tutti_alltoall_init, tutti_alltoallv_init, tutti_alltoallw_init, tutti_neighbor_allgather_init,
 *   tutti_neighbor_allgatherv_init, tutti_neighbor_alltoall_init, tutti_neighbor_alltoallv_init,
 *   tutti_neighbor_alltoallw_init, tutti_reduce_init, tutti_allreduce_init,
 *   tutti_reduce_scatter_block_init, tutti_reduce_scatter_init, tutti_scan_init, tutti_exscan_init
 *   - prepare a collective that is called again and again
 * SYNOPSIS
 *   int tutti_barrier_init(tutti_comm comm, tutti_request *request);
 *   int tutti_bcast_init(void *buffer, MPI_Count count, MPI_Datatype type, int root,
 *                        tutti_comm comm, tutti_request *request);
 *   int tutti_scatter_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                          void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                          tutti_comm comm, tutti_request *request);
 *   int tutti_scatterv_init(const void *sendbuf, const MPI_Count *sendcounts,
 *                           const MPI_Count *displs, MPI_Datatype sendtype, void *recvbuf,
 *                           MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm,
 *                           tutti_request *request);
 *   int tutti_gather_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                         void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 *                         tutti_comm comm, tutti_request *request);
 *   int tutti_gatherv_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                          void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                          MPI_Datatype recvtype, int root, tutti_comm comm,
 *                          tutti_request *request);
 *   int tutti_allgather_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                            tutti_comm comm, tutti_request *request);
 *   int tutti_allgatherv_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                             void *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs,
 *                             MPI_Datatype recvtype, tutti_comm comm, tutti_request *request);
 *   int tutti_alltoall_init(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
 *                           tutti_comm comm, tutti_request *request);
 *   int tutti_alltoallv_init(const void *sendbuf, const MPI_Count *sendcounts,
 *                            const MPI_Count *sdispls, MPI_Datatype sendtype, void *recvbuf,
 *                            const MPI_Count *recvcounts, const MPI_Count *rdispls,
 *                            MPI_Datatype recvtype, tutti_comm comm, tutti_request *request);
 *   int tutti_alltoallw_init(const void *sendbuf, const MPI_Count *sendcounts,
 *                            const MPI_Count *sdispls, const MPI_Datatype *sendtypes,
 *                            void *recvbuf, const MPI_Count *recvcounts,
 *                            const MPI_Count *rdispls, const MPI_Datatype *recvtypes,
 *                            tutti_comm comm, tutti_request *request);
 *   int tutti_neighbor_allgather_init(const void *sendbuf, MPI_Count sendcount,
 *                                     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
 *                                     MPI_Datatype recvtype, tutti_comm comm,
 *                                     tutti_request *request);
 *   int tutti_neighbor_allgatherv_init(const void *sendbuf, MPI_Count sendcount,
 *                                      MPI_Datatype sendtype, void *recvbuf,
 *                                      const MPI_Count *recvcounts, const MPI_Count *displs,
 *                                      MPI_Datatype recvtype, tutti_comm comm,
 *                                      tutti_request *request);
 *   int tutti_neighbor_alltoall_init(const void *sendbuf, MPI_Count sendcount,
 *                                    MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
 *                                    MPI_Datatype recvtype, tutti_comm comm,
 *                                    tutti_request *request);
 *   int tutti_neighbor_alltoallv_init(const void *sendbuf, const MPI_Count *sendcounts,
 *                                     const MPI_Count *sdispls, MPI_Datatype sendtype,
 *                                     void *recvbuf, const MPI_Count *recvcounts,
 *                                     const MPI_Count *rdispls, MPI_Datatype recvtype,
 *                                     tutti_comm comm, tutti_request *request);
 *   int tutti_neighbor_alltoallw_init(const void *sendbuf, const MPI_Count *sendcounts,
 *                                     const MPI_Count *sdispls, const MPI_Datatype *sendtypes,
 *                                     void *recvbuf, const MPI_Count *recvcounts,
 *                                     const MPI_Count *rdispls, const MPI_Datatype *recvtypes,
 *                                     tutti_comm comm, tutti_request *request);
 *   int tutti_reduce_init(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                         MPI_Op op, int root, tutti_comm comm, tutti_request *request);
 *   int tutti_allreduce_init(const void *sendbuf, void *recvbuf, MPI_Count count,
 *                            MPI_Datatype type, MPI_Op op, tutti_comm comm,
 *                            tutti_request *request);
 *   int tutti_reduce_scatter_block_init(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
 *                                       MPI_Datatype type, MPI_Op op, tutti_comm comm,
 *                                       tutti_request *request);
 *   int tutti_reduce_scatter_init(const void *sendbuf, void *recvbuf, const MPI_Count *recvcounts,
 *                                 MPI_Datatype type, MPI_Op op, tutti_comm comm,
 *                                 tutti_request *request);
 *   int tutti_scan_init(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                       MPI_Op op, tutti_comm comm, tutti_request *request);
 *   int tutti_exscan_init(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 *                         MPI_Op op, tutti_comm comm, tutti_request *request);
 * DESCRIPTION
 *   Each prepares what the function without `_init` in its name does; its arguments are those of
 *   that function. tutti_start begins the call, as often as the program likes, with what the
 *   buffers hold then; tutti_wait or tutti_test ends it, and leaves the request inactive.
 *   tutti_request_free frees it.
 *
 *   All arguments stay as they are until the request is freed, arrays of counts and displacements
 *   and a user-defined operation included. Datatypes, and an array of them, may go at once, and the
 *   communicator as soon as the program likes: the request can still be started. Bytes that no call
 *   touches, such as a buffer while the request is inactive, are the program's. Memory for
 *   intermediate results stays the request's until it is freed; over an adapter the buffers stay
 *   registered, too.
 *
 *   No message is sent where the arguments are right. On each communicator all ranks prepare the
 *   same calls, and start the same ones, in the same order; see tutti_ibarrier(3) for that, and for
 *   when data move.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error *request is TUTTI_REQUEST_NULL.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is null or has been freed.
 *   TUTTI_ERR_REQUEST          `request` is NULL.
 *   and those of the blocking function.
 * THREADS
 *   One at a time on each communicator.
 * SEE ALSO
 *   tutti_ibarrier(3), tutti_request_free(3), tutti_start(3), tutti_wait(3)
 */
TUTTI_API int tutti_barrier_init(tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_bcast_init(void* buffer, MPI_Count count, MPI_Datatype type, int root,
                               tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_scatter_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int root, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_scatterv_init(const void* sendbuf, const MPI_Count* sendcounts,
                                  const MPI_Count* displs, MPI_Datatype sendtype, void* recvbuf,
                                  MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                  tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_gather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_gatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const MPI_Count* recvcounts,
                                 const MPI_Count* displs, MPI_Datatype recvtype, int root,
                                 tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const MPI_Count* recvcounts,
                                    const MPI_Count* displs, MPI_Datatype recvtype, tutti_comm comm,
                                    tutti_request* request);
TUTTI_API int tutti_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_alltoallv_init(const void* sendbuf, const MPI_Count* sendcounts,
                                   const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                                   const MPI_Count* recvcounts, const MPI_Count* rdispls,
                                   MPI_Datatype recvtype, tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_alltoallw_init(const void* sendbuf, const MPI_Count* sendcounts,
                                   const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                                   void* recvbuf, const MPI_Count* recvcounts,
                                   const MPI_Count* rdispls, const MPI_Datatype* recvtypes,
                                   tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_neighbor_allgather_init(const void* sendbuf, MPI_Count sendcount,
                                            MPI_Datatype sendtype, void* recvbuf,
                                            MPI_Count recvcount, MPI_Datatype recvtype,
                                            tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_neighbor_allgatherv_init(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             const MPI_Count* recvcounts, const MPI_Count* displs,
                                             MPI_Datatype recvtype, tutti_comm comm,
                                             tutti_request* request);
TUTTI_API int tutti_neighbor_alltoall_init(const void* sendbuf, MPI_Count sendcount,
                                           MPI_Datatype sendtype, void* recvbuf,
                                           MPI_Count recvcount, MPI_Datatype recvtype,
                                           tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_neighbor_alltoallv_init(const void* sendbuf, const MPI_Count* sendcounts,
                                            const MPI_Count* sdispls, MPI_Datatype sendtype,
                                            void* recvbuf, const MPI_Count* recvcounts,
                                            const MPI_Count* rdispls, MPI_Datatype recvtype,
                                            tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_neighbor_alltoallw_init(const void* sendbuf, const MPI_Count* sendcounts,
                                            const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                                            void* recvbuf, const MPI_Count* recvcounts,
                                            const MPI_Count* rdispls, const MPI_Datatype* recvtypes,
                                            tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_reduce_init(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype type, MPI_Op op, int root, tutti_comm comm,
                                tutti_request* request);
TUTTI_API int tutti_allreduce_init(const void* sendbuf, void* recvbuf, MPI_Count count,
                                   MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                   tutti_request* request);
TUTTI_API int tutti_reduce_scatter_block_init(const void* sendbuf, void* recvbuf,
                                              MPI_Count recvcount, MPI_Datatype type, MPI_Op op,
                                              tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_reduce_scatter_init(const void* sendbuf, void* recvbuf,
                                        const MPI_Count* recvcounts, MPI_Datatype type, MPI_Op op,
                                        tutti_comm comm, tutti_request* request);
TUTTI_API int tutti_scan_init(const void* sendbuf, void* recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op, tutti_comm comm,
                              tutti_request* request);
TUTTI_API int tutti_exscan_init(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                tutti_request* request);

/*
 * NAME
 *   tutti_start, tutti_startall - begin calls that were prepared
 * SYNOPSIS
 *   int tutti_start(tutti_request *request);
 *   int tutti_startall(int count, tutti_request *requests);
 * DESCRIPTION
 *   Begins the call of an inactive persistent request, or of `count` of them, one after the other.
 *   It does not wait for other ranks, but over an adapter for a small part of the time that its
 *   messages take, to set these off. If one cannot be started, tutti_startall goes on with the
 *   others and returns the first error.
 * RETURN
 *   TUTTI_SUCCESS or an error code. A request that could not be started is inactive still.
 * ERRORS
 *   TUTTI_ERR_REQUEST  a request is null, was freed or is active, or the address is NULL.
 *   TUTTI_ERR_COUNT    `count` is negative.
 *   and those of the blocking function.
 * THREADS
 *   One at a time on each communicator.
 * SEE ALSO
 *   tutti_barrier_init(3), tutti_wait(3)
 */
TUTTI_API int tutti_start(tutti_request* request);
TUTTI_API int tutti_startall(int count, tutti_request* requests);

/*
 * NAME
 *   tutti_wait, tutti_waitall, tutti_waitany, tutti_waitsome - wait until calls have ended
 * SYNOPSIS
 *   int tutti_wait(tutti_request *request);
 *   int tutti_waitall(int count, tutti_request *requests);
 *   int tutti_waitany(int count, tutti_request *requests, int *index);
 *   int tutti_waitsome(int count, tutti_request *requests, int *outcount, int *indices);
 * DESCRIPTION
 *   tutti_wait waits for one call; tutti_waitall for `count` of them; tutti_waitany for any one,
 *   and *index becomes its place in the array; tutti_waitsome for at least one, and completes all
 *   that have ended: *outcount becomes their number and `indices`, with room for `count`, their
 *   places.
 *
 *   The buffers of a call that is complete are the program's again, and results are there. The
 *   request of a call that was begun by a function such as tutti_ibcast becomes TUTTI_REQUEST_NULL;
 *   a persistent one becomes inactive. Requests that are null or inactive count as complete. If
 *   there are no others, tutti_waitany sets *index, and tutti_waitsome *outcount, to MPI_UNDEFINED.
 * RETURN
 *   TUTTI_SUCCESS, or the error code of the call. Where several are completed it is the first one's
 *   that failed; all are complete then.
 * ERRORS
 *   TUTTI_ERR_REQUEST  a request was freed or completed before, stands twice in the array, or
 *                      another thread waits for it; or an address is NULL.
 *   TUTTI_ERR_COUNT    `count` is negative.
 *   TUTTI_ERR_BUFFER   `index`, `outcount` or `indices` is NULL.
 *   and those of the blocking function.
 * THREADS
 *   Any; one thread for each request.
 * SEE ALSO
 *   tutti_ibarrier(3), tutti_start(3), tutti_test(3)
 */
TUTTI_API int tutti_wait(tutti_request* request);
TUTTI_API int tutti_waitall(int count, tutti_request* requests);
TUTTI_API int tutti_waitany(int count, tutti_request* requests, int* index);
TUTTI_API int tutti_waitsome(int count, tutti_request* requests, int* outcount, int* indices);

/*
 * NAME
 *   tutti_test, tutti_testall, tutti_testany, tutti_testsome - complete calls that have ended
 * SYNOPSIS
 *   int tutti_test(tutti_request *request, int *flag);
 *   int tutti_testall(int count, tutti_request *requests, int *flag);
 *   int tutti_testany(int count, tutti_request *requests, int *index, int *flag);
 *   int tutti_testsome(int count, tutti_request *requests, int *outcount, int *indices);
 * DESCRIPTION
 *   As tutti_wait and its like, but none waits: *flag becomes 1 if the call has ended, or all have
 *   (tutti_testall), or any has (tutti_testany), and 0 if not; then nothing is complete.
 *   tutti_testsome sets *outcount to 0 if none has ended. Where all requests are null or inactive,
 *   *flag is 1, *index is MPI_UNDEFINED, and so is *outcount.
 *
 *   Each test takes in what has come and sends what can be sent, for all calls. A rank that tests
 *   does not wait: the settings `timeout` and `report_after` are about waiting, so a loop of tests
 *   has no limit.
 * RETURN
 *   TUTTI_SUCCESS, or the error code of a call that has ended, with *flag set to 1.
 * ERRORS
 *   TUTTI_ERR_REQUEST  as for tutti_wait(3).
 *   TUTTI_ERR_COUNT    `count` is negative.
 *   TUTTI_ERR_BUFFER   `flag`, `index`, `outcount` or `indices` is NULL.
 *   and those of the blocking function.
 * THREADS
 *   Any; one thread for each request.
 * SEE ALSO
 *   tutti_ibarrier(3), tutti_wait(3)
 */
TUTTI_API int tutti_test(tutti_request* request, int* flag);
TUTTI_API int tutti_testall(int count, tutti_request* requests, int* flag);
TUTTI_API int tutti_testany(int count, tutti_request* requests, int* index, int* flag);
TUTTI_API int tutti_testsome(int count, tutti_request* requests, int* outcount, int* indices);

/*
 * NAME
 *   tutti_request_free - free a request
 * SYNOPSIS
 *   int tutti_request_free(tutti_request *request);
 * DESCRIPTION
 *   Frees an inactive persistent request and sets it to TUTTI_REQUEST_NULL. Requests of other calls
 *   are gone when they are complete; as in MPI, an active one cannot be freed.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_REQUEST  the request is null, was freed or is active, or `request` is NULL.
 * THREADS
 *   One thread for each request.
 * SEE ALSO
 *   tutti_barrier_init(3), tutti_wait(3)
 */
TUTTI_API int tutti_request_free(tutti_request* request);

/*
 * NAME
 *   tutti_describe - what Tutti does and holds, as JSON
 * SYNOPSIS
 *   int tutti_describe(tutti_comm comm, char *text, size_t size, size_t *needed);
 * DESCRIPTION
 *   Writes a JSON object with the version, the number of ranks of the job and this rank, what the
 *   transports have chosen (device, shared memory, multicast), the number of connections, the bytes
 *   that one takes at first and all take now, those that the ranks' addresses take, the device's
 *   counters, how often a derived datatype was read and how many were kept, the bytes kept for
 *   packed copies, and how many requests there have been at once. If `comm` is not TUTTI_COMM_NULL,
 *   the object also has the size and the nodes of the communicator and, for each collective, the
 *   algorithm that ran last and the digest of its schedule.
 *
 *   At most `size` bytes are written, the terminating zero included. Unless `needed` is NULL,
 *   *needed becomes the length without the zero. `text` may be NULL if `size` is 0. The call is
 *   local, and not meant for the fast path.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` has been freed.
 *   TUTTI_ERR_BUFFER           `text` is NULL and `size` is not 0.
 * THREADS
 *   Any.
 * SEE ALSO
 *   tutti(1)
 */
TUTTI_API int tutti_describe(tutti_comm comm, char* text, size_t size, size_t* needed);

/*
 * NAME
 *   tutti_explain - which algorithm would run a call, and why, as JSON
 * SYNOPSIS
 *   int tutti_explain(tutti_comm comm, const char *collective, MPI_Count bytes, char *text,
 *                     size_t size, size_t *needed);
 * DESCRIPTION
 *   Writes a JSON object about a call of `collective` ("bcast", "reduce_scatter", as `tutti list`
 *   names them) on this communicator. `bytes` is the length of the message or, for collectives
 *   whose data are blocks, of one block. The call that is meant has a commutative operation (whose
 *   operands keep their order if the setting `reproducible` is on) and blocks of one length.
 *
 *   The members "algorithm" and "reason" say what the call would run; a choice by hand (the
 *   settings `algorithm` and `table`) comes first, then the cost model. "candidates" has every
 *   algorithm, the best first: the predicted time in microseconds by which it is chosen, the part
 *   of it that goes into making connections ("set_up"), what the time of one call ("latency") is
 *   made of, rounds, messages and bytes on the critical path within and between nodes, connections
 *   and memory; or, as "excluded", why it cannot run the call, or why it is chosen by hand only.
 *   "connecting" says what a connection costs: microseconds, over how many calls they are spread,
 *   bytes, and the memory of a rank beyond which a time counts as many times.
 *   "ranges" says from which number of bytes on the model chooses which algorithm. "statement" has
 *   the asymptotic class of the choice, its time as a constant and a part for each byte, and its
 *   bounds over mappings of ranks to nodes; if the model has no estimate of the choice,
 *   "no_estimate" says why instead.
 *   "model" names the parameters and where they are from.
 *
 *   At most `size` bytes are written, the terminating zero included. Unless `needed` is NULL,
 *   *needed becomes the length without the zero. `text` may be NULL if `size` is 0. The call is
 *   local, and not meant for the fast path.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is TUTTI_COMM_NULL or has been freed.
 *   TUTTI_ERR_BUFFER           `text` is NULL and `size` is not 0.
 *   TUTTI_ERR_CONFIGURATION    there is no such collective; the message names those there are.
 *   TUTTI_ERR_COUNT            `bytes` is negative.
 *   TUTTI_ERR_NOT_APPLICABLE   the algorithm chosen by hand cannot run the call.
 * THREADS
 *   Any.
 * SEE ALSO
 *   tutti_describe(3), tutti(1)
 */
TUTTI_API int tutti_explain(tutti_comm comm, const char* collective, MPI_Count bytes, char* text,
                            size_t size, size_t* needed);

/*
 * NAME
 *   tutti_error_string - what an error code means
 * SYNOPSIS
 *   const char *tutti_error_string(int code);
 * DESCRIPTION
 *   Returns a sentence in static memory. For an unknown code the sentence says so. May be called at
 *   any time.
 * RETURN
 *   The sentence, never NULL.
 * THREADS
 *   Any.
 * SEE ALSO
 *   tutti_last_error_message(3)
 */
TUTTI_API const char* tutti_error_string(int code);

/*
 * NAME
 *   tutti_last_error_message - what happened in the last failed call of this thread
 * SYNOPSIS
 *   const char *tutti_last_error_message(void);
 * DESCRIPTION
 *   Returns what happened, which peer it concerns, and what to do; an empty text if no call of this
 *   thread has failed. Tutti owns the text. It is valid until the next call of this thread that
 *   fails.
 * RETURN
 *   The message, never NULL.
 * THREADS
 *   Each thread has its own message.
 * SEE ALSO
 *   tutti_error_string(3)
 */
TUTTI_API const char* tutti_last_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
