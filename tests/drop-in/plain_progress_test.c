/* MPI's progress rule: a rank that has begun collectives and then sits somewhere else, in a
 * function of MPI's or in none, keeps nobody from waiting for its own part of them. */
#include <sched.h>

#include "plain.h"

enum { INTS = 60000 };
enum { RECEIVE, SENDRECV, PROBE, SSEND, FENCE, FILE_WRITE, DUP, SPLIT, BARRIER, COMPUTE, PLACES };

static int in[INTS], out[INTS];
static MPI_Win shared;       /* a counter on rank 0 that all ranks of the machine see */
static int* done;            /* it: how many ranks have waited for their part */
static MPI_Comm comm, fresh; /* the first collective of `fresh` is the MPI's */
static MPI_File file;

/* Until the others say that they have waited, each in its own way. */
static void sit(int place) {
  int x = 0;
  MPI_Status status;
  MPI_Comm made;
  switch (place) {
    case RECEIVE:
      for (int p = 0; p < size; ++p)
        if (p != rank) MPI_Recv(&x, 1, MPI_INT, p, place, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case SENDRECV:
      for (int p = 0; p < size; ++p)
        if (p != rank)
          MPI_Sendrecv(&rank, 1, MPI_INT, p, place, &x, 1, MPI_INT, p, place, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
      break;
    case PROBE:
      for (int p = 0; p < size; ++p) {
        if (p == rank) continue;
        MPI_Probe(p, place, MPI_COMM_WORLD, &status);
        MPI_Recv(&x, 1, MPI_INT, p, place, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      break;
    case SSEND:
      for (int p = 0; p < size; ++p)
        if (p != rank) MPI_Ssend(&rank, 1, MPI_INT, p, place, MPI_COMM_WORLD);
      break;
    case FENCE: MPI_Win_fence(0, shared); break;
    case FILE_WRITE:
      MPI_File_write_at_all(file, rank, &place, 1, MPI_CHAR, MPI_STATUS_IGNORE);
      break;
    case DUP:
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
      MPI_Comm_free(&made);
      break;
    case SPLIT:
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made);
      MPI_Comm_free(&made);
      break;
    case BARRIER: MPI_Barrier(fresh); break;
    default:
      while (__atomic_load_n(done, __ATOMIC_ACQUIRE) < size - 1) sched_yield();
  }
}

/* Lets the rank `lazy` leave sit(). */
static void release(int place, int lazy) {
  int x = 0;
  switch (place) {
    case RECEIVE:
    case PROBE: MPI_Send(&rank, 1, MPI_INT, lazy, place, MPI_COMM_WORLD); break;
    case SSEND: MPI_Recv(&x, 1, MPI_INT, lazy, place, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
    case SENDRECV:
      MPI_Sendrecv(&rank, 1, MPI_INT, lazy, place, &x, 1, MPI_INT, lazy, place, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      break;
    case COMPUTE: __atomic_add_fetch(done, 1, __ATOMIC_RELEASE); break;
    default: sit(place);
  }
}

static void fill(int count) {
  for (int i = 0; i < count; ++i) {
    in[i] = rank + i;
    out[i] = -1;
  }
}

static void check_sums(int place, int count) {
  for (int i = 0; i < count; ++i)
    CHECK(out[i] == size * (size - 1) / 2 + size * i, "place %d: element %d is %d", place, i,
          out[i]);
}

static void begin_and_sit(int place, int lazy, int count) {
  MPI_Request requests[3];
  fill(count);
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, comm, &requests[1]);
  MPI_Ibarrier(comm, &requests[2]);
  if (rank == lazy) sit(place);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  if (rank != lazy) release(place, lazy);
  check_sums(place, count);
}

static void add(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}

/* A rank that waits in a collective goes on with what it has begun: also where that is the
 * communicator's first one of Tutti's. */
static void sits_in_first_collective(MPI_Op op, int lazy) {
  MPI_Request request;
  int x = 0;
  fill(INTS);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &fresh);
  MPI_Barrier(fresh); /* the MPI's */
  /* the lazy rank begins first, so nothing of its part is done when it sits down */
  if (rank != lazy) MPI_Recv(&x, 1, MPI_INT, lazy, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(in, out, INTS, MPI_INT, op, comm, &request);
  for (int p = 0; rank == lazy && p < size; ++p)
    if (p != lazy) MPI_Send(&x, 1, MPI_INT, p, 0, MPI_COMM_WORLD);
  if (rank == lazy) MPI_Barrier(fresh);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank != lazy) MPI_Barrier(fresh);
  check_sums(PLACES, INTS);
  MPI_Comm_free(&fresh);
}

/* The lazy rank begins first, so nothing of its part is done when it sits down. */
static void sits_beside_operation(int place, int lazy, MPI_Op op, MPI_Datatype type,
                                  const void* from, void* to) {
  MPI_Request request;
  int x = 0, width = 1;
  MPI_Type_size(type, &width);
  if (rank != lazy) MPI_Recv(&x, 1, MPI_INT, lazy, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Iallreduce(from, to, INTS * (int)sizeof(int) / width, type, op, comm, &request);
  for (int p = 0; rank == lazy && p < size; ++p)
    if (p != lazy) MPI_Send(&x, 1, MPI_INT, p, 0, MPI_COMM_WORLD);
  if (rank == lazy) sit(place);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank != lazy) release(place, lazy);
}

/* An operation of the program's is called while the rank is in a function of MPI's. */
static void sits_beside_function(int place, int lazy, MPI_Op op) {
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &fresh);
  fill(INTS);
  sits_beside_operation(place, lazy, op, MPI_INT, in, out);
  check_sums(place, INTS);
  MPI_Comm_free(&fresh);
}

static int copy_nothing(MPI_Comm from, int key, void* extra, void* value, void* copy, int* copied) {
  (void)from, (void)key, (void)extra, (void)value, (void)copy;
  *copied = 0;
  return MPI_SUCCESS;
}

/* These copy no attribute by a function of the program's. Its own address is fixed, and so theirs
 * may be addresses in the program. */
static void use_functions_of_mpi(MPI_Op op) {
  int keys[2], one = 1, sum = 0;
  MPI_Request request;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[0], NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keys[1], NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_free_keyval(&keys[i]);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_SELF, &request); /* calls no operation */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(sum == 1, "the sum is %d", sum);
}

/* The program has a function that copies attributes: in these functions the MPI never calls it. */
static void sits_beside_copying(MPI_Op op) {
  const int places[] = {RECEIVE, SENDRECV, PROBE, SSEND, FENCE, FILE_WRITE, SPLIT, BARRIER};
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  for (int lazy = 0; lazy < size; ++lazy)
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; ++i)
      sits_beside_function(places[i], lazy, op);
  MPI_Comm_free_keyval(&key);
}

/* Predefined operations need no function of the program's, whatever they work on. */
static void sits_beside_fortran(int lazy) {
  static float pairs[INTS], least[INTS];
  if (MPI_LOGICAL == MPI_DATATYPE_NULL) return; /* an MPI without Fortran */
  for (int i = 0; i < INTS; ++i) in[i] = rank == i % size, out[i] = -1;
  sits_beside_operation(RECEIVE, lazy, MPI_LOR, MPI_LOGICAL, in, out);
  for (int i = 0; i < INTS; ++i) CHECK(out[i] == 1, "logic: element %d is %d", i, out[i]);
  for (int i = 0; i < INTS; ++i) pairs[i] = (float)(i % 2 ? rank : rank != i / 2 % size);
  sits_beside_operation(RECEIVE, lazy, MPI_MINLOC, MPI_2REAL, pairs, least);
  for (int i = 0; i < INTS; ++i)
    CHECK(least[i] == (float)(i % 2 ? i / 2 % size : 0), "pairs: element %d is %g", i, least[i]);
}

int main(int argc, char** argv) {
  char name[64] = "";
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  if (rank == 0) snprintf(name, sizeof name, "/tmp/plain_progress.%d", (int)getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, 1, MPI_INFO_NULL, comm, &done, &shared);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(shared, 0, &bytes, &unit, &done);
  MPI_Win_fence(0, shared);
  for (int place = 0; place < PLACES; ++place)
    for (int lazy = 0; lazy < size; ++lazy)
      for (int count = size; count <= INTS; count += INTS - size) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &fresh);
        if (rank == 0) *done = 0;
        MPI_Barrier(comm);
        begin_and_sit(place, lazy, count);
        MPI_Barrier(comm);
        MPI_Comm_free(&fresh);
      }
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  use_functions_of_mpi(op);
  for (int lazy = 0; lazy < size; ++lazy) {
    sits_in_first_collective(op, lazy);
    for (int place = 0; place < COMPUTE; ++place) sits_beside_function(place, lazy, op);
  }
  sits_beside_copying(op);
  MPI_Op_free(&op);
  for (int lazy = 0; lazy < size; ++lazy) sits_beside_fortran(lazy);
  MPI_Win_free(&shared);
  MPI_File_close(&file);
  MPI_Comm_free(&comm);
  finish("plain_progress");
  return 0;
}
