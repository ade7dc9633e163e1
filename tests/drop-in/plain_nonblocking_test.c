/* Every non-blocking collective, in its plain form and, where the MPI has it, its large-count form:
 * all of them in flight at once, in one array with messages, completed by each function that waits
 * or tests, with results that are computed here. With an argument, rank 0 prints how often it has
 * called each. Compiled with PERSISTENT: every persistent one, started again and again. */
#include "nonblocking/buffers.h"

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
#define MUST(call)                                            \
  do {                                                        \
    const int code_ = (call);                                 \
    CHECK(code_ == MPI_SUCCESS, "%s gives %d", #call, code_); \
  } while (0)

static void add(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

#ifdef PERSISTENT
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define REQUEST(begin, init, ...) CALL_OF(MPIX_##init, __VA_ARGS__, MPI_INFO_NULL, request)
#else
#define REQUEST(begin, init, ...) CALL(init, __VA_ARGS__, MPI_INFO_NULL, request)
#endif
#define MESSAGE(begin, init, ...) MUST(MPI_##init(__VA_ARGS__, request))
#define IS_COMPLETE(request) ((request) != MPI_REQUEST_NULL)
#else
#define REQUEST(begin, init, ...) CALL(begin, __VA_ARGS__, request)
#define MESSAGE(begin, init, ...) MUST(MPI_##begin(__VA_ARGS__, request))
#define IS_COMPLETE(request) ((request) == MPI_REQUEST_NULL)
#endif
/* `N` is int or MPI_Count; _c or nothing is the suffix, also of the arrays in `at`. */
#define FORMS(suffix, N)                                                                           \
  static void start##suffix(int k, N n, int root, MPI_Comm comm, MPI_Request* request) {           \
    const int at_root = r == root;                                                                 \
    int *const in = at[k].in, *const out = at[k].out;                                              \
    MPI_Op op;                                                                                     \
    MPI_Datatype type;                                                                             \
    switch (k) {                                                                                   \
      case BARRIER: REQUEST(Ibarrier, Barrier_init, comm); break;                                  \
      case BCAST: REQUEST(Ibcast##suffix, Bcast_init##suffix, out, n, MPI_INT, root, comm); break; \
      case GATHER:                                                                                 \
        REQUEST(Igather##suffix, Gather_init##suffix, in, n, MPI_INT, out, n, MPI_INT, root,       \
                comm);                                                                             \
        break;                                                                                     \
      case GATHERV:                                                                                \
        REQUEST(Igatherv##suffix, Gatherv_init##suffix, in, at[k].counts##suffix[r], MPI_INT,      \
                at_root ? out : NULL, at_root ? at[k].counts##suffix : NULL,                       \
                at_root ? at[k].places##suffix : NULL, at_root ? MPI_INT : MPI_DATATYPE_NULL,      \
                root, comm);                                                                       \
        break;                                                                                     \
      case SCATTER: /* its type is freed before the data have arrived */                           \
        MUST(MPI_Type_vector(1, (int)n, (int)n, MPI_INT, &type));                                  \
        MUST(MPI_Type_commit(&type));                                                              \
        REQUEST(Iscatter##suffix, Scatter_init##suffix, in, n, MPI_INT, out, 1, type, root, comm); \
        MUST(MPI_Type_free(&type));                                                                \
        break;                                                                                     \
      case SCATTERV:                                                                               \
        REQUEST(Iscatterv##suffix, Scatterv_init##suffix, at_root ? in : NULL,                     \
                at_root ? at[k].counts##suffix : NULL, at_root ? at[k].places##suffix : NULL,      \
                at_root ? MPI_INT : MPI_DATATYPE_NULL, out, at[k].counts##suffix[r], MPI_INT,      \
                root, comm);                                                                       \
        break;                                                                                     \
      case ALLGATHER:                                                                              \
        REQUEST(Iallgather##suffix, Allgather_init##suffix, in, n, MPI_INT, out, n, MPI_INT,       \
                comm);                                                                             \
        break;                                                                                     \
      case ALLGATHER_IN_PLACE:                                                                     \
        REQUEST(Iallgather##suffix, Allgather_init##suffix, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL,    \
                out, n, MPI_INT, comm);                                                            \
        break;                                                                                     \
      case ALLGATHERV:                                                                             \
        REQUEST(Iallgatherv##suffix, Allgatherv_init##suffix, in, at[k].counts##suffix[r],         \
                MPI_INT, out, at[k].counts##suffix, at[k].places##suffix, MPI_INT, comm);          \
        break;                                                                                     \
      case ALLTOALL:                                                                               \
        REQUEST(Ialltoall##suffix, Alltoall_init##suffix, in, n, MPI_INT, out, n, MPI_INT, comm);  \
        break;                                                                                     \
      case ALLTOALLV:                                                                              \
        REQUEST(Ialltoallv##suffix, Alltoallv_init##suffix, in, at[k].counts##suffix,              \
                at[k].places##suffix, MPI_INT, out, at[k].to_counts##suffix, at[k].places##suffix, \
                MPI_INT, comm);                                                                    \
        break;                                                                                     \
      case ALLTOALLW:                                                                              \
        REQUEST(Ialltoallw##suffix, Alltoallw_init##suffix, in, at[k].counts##suffix,              \
                at[k].byte_places##suffix, at[k].types, out, at[k].to_counts##suffix,              \
                at[k].byte_places##suffix, at[k].types, comm);                                     \
        break;                                                                                     \
      case REDUCE:                                                                                 \
        REQUEST(Ireduce##suffix, Reduce_init##suffix, in, out, n, MPI_INT, MPI_SUM, root, comm);   \
        break;                                                                                     \
      case ALLREDUCE:                                                                              \
        REQUEST(Iallreduce##suffix, Allreduce_init##suffix, in, out, n, MPI_INT, MPI_SUM, comm);   \
        break;                                                                                     \
      case ALLREDUCE_IN_PLACE:                                                                     \
        REQUEST(Iallreduce##suffix, Allreduce_init##suffix, MPI_IN_PLACE, out, n, MPI_INT,         \
                MPI_SUM, comm);                                                                    \
        break;                                                                                     \
      case ALLREDUCE_OF_OURS: /* by an operation that is freed at once */                          \
        MUST(MPI_Op_create(add, 0, &op));                                                          \
        REQUEST(Iallreduce##suffix, Allreduce_init##suffix, in, out, n, MPI_INT, op, comm);        \
        MUST(MPI_Op_free(&op));                                                                    \
        CHECK(op == MPI_OP_NULL, "MPI_Op_free leaves a handle");                                   \
        break;                                                                                     \
      case REDUCE_SCATTER:                                                                         \
        REQUEST(Ireduce_scatter##suffix, Reduce_scatter_init##suffix, in, out,                     \
                at[k].counts##suffix, MPI_INT, MPI_SUM, comm);                                     \
        break;                                                                                     \
      case REDUCE_SCATTER_BLOCK:                                                                   \
        REQUEST(Ireduce_scatter_block##suffix, Reduce_scatter_block_init##suffix, in, out, n,      \
                MPI_INT, MPI_SUM, comm);                                                           \
        break;                                                                                     \
      case SCAN:                                                                                   \
        REQUEST(Iscan##suffix, Scan_init##suffix, in, out, n, MPI_INT, MPI_SUM, comm);             \
        break;                                                                                     \
      case EXSCAN:                                                                                 \
        REQUEST(Iexscan##suffix, Exscan_init##suffix, in, out, n, MPI_INT, MPI_SUM, comm);         \
        break;                                                                                     \
      case RECEIVE:                                                                                \
        MESSAGE(Irecv, Recv_init, out, (int)n, MPI_INT, (r + P - 1) % P, 7, comm);                 \
        break;                                                                                     \
      default: MESSAGE(Isend, Send_init, in, (int)n, MPI_INT, (r + 1) % P, 7, comm);               \
    }                                                                                              \
  }
FORMS(, int)
#if MPI_VERSION >= 4
FORMS(_c, MPI_Count)
#else
#define start_c start
#endif

/* The requests that complete, by whatever function; each once. */
static int done[KINDS];
static void complete(int k, const int* order, MPI_Request* requests) {
  CHECK(k >= 0 && k < KINDS && !done[order[k]], "request %d is completed twice", k);
  CHECK(IS_COMPLETE(requests[k]), "request %d is complete, and its handle is not so", k);
  done[order[k]] = 1;
}

enum { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME, GET_STATUS, WAYS };
static void finish_all(int way, const int* order, MPI_Request* requests) {
  MPI_Status statuses[KINDS];
  int indices[KINDS], some = 0, index = 0, flag = 0;
  memset(done, 0, sizeof done);
  for (int left = KINDS; left > 0;) {
    switch (way) {
      case WAIT:
        MUST(MPI_Wait(&requests[left - 1], left % 2 ? MPI_STATUS_IGNORE : statuses));
        complete(--left, order, requests);
        break;
      case WAITALL: MUST(MPI_Waitall(KINDS, requests, left % 2 ? statuses : MPI_STATUSES_IGNORE));
      /* fall through */
      case TESTALL:
        for (flag = way == WAITALL; !flag;)
          MUST(MPI_Testall(KINDS, requests, &flag, MPI_STATUSES_IGNORE));
        while (left > 0) complete(--left, order, requests);
        break;
      case WAITANY:
        MUST(MPI_Waitany(KINDS, requests, &index, statuses));
        complete(index, order, requests);
        --left;
        break;
      case TESTANY:
        MUST(MPI_Testany(KINDS, requests, &index, &flag, MPI_STATUS_IGNORE));
        CHECK(!flag || index != MPI_UNDEFINED, "nothing is left of %d", left);
        if (flag) complete(index, order, requests);
        left -= flag;
        break;
      case WAITSOME:
      case TESTSOME:
        if (way == WAITSOME)
          MUST(MPI_Waitsome(KINDS, requests, &some, indices, statuses));
        else
          MUST(MPI_Testsome(KINDS, requests, &some, indices, MPI_STATUSES_IGNORE));
        CHECK(some != MPI_UNDEFINED && (some > 0 || way == TESTSOME), "some are %d", some);
        for (int i = 0; i < some; ++i) complete(indices[i], order, requests);
        left -= some;
        break;
      case TEST:
        index = (index + 1) % KINDS;
        if (done[order[index]]) break;
        MUST(MPI_Test(&requests[index], &flag, statuses));
        if (flag) complete(index, order, requests);
        left -= flag;
        break;
      default:
        do MUST(MPI_Request_get_status(requests[left - 1], &flag, statuses));
        while (!flag);
        MUST(MPI_Test(&requests[left - 1], &flag, statuses));
        CHECK(flag, "a request whose status is there is not complete");
        complete(--left, order, requests);
    }
  }
  if (way == WAITANY) MUST(MPI_Waitany(KINDS, requests, &index, MPI_STATUS_IGNORE));
  CHECK(way != WAITANY || index == MPI_UNDEFINED, "there is nothing left to wait for");
}

static unsigned random_state = 1;
static int random_below(int limit) {
  random_state = random_state * 1103515245u + 12345u;
  return (int)(random_state / 65536u % (unsigned)limit);
}

static void finish_and_check(int way, const int* order, MPI_Request* requests, int n, int root,
                             MPI_Comm comm) {
  int one = 1, ones = 0; /* a blocking call between */
  CALL(Allreduce, &one, &ones, 1, MPI_INT, MPI_SUM, comm);
  CHECK(ones == P, "%d of %d ranks", ones, P);
  finish_all(way, order, requests);
  for (int k = 0; k < KINDS; ++k) check(k, n, root);
}

static void on(MPI_Comm comm) {
  static const int lengths[] = {1, 17, LONG};
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &P);
  CHECK(P <= MOST, "the test has room for %d ranks", MOST);
  CALL(Barrier, comm); /* the drop-in looks at a new communicator in a call that may wait */
  for (int way = 0; way < WAYS; ++way)
    for (int l = 0; l < 3; ++l) {
      MPI_Request requests[KINDS];
      int order[KINDS];
      const int n = lengths[l], root = (way + l) % P;
      for (int k = 0; k < KINDS; ++k) {
        order[k] = k;
        fill(k, n, root);
      }
      for (int k = KINDS - 1; k > 0; --k) { /* alike on all ranks */
        const int other = random_below(k + 1), kind = order[k];
        order[k] = order[other];
        order[other] = kind;
      }
      for (int k = 0; k < KINDS; ++k)
        if (way % 2)
          start_c(order[k], n, root, comm, &requests[k]);
        else
          start(order[k], n, root, comm, &requests[k]);
#ifdef PERSISTENT
      for (int again = 0; again < 3; ++again) {
        for (int k = 0; k < KINDS; ++k) fill(k, n, root);
        for (int k = 0; again == 1 && k < KINDS; ++k) MUST(MPI_Start(&requests[k]));
        if (again != 1) MUST(MPI_Startall(KINDS, requests));
        finish_and_check(way, order, requests, n, root, comm);
      }
      for (int k = 0; k < KINDS; ++k) MUST(MPI_Request_free(&requests[k]));
      for (int k = 0; k < KINDS; ++k) CHECK(requests[k] == MPI_REQUEST_NULL, "it is not freed");
#else
      finish_and_check(way, order, requests, n, root, comm);
#endif
    }
}

/* Types of the program's in its operation: it gets the handle that the call got. Their attributes
 * are copied by no call, and they may be freed when it has begun. */
static MPI_Datatype pair;
static int strange_types;
static void add_pairs(void* in, void* inout, int* n, MPI_Datatype* type) {
  strange_types += *type != pair;
  for (int i = 0; i < 2 * *n; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
static int no_copy(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  CHECK(0, "the attribute of a type is copied");
  return MPI_ERR_OTHER;
}
static void types_of_operations(void) {
  MPI_Op op;
  MPI_Request one_request, *const request = &one_request;
  int key, in[4] = {1, 2, 3, 4}, out[4] = {0};
  MUST(MPI_Type_create_keyval(no_copy, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
  MUST(MPI_Type_contiguous(2, MPI_INT, &pair));
  MUST(MPI_Type_commit(&pair));
  MUST(MPI_Type_set_attr(pair, key, NULL));
  MUST(MPI_Op_create(add_pairs, 1, &op));
  REQUEST(Iallreduce, Allreduce_init, in, out, 2, pair, op, MPI_COMM_WORLD);
  MPI_Datatype freed = pair;
  MUST(MPI_Type_free(&freed));
#ifdef PERSISTENT
  MUST(MPI_Start(request));
#endif
  MUST(MPI_Wait(request, MPI_STATUS_IGNORE));
#ifdef PERSISTENT
  MUST(MPI_Request_free(request));
#endif
  for (int i = 0; i < 4; ++i) CHECK(out[i] == size * in[i], "sum %d is %d", i, out[i]);
  CHECK(strange_types == 0, "the operation got another type %d times", strange_types);
  MUST(MPI_Op_free(&op));
  MUST(MPI_Type_free_keyval(&key));
}

#ifdef PERSISTENT
/* Made in one order by all ranks, and started in an order of each rank's own, also with respect to
 * a call that is not persistent (MPI 4.0, section 6.13). */
static void start_in_any_order(MPI_Comm comm) {
  enum { REQUESTS = 5 };
  MPI_Request requests[REQUESTS + 1];
  int in[REQUESTS], sums[REQUESTS], ones = 0;
  const int one = 1;
  for (int k = 0; k < REQUESTS; ++k) {
    MPI_Request* const request = &requests[k];
    REQUEST(Iallreduce, Allreduce_init, &in[k], &sums[k], 1, MPI_INT, MPI_SUM, comm);
  }
  for (int again = 0; again < 4; ++again) {
    for (int k = 0; k < REQUESTS; ++k) {
      in[k] = 1000 * k + again;
      sums[k] = -1;
    }
    for (int k = 0; k < REQUESTS; ++k) {
      if (k == rank % REQUESTS)
        CALL(Iallreduce, &one, &ones, 1, MPI_INT, MPI_SUM, comm, &requests[REQUESTS]);
      const int other = again == 1 ? REQUESTS - 1 - k : (k + again) % REQUESTS;
      MUST(MPI_Start(&requests[rank % 2 ? other : k]));
    }
    MUST(MPI_Waitall(REQUESTS + 1, requests, MPI_STATUSES_IGNORE));
    CHECK(ones == size, "%d ones", ones);
    for (int k = 0; k < REQUESTS; ++k)
      CHECK(sums[k] == size * in[k], "start %d, request %d: %d", again, k, sums[k]);
  }
  for (int k = 0; k < REQUESTS; ++k) MUST(MPI_Request_free(&requests[k]));
}
#else
/* The communicator and a message's request are freed while they are in use. */
static void freed_early(void) {
  MPI_Comm copy;
  MPI_Request requests[3];
  int one = 1, ones = 0, got = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  CALL(Barrier, copy);
  CALL(Iallreduce, &one, &ones, 1, MPI_INT, MPI_SUM, copy, &requests[0]);
  MUST(MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, copy, &requests[1]));
  MUST(MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, copy, &requests[2]));
  MUST(MPI_Request_free(&requests[2]));
  MUST(MPI_Comm_free(&copy));
  CALL(Barrier, MPI_COMM_WORLD);
  MUST(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  CHECK(ones == size && got == (rank + size - 1) % size, "%d ones, %d", ones, got);
}

/* The operation of two calls is freed before either is complete. */
static void freed_operation(void) {
  MPI_Op op;
  MPI_Request requests[2];
  int ones[3] = {1, 1, 1}, sums[2][3] = {{0}};
  MUST(MPI_Op_create(add, 1, &op));
  CALL(Iallreduce, ones, sums[0], 3, MPI_INT, op, MPI_COMM_WORLD, &requests[0]);
  CALL(Iallreduce, ones, sums[1], 3, MPI_INT, op, MPI_COMM_WORLD, &requests[1]);
  MUST(MPI_Op_free(&op));
  for (int i = 0; i < 2; ++i) {
    MUST(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int k = 0; k < 3; ++k)
      CHECK(sums[i][k] == size, "call %d, element %d: %d", i, k, sums[i][k]);
  }
}
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm copy, backward;
  MUST(MPI_Type_contiguous(1, MPI_INT, &own_int));
  MUST(MPI_Type_commit(&own_int));
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backward);
  on(MPI_COMM_WORLD);
  on(copy);
  on(backward);
#ifdef PERSISTENT
  start_in_any_order(MPI_COMM_WORLD);
  start_in_any_order(copy);
  start_in_any_order(backward);
  MPI_Comm twice; /* a duplicate of a duplicate, which has no numbers for copies of its own */
  MPI_Comm_dup(copy, &twice);
  start_in_any_order(twice);
  MPI_Comm_free(&twice);
#endif
  MPI_Comm_free(&backward);
  MPI_Comm_free(&copy);
  types_of_operations();
#ifndef PERSISTENT
  for (int i = 0; i < 10; ++i) freed_early();
  for (int i = 0; i < 10; ++i) freed_operation();
#endif
  MPI_Type_free(&own_int);
  for (int i = 0; argc > 1 && rank == 0 && names[i]; ++i)
    printf("called %s %d\n", names[i], calls[i]);
  finish("plain_requests");
  return 0;
}
