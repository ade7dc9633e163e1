/* Every collective as one call with one kind of arguments, so that what can be wrong with it is
 * written once for all. */
#ifndef TUTTI_TESTS_ERRORS_CALLS_H
#define TUTTI_TESTS_ERRORS_CALLS_H

#include "../job.h"

enum { MOST = 8, N = 5, LONG = 8192, ROOT = 0 };

/* The ranks at which a side of a collective counts. */
enum side { NOBODY, AT_ROOT, AT_ALL };

typedef enum {
  BCAST,
  SCATTER,
  SCATTERV,
  GATHER,
  GATHERV,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  ALLTOALLW,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER_BLOCK,
  REDUCE_SCATTER,
  SCAN,
  EXSCAN,
  KINDS
} kind;

/* Differences between them. `one`: count and type are given once, for both sides (in recv). */
extern const struct about {
  const char* name;
  enum side send, recv;
  int rooted, reduces, one, send_counts, recv_counts;
} about[KINDS];

typedef struct {
  void* buffer;
  MPI_Count count, *counts, *displs;
  MPI_Datatype type;
} end;
typedef struct {
  end send, recv;
  MPI_Op op;
  int root;
} arguments;

int call(kind k, const arguments* a, tutti_comm comm);

/* Arguments that are right. Before the buffers there is room for as many blocks again. */
arguments right(void);

/* The communicator still works. */
void works(tutti_comm comm);

/* From watch() to unwatch() a rank that hangs says in what, and ends the job. The limit is long, as
 * cores may be shared. */
void watch(const char* format, ...) __attribute__((format(printf, 1, 2)));
void unwatch(void);

#endif
