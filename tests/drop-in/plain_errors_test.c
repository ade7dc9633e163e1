/* Wrong arguments: the communicator's error handler is called once, with a class of MPI's; and what
 * MPIs take although the standard does not is taken.
 *
 *   plain_errors_test [fatal]     only one, that ends the program
 */
#include <fcntl.h>
#include <stdint.h>

#include "plain.h"

static int handled, handled_class;

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++handled;
  MPI_Error_class(*code, &handled_class);
}

static int class_of(int code) {
  int result = 0;
  MPI_Error_class(code, &result);
  return result;
}

/* With the handler of the user's, and with MPI_ERRORS_RETURN. */
#define GIVES(expected, call)                                                                     \
  do {                                                                                            \
    handled = 0;                                                                                  \
    int code_ = (call);                                                                           \
    CHECK(handled == 1, "%s: %d calls of the error handler", #call, handled);                     \
    CHECK(handled_class == (expected), "%s: class %d in the handler", #call, handled_class);      \
    CHECK(class_of(code_) == (expected), "%s: class %d", #call, class_of(code_));                 \
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);                                             \
    handled = 0;                                                                                  \
    code_ = (call);                                                                               \
    CHECK(handled == 0 && class_of(code_) == (expected), "%s: class %d", #call, class_of(code_)); \
    MPI_Comm_set_errhandler(comm, handler);                                                       \
  } while (0)
#define PASSES(call)                                                          \
  do {                                                                        \
    handled = 0;                                                              \
    const int code_ = (call);                                                 \
    CHECK(handled == 0 && code_ == MPI_SUCCESS, "%s gives %d", #call, code_); \
  } while (0)

static void refused(MPI_Comm comm, MPI_Errhandler handler) {
  int x = 0, y = 0;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  GIVES(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, size, comm));
  GIVES(MPI_ERR_ROOT, MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, -1, comm));
  GIVES(MPI_ERR_COUNT, MPI_Bcast(&x, -1, MPI_INT, 0, comm));
  GIVES(MPI_ERR_TYPE, MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, comm));
  GIVES(MPI_ERR_TYPE, MPI_Bcast(&x, 1, uncommitted, 0, comm));
  GIVES(MPI_ERR_OP, MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm));
  GIVES(MPI_ERR_TOPOLOGY, MPI_Neighbor_allgather(&x, 1, MPI_INT, &y, 1, MPI_INT, comm));
  MPI_Request request;
  GIVES(MPI_ERR_TOPOLOGY, MPI_Ineighbor_alltoall(&x, 1, MPI_INT, &y, 1, MPI_INT, comm, &request));
  GIVES(MPI_ERR_ROOT, MPI_Ibcast(&x, 1, MPI_INT, size, comm, &request));
  GIVES(MPI_ERR_OP, MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm, &request));
  int blocks[64] = {0};
  GIVES(MPI_ERR_TRUNCATE, MPI_Allgather(&x, 2, MPI_INT, blocks, 1, MPI_INT, comm));
#if MPI_VERSION >= 4
  GIVES(MPI_ERR_ROOT, MPI_Bcast_init(&x, 1, MPI_INT, size, comm, MPI_INFO_NULL, &request));
  GIVES(MPI_ERR_TYPE, MPI_Bcast_init(&x, 1, uncommitted, 0, comm, MPI_INFO_NULL, &request));
  GIVES(MPI_ERR_OP,
        MPI_Allreduce_init(&x, &y, 1, MPI_INT, MPI_OP_NULL, comm, MPI_INFO_NULL, &request));
#endif
  MPI_Type_free(&uncommitted);
#if MPI_VERSION >= 4
  MPI_Count counts[64];
  MPI_Aint places[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = PTRDIFF_MAX / 2; /* times the extent it does not fit */
  }
  GIVES(MPI_ERR_ARG, MPI_Allgatherv_c(&x, 1, MPI_INT, blocks, counts, places, MPI_INT, comm));
#endif
#ifdef MPICH
  int all[64] = {0}; /* a rank's own data are where they are to arrive */
  GIVES(MPI_ERR_BUFFER, MPI_Allgather(all + rank, 1, MPI_INT, all, 1, MPI_INT, comm));
  GIVES(MPI_ERR_BUFFER, MPI_Allreduce(&x, &x, 1, MPI_INT, MPI_SUM, comm));
#endif
}

/* All of these give the same under both MPIs. */
static void taken(MPI_Comm comm) {
  char c = 1, d = 0;
  PASSES(MPI_Allreduce(&c, &d, 1, MPI_CHAR, MPI_SUM, comm));
  CHECK(d == size, "the sum of characters is %d", d);
  c = 3;
  PASSES(MPI_Allreduce(&c, &d, 1, MPI_CHAR, MPI_BAND, comm));
  CHECK(d == 3, "the bits of characters are %d", d);

  /* All blocks at one place. */
  int x = 7, out[64];
  int counts[64], places[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    places[i] = 0;
  }
  PASSES(MPI_Allgatherv(&x, 1, MPI_INT, out, counts, places, MPI_INT, comm));
  CHECK(out[0] == 7, "blocks at one place: %d", out[0]);

  /* Pieces of a datatype that overlap where data arrive. */
  MPI_Datatype overlapping;
  MPI_Type_vector(2, 2, 1, MPI_INT, &overlapping);
  MPI_Type_commit(&overlapping);
  for (int i = 0; i < 3; ++i) out[i] = rank == 0 ? i : -1;
  PASSES(MPI_Bcast(out, 1, overlapping, 0, comm));
  CHECK(out[0] == 0 && out[1] == 1 && out[2] == 2, "pieces that overlap: %d %d", out[1], out[2]);
  MPI_Type_free(&overlapping);

  /* Buffers that share bytes. */
  int shared[65];
  for (int i = 0; i < 65; ++i) shared[i] = rank;
  PASSES(MPI_Allreduce(shared, shared + 1, 2, MPI_INT, MPI_SUM, comm));
  CHECK(shared[1] == size * (size - 1) / 2 && shared[2] == shared[1], "shared: %d", shared[1]);
  x = out[0] = 10 + rank; /* where the data of rank 0 are to arrive */
  PASSES(MPI_Allgather(rank == 0 ? &x : out, 1, MPI_INT, out, 1, MPI_INT, comm));
  for (int i = 0; i < size; ++i) CHECK(out[i] == 10 + i, "data from elsewhere: %d", out[i]);
#ifdef OPEN_MPI
  shared[0] = rank;
  PASSES(MPI_Allreduce(shared, shared, 1, MPI_INT, MPI_SUM, comm));
  CHECK(shared[0] == size * (size - 1) / 2, "the same buffer: %d", shared[0]);
#endif

  /* Nothing at all. */
  PASSES(MPI_Bcast(NULL, 0, MPI_INT, 0, comm));
  PASSES(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < size; ++i) counts[i] = 0;
  PASSES(MPI_Alltoallv(NULL, counts, places, MPI_INT, NULL, counts, places, MPI_INT, comm));
  PASSES(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, comm));
}

/* Where calls are compared, all ranks get the error. */
static void compared(MPI_Errhandler handler) {
  MPI_Comm comm;
  int x = 1, y = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  GIVES(MPI_ERR_TRUNCATE,
        MPI_Allreduce(&x, &y, 1, MPI_INT, rank == size - 1 ? MPI_MAX : MPI_SUM, comm));
  MPI_Comm_free(&comm);
}

/* Ranks that expect less than the root sends hear of it where they wait, along with a message. */
static void fails_later(MPI_Errhandler handler) {
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int data[2] = {1, 2}, got = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  MPI_Comm_set_errhandler(comm, handler);
  /* the root begins last: a rank that began after the others' error would have it at once */
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  PASSES(MPI_Ibcast(data, rank == 0 ? 2 : 1, MPI_INT, 0, comm, &requests[0]));
  if (rank > 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irecv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  const int code = MPI_Waitall(2, requests, statuses);
  CHECK(got == rank && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL,
        "all are complete");
  if (rank > 0) {
    CHECK(code == MPI_ERR_IN_STATUS && handled == 1, "code %d, %d calls", code, handled);
    CHECK(statuses[0].MPI_ERROR == handled_class && statuses[1].MPI_ERROR == MPI_SUCCESS,
          "statuses %d and %d", statuses[0].MPI_ERROR, statuses[1].MPI_ERROR);
    CHECK(size > 2 || handled_class == MPI_ERR_TRUNCATE, "class %d", handled_class);
  }
  MPI_Comm_free(&comm);
}

/* The program frees the communicator of a call in flight: its errors are still returned. */
static void fails_when_freed(void) {
  MPI_Comm comm;
  MPI_Request request;
  int data[2] = {1, 2};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  MPI_Barrier(comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD); /* as above */
  PASSES(MPI_Ibcast(data, rank == 0 ? 2 : 1, MPI_INT, 0, comm, &request));
  MPI_Comm_free(&comm);
  if (rank > 0) MPI_Barrier(MPI_COMM_WORLD);
  const int code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(rank == 0 || code != MPI_SUCCESS, "a call whose communicator is freed has not failed");
  CHECK(request == MPI_REQUEST_NULL, "it is complete");
}

/* Rank 0 refuses the first call of a duplicate, which the others have not made yet, and calls
 * nothing of Tutti's until they have heard of it. */
static void fails_early(MPI_Errhandler handler) {
  MPI_Comm comm;
  int one = 1, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  handled = 0;
  if (rank == 0) {
    const int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_OP_NULL, comm);
    CHECK(handled == 1 && class_of(code) == MPI_ERR_OP, "class %d", class_of(code));
    for (int peer = 1; peer < size; ++peer) MPI_Send(&one, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    for (int peer = 1; peer < size; ++peer)
      MPI_Recv(&one, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(handled == 1 && code != MPI_SUCCESS, "code %d, %d calls", code, handled);
    MPI_Send(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Comm_free(&comm);
}

static void add(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}

/* While a reduction by an operation of the program's is in flight, Tutti waits for messages: wrong
 * arguments are refused at once nevertheless, and nothing is sent then. */
static void refused_beside_operation(MPI_Errhandler handler) {
  enum { LONG = 1000000 };
  static char out[LONG], in[LONG];
  MPI_Comm comm;
  MPI_Op op;
  MPI_Request request;
  MPI_Status status;
  int one = 1, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Op_create(add, 1, &op);
  if (rank == 0) {
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
    GIVES(MPI_ERR_RANK,
          MPI_Sendrecv(out, LONG, MPI_CHAR, 1, 1, in, LONG, MPI_CHAR, size, 1, comm, &status));
    GIVES(MPI_ERR_TYPE,
          MPI_Sendrecv(out, 1, MPI_CHAR, 1, 1, in, 1, MPI_DATATYPE_NULL, 1, 1, comm, &status));
    GIVES(MPI_ERR_COUNT, MPI_Recv(in, -1, MPI_CHAR, 1, 1, comm, &status));
    out[0] = 1;
    PASSES(MPI_Send(out, 1, MPI_CHAR, 1, 1, comm));
  } else if (rank == 1) {
    PASSES(MPI_Recv(in, LONG, MPI_CHAR, 0, 1, comm, &status));
    CHECK(in[0] == 1, "a call that was refused has sent a message");
  }
  if (rank > 0) MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == size, "the sum is %d", sum);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
}

/* Ends the program, as MPI's own error handler does. `direct`: where errors are to be printed, past
 * mpiexec, which throws away what it has not passed on when the program ends. */
static void end_by_error(const char* direct) {
  if (direct) CHECK(dup2(open(direct, O_WRONLY), STDERR_FILENO) >= 0, "%s: not opened", direct);
  int x = 0;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  MPI_Bcast(&x, 1, uncommitted, 0, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "fatal") == 0) end_by_error(getenv("DIRECT"));
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  refused(comm, handler);
  taken(comm);
  refused(comm, handler); /* all ranks refuse: the communicator is as good as before */
  if (getenv("TUTTI_CHECK") && size > 1) compared(handler);
  if (size > 1) {
    fails_later(handler);
    fails_when_freed();
    fails_early(handler);
    refused_beside_operation(handler);
  }
  int one = 1, sum = 0;
  PASSES(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size, "the sum is %d", sum);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  finish("plain_errors");
  return 0;
}
