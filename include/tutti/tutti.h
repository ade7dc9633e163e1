/*
 * Tutti: collective communication for InfiniBand and RoCE.
 *
 * This header is the whole C API and its manual: the page of each function is generated from the
 * comment above it. C99 and C++. MPI starts the job and exchanges addresses; MPI_Datatype, MPI_Comm
 * and MPI_IN_PLACE are accepted as they are. Every function returns TUTTI_SUCCESS (0) or one of the
 * TUTTI_ERR_* codes; none prints, exits or aborts.
 */
#ifndef TUTTI_TUTTI_H
#define TUTTI_TUTTI_H

#include <mpi.h>
#include <stddef.h>

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

/* Error codes. tutti_error_string() says what each means; tutti_last_error_message() what happened
 * this time. */
enum {
  TUTTI_SUCCESS = 0,
  TUTTI_ERR_NOT_INITIALIZED = 1,     /* tutti_init was not called, or tutti_finalize was */
  TUTTI_ERR_ALREADY_INITIALIZED = 2, /* tutti_init was called before */
  TUTTI_ERR_MPI_NOT_INITIALIZED = 3, /* MPI_Init was not called, or MPI_Finalize was */
  TUTTI_ERR_COMM = 4,                /* null, freed or foreign communicator; an intercommunicator */
  TUTTI_ERR_BUFFER = 5,              /* null where bytes are expected; MPI_IN_PLACE misplaced */
  TUTTI_ERR_OVERLAP = 6,             /* send and receive buffer share bytes */
  TUTTI_ERR_COUNT = 7,               /* negative, or the bytes do not fit in 63 bits */
  TUTTI_ERR_TYPE = 8,                /* MPI_DATATYPE_NULL or an invalid datatype */
  TUTTI_ERR_TYPE_NOT_COMMITTED = 9,  /* a derived datatype without MPI_Type_commit */
  TUTTI_ERR_ROOT = 10,               /* root is not a rank of the communicator */
  TUTTI_ERR_SIZE_MISMATCH = 11,      /* sent and received sizes differ */
  TUTTI_ERR_CONFIGURATION = 12,      /* a setting or its file cannot be read */
  TUTTI_ERR_UNKNOWN_ALGORITHM = 13,  /* no algorithm of that name */
  TUTTI_ERR_NOT_APPLICABLE = 14,     /* the forced algorithm cannot run this call */
  TUTTI_ERR_NO_DEVICE = 15,          /* no RDMA device, or not the one asked for */
  TUTTI_ERR_PORT_DOWN = 16,          /* the device's port is not active */
  TUTTI_ERR_LOCKED_MEMORY = 17,      /* RLIMIT_MEMLOCK is too low */
  TUTTI_ERR_UNREACHABLE = 18,        /* a peer's address does not answer */
  TUTTI_ERR_PEER_FAILED = 19,        /* a peer died, or told that another did */
  TUTTI_ERR_TRANSPORT = 20,          /* the device or the link failed */
  TUTTI_ERR_NO_MEMORY = 21,          /* memory or shared memory is exhausted */
  TUTTI_ERR_BOOTSTRAP = 22,          /* MPI failed while Tutti started */
  TUTTI_ERR_UNSUPPORTED = 23,        /* valid, but Tutti cannot do it */
  TUTTI_ERR_TIMEOUT = 24,            /* the limit that the user set on waiting has passed */
  TUTTI_ERR_SYSTEM = 25,             /* a system call failed */
  TUTTI_ERR_INTERNAL = 26,           /* a bug in Tutti */
  TUTTI_ERR_PEER_FINALIZED = 27,     /* a peer called tutti_finalize, and is waited for */
  TUTTI_ERR_OP = 28,                 /* MPI_OP_NULL, or not defined on the datatype */
  TUTTI_ERR_DISPLACEMENT = 29,       /* two blocks of a receive buffer overlap */
  TUTTI_ERR_OP_FAILED = 30           /* a user-defined operation reported an error */
};

/* A communicator of Tutti: an opaque handle. */
typedef struct tutti_comm_object* tutti_comm;
#define TUTTI_COMM_NULL ((tutti_comm)0)

/* Options of tutti_init; zero the whole, then set `size`. */
typedef struct tutti_options {
  size_t size;                 /* sizeof(tutti_options): lets the library tell versions apart */
  const char* const* settings; /* NULL, or a NULL-terminated array of "name=value"; they override
                                  environment and file */
  void (*log)(
      void* context,
      const char* line); /* NULL, or called with each line of the log (see the setting `log`) */
  void* log_context;     /* passed to log */
} tutti_options;

/*
 * NAME
 *   tutti_init - start Tutti in this process
 * SYNOPSIS
 *   int tutti_init(const tutti_options *options);
 * DESCRIPTION
 *   Reads the configuration (options, then environment variables TUTTI_NAME, then the file that
 * TUTTI_CONFIG names, then the defaults: see tutti(1), section CONFIGURATION), opens the transports
 * and exchanges addresses over MPI. Collective over MPI_COMM_WORLD; MPI must be initialized.
 * `options` may be NULL and is not kept. If one rank fails, every rank returns an error. RETURN
 *   TUTTI_SUCCESS or an error code; after an error nothing is left behind and tutti_init may be
 * called again. ERRORS TUTTI_ERR_ALREADY_INITIALIZED  tutti_init was called before.
 *   TUTTI_ERR_MPI_NOT_INITIALIZED  call MPI_Init first.
 *   TUTTI_ERR_CONFIGURATION        a value cannot be understood; the message names it and what is
 * allowed. TUTTI_ERR_UNKNOWN_ALGORITHM    the setting `algorithm` names none that exists.
 *   TUTTI_ERR_NO_DEVICE            verbs is needed (ranks on several nodes, or transport=verbs) and
 * there is no device. TUTTI_ERR_PORT_DOWN            the device's port is not active.
 *   TUTTI_ERR_LOCKED_MEMORY        RLIMIT_MEMLOCK is too low; the message says what is needed.
 *   TUTTI_ERR_NO_MEMORY            memory or /dev/shm is exhausted.
 *   TUTTI_ERR_BOOTSTRAP            MPI reported an error.
 * THREADS
 *   Call it from one thread. The thread level is that of MPI: with MPI_THREAD_MULTIPLE, later calls
 * may come from any thread, one at a time for each communicator. SEE ALSO tutti_finalize(3),
 * tutti_comm_create(3), tutti(1)
 */
TUTTI_API int tutti_init(const tutti_options* options);

/*
 * NAME
 *   tutti_finalize - leave Tutti
 * SYNOPSIS
 *   int tutti_finalize(void);
 * DESCRIPTION
 *   Sends what is still on its way, tells the peers that this rank leaves, and gives everything
 * back. Communicators that were not freed are freed. Does not wait for other ranks: a rank that
 * later waits for this one gets TUTTI_ERR_PEER_FINALIZED. Call it before MPI_Finalize. RETURN
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
 *   Ranks and their order are those of `mpi`, which may be freed afterwards. All its ranks must
 * belong to MPI_COMM_WORLD. Collective over `mpi`. Costs O(P) bytes and no connection: those are
 * made when two ranks first speak. On success the caller owns *comm and gives it back with
 * tutti_comm_free. A collective that some ranks refuse for their arguments (each with its own
 * code), or that ranks call with different sizes or roots, or in another order, fails: those who
 * need the others get an error, all ranks do in a later call on the communicator at the latest, and
 * then it has failed for good. Make another one. Where all ranks refuse a call, nothing is lost.
 * RETURN
 *   TUTTI_SUCCESS, or an error code with *comm set to TUTTI_COMM_NULL.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `mpi` is MPI_COMM_NULL, freed, or an intercommunicator.
 *   TUTTI_ERR_BUFFER           `comm` is NULL.
 *   TUTTI_ERR_UNSUPPORTED      a rank of `mpi` is not in MPI_COMM_WORLD (spawned or connected).
 *   TUTTI_ERR_NO_MEMORY        memory is exhausted.
 *   TUTTI_ERR_BOOTSTRAP        MPI reported an error, or another rank could not make the
 * communicator; then none has it. THREADS As MPI demands for collective calls on `mpi`. SEE ALSO
 *   tutti_comm_free(3)
 */
TUTTI_API int tutti_comm_create(MPI_Comm mpi, tutti_comm* comm);

/*
 * NAME
 *   tutti_comm_free - give a communicator back
 * SYNOPSIS
 *   int tutti_comm_free(tutti_comm *comm);
 * DESCRIPTION
 *   Sets *comm to TUTTI_COMM_NULL. Every rank calls it; it waits for none, and works on a failed
 * communicator too. RETURN TUTTI_SUCCESS or an error code. ERRORS TUTTI_ERR_NOT_INITIALIZED
 * tutti_init was not called. TUTTI_ERR_COMM             `comm` is NULL, or *comm is null or freed.
 * THREADS
 *   No other thread may use the communicator.
 * SEE ALSO
 *   tutti_comm_create(3)
 */
TUTTI_API int tutti_comm_free(tutti_comm* comm);

/*
 * NAME
 *   tutti_barrier - wait until every rank has come
 * SYNOPSIS
 *   int tutti_barrier(tutti_comm comm);
 * DESCRIPTION
 *   Returns after all ranks of `comm` have called it. As MPI_Barrier.
 * RETURN
 *   TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is null or freed.
 *   TUTTI_ERR_NOT_APPLICABLE   the algorithm forced by configuration cannot run here; the message
 * says why. TUTTI_ERR_PEER_FAILED      a rank died, here or as told by another; the communicator
 * has failed for good. TUTTI_ERR_PEER_FINALIZED   a rank that this one waits for has called
 * tutti_finalize. TUTTI_ERR_UNREACHABLE      a rank's address does not answer. TUTTI_ERR_TRANSPORT
 * the device or the link failed. TUTTI_ERR_TIMEOUT          the setting `timeout` has passed.
 *   TUTTI_ERR_NO_MEMORY        memory or shared memory is exhausted.
 *   TUTTI_ERR_LOCKED_MEMORY    registering memory needs a higher RLIMIT_MEMLOCK.
 * THREADS
 *   One collective at a time for each communicator.
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
 *   `count` elements of `type` at `buffer`: read on `root`, written on all other ranks. As
 * MPI_Bcast, with counts beyond 2^31. `count`, the size of `type` and `root` must be the same on
 * all ranks (types may differ if they describe the same bytes). The buffer is the caller's and may
 * be reused on return. It may be NULL if there are no bytes. RETURN TUTTI_SUCCESS or an error code.
 * After an error the buffer's contents are undefined, except on the root. ERRORS TUTTI_ERR_BUFFER
 * `buffer` is NULL and there are bytes, or is MPI_IN_PLACE. TUTTI_ERR_COUNT               `count`
 * is negative or too large. TUTTI_ERR_TYPE                `type` is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       a rank sent another number of bytes than this one expects.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
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
 * tutti_comm comm); DESCRIPTION Block i of the root's `sendbuf` (`sendcount` elements each, P
 * blocks) becomes rank i's `recvbuf`. As MPI_Scatter. `sendbuf`, `sendcount` and `sendtype` count
 * on the root only. With MPI_IN_PLACE as the root's `recvbuf` its own block stays where it is.
 * Buffers are the caller's and must not overlap. RETURN TUTTI_SUCCESS or an error code. After an
 * error what was to be received is undefined. ERRORS TUTTI_ERR_BUFFER              a buffer or an
 * array of counts is NULL where it is needed; MPI_IN_PLACE where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
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
 * MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
 * tutti_comm comm); DESCRIPTION As tutti_scatter; block i has `sendcounts[i]` elements and begins
 * `displs[i]` extents of `sendtype` into `sendbuf` (NULL: the blocks follow each other). Both
 * arrays have P entries and count on the root only, unless the setting `counts` is `all`: then
 *   every rank passes the counts, and algorithms in which ranks hand on the blocks of others can
 * run. RETURN TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
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
 * tutti_comm comm); DESCRIPTION Block i of the root's `recvbuf` (`recvcount` elements each, P
 * blocks) becomes what rank i has at `sendbuf`. As MPI_Gather. `recvbuf`, `recvcount` and
 * `recvtype` count on the root only. With MPI_IN_PLACE as the root's `sendbuf` its own block is
 *   already in place. Buffers are the caller's and must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
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
 *   int tutti_gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void
 * *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs, MPI_Datatype recvtype, int root,
 * tutti_comm comm); DESCRIPTION As tutti_gather; block i has `recvcounts[i]` elements and begins
 * `displs[i]` extents of `recvtype` into `recvbuf` (NULL: the blocks follow each other). Both
 * arrays have P entries and count on the root only, unless the setting `counts` is `all`. RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
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
 *                       void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm
 * comm); DESCRIPTION Block i of `recvbuf` (`recvcount` elements of `recvtype` each, P blocks)
 * becomes what rank i has at `sendbuf`. As MPI_Allgather, with counts beyond 2^31. With
 * MPI_IN_PLACE as `sendbuf` (on all ranks) the own block is already in place, and `sendcount` and
 * `sendtype` are ignored. The bytes sent and received for a block must be equally many, and the
 *   same on all ranks. Buffers are the caller's and must not overlap.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error the contents of `recvbuf` are undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer is NULL and there are bytes, or `recvbuf` is
 * MPI_IN_PLACE. TUTTI_ERR_OVERLAP             `sendbuf` and `recvbuf` share bytes; use
 * MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too large. TUTTI_ERR_TYPE a
 * type is MPI_DATATYPE_NULL or invalid. TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_bcast(3), tutti_barrier(3)
 */
TUTTI_API int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              tutti_comm comm);

/*
 * NAME
 *   tutti_allgatherv - collect one block of every rank on every rank, blocks of different lengths
 * SYNOPSIS
 *   int tutti_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void
 * *recvbuf, const MPI_Count *recvcounts, const MPI_Count *displs, MPI_Datatype recvtype, tutti_comm
 * comm); DESCRIPTION As tutti_allgather; block i has `recvcounts[i]` elements and begins
 * `displs[i]` extents of `recvtype` into `recvbuf` (NULL: the blocks follow each other). The bytes
 * of each block must be the same on all ranks; displacements may differ. Blocks that do not follow
 * each other are received into memory of Tutti's own first. RETURN TUTTI_SUCCESS or an error code.
 * After an error what was to be received is undefined. ERRORS TUTTI_ERR_BUFFER              a
 * buffer or an array of counts is NULL where it is needed; MPI_IN_PLACE where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_allgather(3)
 */
TUTTI_API int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                               MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_alltoall - give every rank a block, and get one of every rank
 * SYNOPSIS
 *   int tutti_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
 *                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm);
 * DESCRIPTION
 *   Block i of rank j's `recvbuf` becomes block j of rank i's `sendbuf`. As MPI_Alltoall. With
 * MPI_IN_PLACE as `sendbuf` (on all ranks) the blocks to send are those at `recvbuf`. RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_alltoallv(3)
 */
TUTTI_API int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             tutti_comm comm);

/*
 * NAME
 *   tutti_alltoallv - give every rank a block, and get one of every rank, blocks of different
 * lengths SYNOPSIS int tutti_alltoallv(const void *sendbuf, const MPI_Count *sendcounts, const
 * MPI_Count *sdispls, MPI_Datatype sendtype, void *recvbuf, const MPI_Count *recvcounts, const
 * MPI_Count *rdispls, MPI_Datatype recvtype, tutti_comm comm); DESCRIPTION As tutti_alltoall; the
 * block for (of) rank i has `sendcounts[i]` (`recvcounts[i]`) elements and begins `sdispls[i]`
 * (`rdispls[i]`) extents into its buffer (NULL: the blocks follow each other). What rank i sends to
 * j and j receives from i must be equally many bytes. In place the receive counts are those sent
 * too, and must be symmetric. RETURN TUTTI_SUCCESS or an error code. After an error what was to be
 * received is undefined. ERRORS TUTTI_ERR_BUFFER              a buffer or an array of counts is
 * NULL where it is needed; MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the
 * send and the receive buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count
 * is negative or too large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   TUTTI_ERR_DISPLACEMENT        blocks of the receive buffer overlap.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_alltoall(3)
 */
TUTTI_API int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count* recvcounts, const MPI_Count* rdispls,
                              MPI_Datatype recvtype, tutti_comm comm);

/*
 * NAME
 *   tutti_reduce - combine what all ranks have, at the root
 * SYNOPSIS
 *   int tutti_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op
 * op, int root, tutti_comm comm); DESCRIPTION Element by element, x0 op x1 op … of the ranks'
 * `sendbuf`, at the root's `recvbuf` (ignored elsewhere). As MPI_Reduce. With MPI_IN_PLACE as the
 * root's `sendbuf` its contribution is at `recvbuf`. `op` is any predefined operation on a type
 * that MPI defines it on, or a user-defined one, commutative or not; operands keep the order of
 * ranks where it is not. Contiguous predefined types are combined by loops of Tutti's own,
 * everything else through MPI_Reduce_local. The same inputs on the same P give the same bits each
 * time; with the setting `reproducible` also whatever the algorithm. RETURN TUTTI_SUCCESS or an
 * error code. After an error what was to be received is undefined. ERRORS TUTTI_ERR_BUFFER a buffer
 * or an array of counts is NULL where it is needed; MPI_IN_PLACE where it is not allowed.
 *   TUTTI_ERR_OVERLAP             the send and the receive buffer share bytes; use MPI_IN_PLACE.
 *   TUTTI_ERR_COUNT               a count is negative or too large.
 *   TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_ROOT                `root` is not a rank of `comm`.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_allreduce(3), tutti_reduce_scatter(3)
 */
TUTTI_API int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root, tutti_comm comm);

/*
 * NAME
 *   tutti_allreduce - combine what all ranks have, on every rank
 * SYNOPSIS
 *   int tutti_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type,
 * MPI_Op op, tutti_comm comm); DESCRIPTION As tutti_reduce, with the result on every rank. As
 * MPI_Allreduce. With MPI_IN_PLACE as `sendbuf` (on all ranks) the contribution is at `recvbuf`.
 *   `op` is any predefined operation on a type that MPI defines it on, or a user-defined one,
 * commutative or not; operands keep the order of ranks where it is not. Contiguous predefined types
 * are combined by loops of Tutti's own, everything else through MPI_Reduce_local. The same inputs
 * on the same P give the same bits each time and on every rank; with the setting `reproducible`
 * also whatever the algorithm. RETURN TUTTI_SUCCESS or an error code. After an error what was to be
 * received is undefined. ERRORS TUTTI_ERR_BUFFER              a buffer or an array of counts is
 * NULL where it is needed; MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the
 * send and the receive buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count
 * is negative or too large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_reduce(3)
 */
TUTTI_API int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count,
                              MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_reduce_scatter_block - combine what all ranks have, and give every rank one block of the
 * result SYNOPSIS int tutti_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count
 * recvcount, MPI_Datatype type, MPI_Op op, tutti_comm comm); DESCRIPTION `sendbuf` has P blocks of
 * `recvcount` elements; rank i's `recvbuf` becomes block i of the combination. As
 *   MPI_Reduce_scatter_block. With MPI_IN_PLACE as `sendbuf` (on all ranks) the P blocks are at
 * `recvbuf`, and the result stands at its beginning; the rest of it is undefined. `op` is any
 * predefined operation on a type that MPI defines it on, or a user-defined one, commutative or not;
 * operands keep the order of ranks where it is not. Contiguous predefined types are combined by
 * loops of Tutti's own, everything else through MPI_Reduce_local. The same inputs on the same P
 * give the same bits each time; with the setting `reproducible` also whatever the algorithm. RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_reduce_scatter(3)
 */
TUTTI_API int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_reduce_scatter - combine what all ranks have, and give every rank one block of the
 * result, blocks of different lengths SYNOPSIS int tutti_reduce_scatter(const void *sendbuf, void
 * *recvbuf, const MPI_Count *recvcounts, MPI_Datatype type, MPI_Op op, tutti_comm comm);
 * DESCRIPTION
 *   As tutti_reduce_scatter_block; block i has `recvcounts[i]` elements. The array has P entries
 * and is the same on all ranks. `op` is any predefined operation on a type that MPI defines it on,
 * or a user-defined one, commutative or not; operands keep the order of ranks where it is not.
 * Contiguous predefined types are combined by loops of Tutti's own, everything else through
 * MPI_Reduce_local. The same inputs on the same P give the same bits each time; with the setting
 *   `reproducible` also whatever the algorithm.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_reduce_scatter_block(3)
 */
TUTTI_API int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                                   MPI_Datatype type, MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_scan - combine what the ranks up to this one have
 * SYNOPSIS
 *   int tutti_scan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op
 * op, tutti_comm comm); DESCRIPTION Rank r's `recvbuf` becomes x0 op … op xr. As MPI_Scan.
 * MPI_IN_PLACE as `sendbuf` (on all ranks): the contribution is at `recvbuf`. `op` is any
 * predefined operation on a type that MPI defines it on, or a user-defined one, commutative or not;
 * operands keep the order of ranks where it is not. Contiguous predefined types are combined by
 * loops of Tutti's own, everything else through MPI_Reduce_local. The same inputs on the same P
 * give the same bits each time; with the setting `reproducible` also whatever the algorithm. RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_exscan(3)
 */
TUTTI_API int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                         MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_exscan - combine what the ranks before this one have
 * SYNOPSIS
 *   int tutti_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op
 * op, tutti_comm comm); DESCRIPTION Rank r's `recvbuf` becomes x0 op … op x(r−1); on rank 0 it is
 * left as it is, and may be NULL. As MPI_Exscan. MPI_IN_PLACE as `sendbuf` (on all ranks): the
 * contribution is at `recvbuf`. `op` is any predefined operation on a type that MPI defines it on,
 * or a user-defined one, commutative or not; operands keep the order of ranks where it is not.
 * Contiguous predefined types are combined by loops of Tutti's own, everything else through
 * MPI_Reduce_local. The same inputs on the same P give the same bits each time; with the setting
 *   `reproducible` also whatever the algorithm.
 * RETURN
 *   TUTTI_SUCCESS or an error code. After an error what was to be received is undefined.
 * ERRORS
 *   TUTTI_ERR_BUFFER              a buffer or an array of counts is NULL where it is needed;
 * MPI_IN_PLACE where it is not allowed. TUTTI_ERR_OVERLAP             the send and the receive
 * buffer share bytes; use MPI_IN_PLACE. TUTTI_ERR_COUNT               a count is negative or too
 * large. TUTTI_ERR_TYPE                a type is MPI_DATATYPE_NULL or invalid.
 *   TUTTI_ERR_TYPE_NOT_COMMITTED  call MPI_Type_commit first.
 *   TUTTI_ERR_OP                  MPI does not define `op` on `type`, or it is MPI_OP_NULL.
 *   TUTTI_ERR_OP_FAILED           a user-defined operation failed.
 *   TUTTI_ERR_UNSUPPORTED         elements of `type` overlap each other.
 *   TUTTI_ERR_SIZE_MISMATCH       sent and received bytes of a block differ, here or at a peer.
 *   and those of tutti_barrier(3).
 * THREADS
 *   One collective at a time for each communicator.
 * SEE ALSO
 *   tutti_scan(3)
 */
TUTTI_API int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, tutti_comm comm);

/*
 * NAME
 *   tutti_describe - what Tutti does and holds, as JSON
 * SYNOPSIS
 *   int tutti_describe(tutti_comm comm, char *text, size_t size, size_t *needed);
 * DESCRIPTION
 *   Writes a JSON object with version, settings, transports, device, connections, bytes held,
 * counters, and, if `comm` is not TUTTI_COMM_NULL, the communicator's size, nodes, and for each
 * collective the algorithm that ran last and the digest of its schedule. At most `size` bytes are
 * written, with the terminating zero; *needed (if not NULL) becomes the length without it. `text`
 * may be NULL if `size` is 0. Local; not for the fast path. RETURN TUTTI_SUCCESS or an error code.
 * ERRORS
 *   TUTTI_ERR_NOT_INITIALIZED  tutti_init was not called.
 *   TUTTI_ERR_COMM             `comm` is freed.
 *   TUTTI_ERR_BUFFER           `text` is NULL and `size` is not 0.
 * THREADS
 *   Any.
 * SEE ALSO
 *   tutti(1)
 */
TUTTI_API int tutti_describe(tutti_comm comm, char* text, size_t size, size_t* needed);

/*
 * NAME
 *   tutti_error_string - what an error code means
 * SYNOPSIS
 *   const char *tutti_error_string(int code);
 * DESCRIPTION
 *   A sentence in static memory, never NULL; for an unknown code it says so. May be called at any
 * time. RETURN The sentence. THREADS Any. SEE ALSO tutti_last_error_message(3)
 */
TUTTI_API const char* tutti_error_string(int code);

/*
 * NAME
 *   tutti_last_error_message - what happened in the last failed call of this thread
 * SYNOPSIS
 *   const char *tutti_last_error_message(void);
 * DESCRIPTION
 *   What happened, to which peer, and what to do. Empty if no call of this thread has failed. Owned
 * by Tutti; valid until this thread's next failing call. RETURN The message, never NULL. THREADS
 *   Each thread has its own.
 * SEE ALSO
 *   tutti_error_string(3)
 */
TUTTI_API const char* tutti_last_error_message(void);

#ifdef __cplusplus
}
#endif
#endif
