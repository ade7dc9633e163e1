/* The calls of plain_nonblocking_test by their kinds: their buffers, and the results that they must
 * have. */
#ifndef TUTTI_TESTS_NONBLOCKING_BUFFERS_H
#define TUTTI_TESTS_NONBLOCKING_BUFFERS_H

#include "../plain.h"

enum { MOST = 8, LONG = 3000, ROOM = LONG * MOST };
enum {
  BARRIER,
  BCAST,
  GATHER,
  GATHERV,
  SCATTER,
  SCATTERV,
  ALLGATHER,
  ALLGATHER_IN_PLACE,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  REDUCE,
  ALLREDUCE,
  ALLREDUCE_IN_PLACE,
  ALLREDUCE_OF_OURS,
  REDUCE_SCATTER,
  REDUCE_SCATTER_BLOCK,
  SCAN,
  EXSCAN,
  RECEIVE,
  SEND,
  KINDS
};

extern int r, P; /* rank and size of the communicator */
extern MPI_Datatype own_int;
typedef struct {
  int in[ROOM], out[ROOM], counts[MOST], places[MOST], to_counts[MOST], byte_places[MOST];
  MPI_Datatype types[MOST]; /* the MPI reads arrays, this one too, until the call is complete */
#if MPI_VERSION >= 4
  MPI_Count counts_c[MOST], to_counts_c[MOST];
  MPI_Aint places_c[MOST], byte_places_c[MOST];
#endif
} buffers;
extern buffers at[KINDS];

/* The arguments of a call of `n` elements a block. */
void fill(int kind, int n, int root);
/* Its result. */
void check(int kind, int n, int root);

#endif
