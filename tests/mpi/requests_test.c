/*
 * Calls that are begun and ended by different functions: many at a time, completed in any order,
 * started again and again; what may be freed meanwhile; and what is wrong to do with a request.
 */
#include "job.h"

enum { kInts = 3000, kMany = 24 };
static tutti_comm world, other;
static int sum_of_ranks;

static int value(int rank, int round, int i) { return rank * 1000003 + round * 101 + i; }
static void fill(int* place, int count, int rank, int round) {
  for (int i = 0; i < count; ++i) place[i] = value(rank, round, i);
}
static void holds_block(const char* what, const int* place, int count, int rank, int round) {
  for (int i = 0; i < count; ++i)
    CHECK(place[i] == value(rank, round, i), "%s, round %d: element %d of rank %d is %d, not %d",
          what, round, i, rank, place[i], value(rank, round, i));
}
static void holds_sum(const char* what, const int* place, int count, int round) {
  for (int i = 0; i < count; ++i) {
    const int sum = sum_of_ranks * 1000003 + job_size * (round * 101 + i);
    CHECK(place[i] == sum, "%s, round %d: element %d is %d, not %d", what, round, i, place[i], sum);
  }
}

static int* ints(int count) {
  int* const place = malloc((size_t)count * sizeof *place);
  CHECK(place, "no memory for the test");
  memset(place, 0xEE, (size_t)count * sizeof *place);
  return place;
}

/* --- one of several calls that are under way */

typedef struct {
  int kind, count, round;
  int *send, *receive;
  tutti_request request;
} operation;

enum { kKinds = 6 };

static void begin_operation(operation* o, tutti_comm comm) {
  const int root = o->round % job_size;
  o->send = ints(job_size * o->count);
  o->receive = ints(job_size * o->count);
  for (int r = 0; r < job_size; ++r)
    fill(o->send + r * o->count, o->count, o->kind == 3 ? job_rank + 7 * r : job_rank, o->round);
  switch (o->kind) {
    case 0:
      if (job_rank == root) fill(o->receive, o->count, root, o->round);
      MUST(tutti_ibcast(o->receive, o->count, MPI_INT, root, comm, &o->request));
      break;
    case 1:
      MUST(tutti_iallreduce(o->send, o->receive, o->count, MPI_INT, MPI_SUM, comm, &o->request));
      break;
    case 2:
      MUST(tutti_iallgather(o->send, o->count, MPI_INT, o->receive, o->count, MPI_INT, comm,
                            &o->request));
      break;
    case 3:
      MUST(tutti_ialltoall(o->send, o->count, MPI_INT, o->receive, o->count, MPI_INT, comm,
                           &o->request));
      break;
    case 4:
      MUST(tutti_igather(o->send, o->count, MPI_INT, o->receive, o->count, MPI_INT, root, comm,
                         &o->request));
      break;
    default: MUST(tutti_ibarrier(comm, &o->request));
  }
}

static void end_operation(operation* o) {
  const int root = o->round % job_size, all = o->kind == 2 || (o->kind == 4 && job_rank == root);
  CHECK(o->request == TUTTI_REQUEST_NULL, "the request is left");
  if (o->kind == 0) holds_block("ibcast", o->receive, o->count, root, o->round);
  if (o->kind == 1) holds_sum("iallreduce", o->receive, o->count, o->round);
  if (all)
    for (int r = 0; r < job_size; ++r)
      holds_block("iallgather or igather", o->receive + r * o->count, o->count, r, o->round);
  if (o->kind == 3)
    for (int r = 0; r < job_size; ++r)
      holds_block("ialltoall", o->receive + r * o->count, o->count, r + 7 * job_rank, o->round);
  free(o->send);
  free(o->receive);
}

static unsigned random_of(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

/* The calls are begun in one order, and completed in another on each rank. */
static void many_at_once(int round, unsigned seed) {
  operation all[kMany];
  tutti_request requests[kMany];
  unsigned common = seed, own = seed + 77u * (unsigned)job_rank + 1;
  for (int i = 0; i < kMany; ++i) {
    all[i] = (operation){.kind = (int)(random_of(&common) % kKinds), .round = round + i};
    all[i].count =
        (int)(random_of(&common) % 3 == 0 ? random_of(&common) % kInts : random_of(&common) % 20);
    begin_operation(&all[i], random_of(&common) % 3 == 0 ? other : world);
    requests[i] = all[i].request;
    if (random_of(&common) % 5 == 0) { /* a blocking call between them */
      int one = 1, sum = 0;
      MUST(tutti_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world));
      CHECK(sum == job_size, "the sum is %d", sum);
    }
  }
  int left = kMany, indices[kMany], how = (int)(random_of(&own) % 6);
  while (left > 0) {
    int done = 0, count = 0, index = -1;
    switch (how) {
      case 0:
        MUST(tutti_waitall(kMany, requests));
        left = 0;
        break;
      case 1:
        MUST(tutti_waitany(kMany, requests, &index));
        CHECK(index >= 0 && index < kMany && requests[index] == TUTTI_REQUEST_NULL, "%d", index);
        --left;
        break;
      case 2:
        MUST(tutti_waitsome(kMany, requests, &count, indices));
        CHECK(count > 0 && count <= left, "%d of %d", count, left);
        for (int i = 0; i < count; ++i) CHECK(requests[indices[i]] == TUTTI_REQUEST_NULL, "left");
        left -= count;
        break;
      case 3:
        MUST(tutti_testall(kMany, requests, &done));
        if (done) left = 0;
        break;
      case 4:
        MUST(tutti_testany(kMany, requests, &index, &done));
        CHECK(done == (index != MPI_UNDEFINED), "flag %d, index %d", done, index);
        left -= done;
        break;
      default: /* in an order of this rank's own */
        index = (int)(random_of(&own) % kMany);
        left -= requests[index] != TUTTI_REQUEST_NULL;
        MUST(tutti_wait(&requests[index]));
    }
  }
  for (int i = 0; i < kMany; ++i) {
    all[i].request = requests[i];
    end_operation(&all[i]);
  }
}

/* --- persistent requests */

static void started_again(void) {
  enum { kRounds = 6 };
  for (int count = 1; count <= kInts; count += kInts - 1) {
    int *send = ints(job_size * count), *receive = ints(job_size * count), *sum = ints(count);
    MPI_Count* const counts = malloc((size_t)job_size * sizeof *counts);
    MPI_Count* const places = malloc((size_t)job_size * sizeof *places);
    CHECK(counts && places, "no memory for the test");
    for (int r = 0; r < job_size; ++r) counts[r] = count, places[r] = r * (MPI_Count)count;
    tutti_request requests[3];
    MUST(tutti_allgatherv_init(send, count, MPI_INT, receive, counts, places, MPI_INT, world,
                               &requests[0]));
    MUST(tutti_allreduce_init(send, sum, count, MPI_INT, MPI_SUM, world, &requests[1]));
    MUST(tutti_barrier_init(world, &requests[2]));
    for (int round = 0; round < kRounds; ++round) {
      fill(send, count, job_rank, round);
      if (round % 2 == 0)
        MUST(tutti_startall(3, requests));
      else
        for (int i = 0; i < 3; ++i) MUST(tutti_start(&requests[i]));
      for (int i = 2; i >= 0; --i) MUST(tutti_wait(&requests[i]));
      for (int r = 0; r < job_size; ++r)
        holds_block("allgatherv_init", receive + r * count, count, r, round);
      holds_sum("allreduce_init", sum, count, round);
      for (int i = 0; i < 3; ++i) CHECK(requests[i] != TUTTI_REQUEST_NULL, "it is gone");
    }
    for (int i = 0; i < 3; ++i) MUST(tutti_request_free(&requests[i]));
    free(counts);
    free(places);
    free(send);
    free(receive);
    free(sum);
  }
}

static void add_first(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[2 * i] += ((int*)in)[2 * i];
}

/* The program frees a datatype while calls need it, and makes others, which get its handle. */
static void freed_datatypes(void) {
  enum { kElements = 500 };
  int send[2 * kElements], receive[2 * kElements];
  MPI_Op op;
  MPI_Op_create(add_first, 1, &op);
  for (int kind = 0; kind < 2; ++kind) { /* with a gap; too irregular for loops of Tutti's own */
    MPI_Datatype type, others[3];
    if (kind == 0) {
      MPI_Type_create_resized(MPI_INT, 0, 8, &type);
    } else {
      int lengths[1] = {1}, darray_sizes[1] = {1}, distribution[1] = {MPI_DISTRIBUTE_BLOCK};
      int argument[1] = {MPI_DISTRIBUTE_DFLT_DARG};
      MPI_Aint zero[1] = {0};
      MPI_Datatype inner;
      MPI_Type_create_darray(1, 0, 1, lengths, distribution, argument, darray_sizes, MPI_ORDER_C,
                             MPI_INT, &inner);
      MPI_Datatype struct_of[1] = {inner};
      MPI_Type_create_struct(1, lengths, zero, struct_of, &type);
      MPI_Type_free(&inner);
      MPI_Type_create_resized(type, 0, 8, &inner);
      MPI_Type_free(&type);
      type = inner;
    }
    MPI_Type_commit(&type);
    tutti_request bcast, sum, later;
    for (int i = 0; i < 2 * kElements; ++i) {
      send[i] = value(job_rank, kind, i);
      receive[i] = job_rank == 0 ? value(0, kind, i) : -1;
    }
    int total[2 * kElements];
    memset(total, 0, sizeof total);
    MUST(tutti_ibcast(receive, kElements, type, 0, world, &bcast));
    MUST(tutti_iallreduce(send, total, kElements, type, op, world, &sum));
    int again[2 * kElements];
    memset(again, 0, sizeof again);
    MUST(tutti_bcast_init(again, kElements, type, 0, world, &later));
    MPI_Type_free(&type);
    for (int i = 0; i < 3; ++i) {
      MPI_Type_vector(1 + i, 1, 3, MPI_DOUBLE, &others[i]);
      MPI_Type_commit(&others[i]);
    }
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 2 * kElements; ++i) again[i] = job_rank == 0 ? value(0, round, i) : -1;
      MUST(tutti_start(&later));
      MUST(tutti_wait(&later));
      for (int i = 0; i < 2 * kElements; ++i)
        CHECK(again[i] == (job_rank == 0 || i % 2 == 0 ? value(0, round, i) : -1),
              "type %d, round %d: element %d is %d", kind, round, i, again[i]);
    }
    MUST(tutti_request_free(&later));
    MUST(tutti_wait(&sum));
    MUST(tutti_wait(&bcast));
    for (int i = 0; i < 2 * kElements; ++i) {
      const int gap = i % 2;
      CHECK(receive[i] == (job_rank == 0 || !gap ? value(0, kind, i) : -1), "type %d: %d is %d",
            kind, i, receive[i]);
      CHECK(total[i] == (gap ? 0 : sum_of_ranks * 1000003 + job_size * (kind * 101 + i)),
            "type %d: sum %d is %d", kind, i, total[i]);
    }
    for (int i = 0; i < 3; ++i) MPI_Type_free(&others[i]);
  }
  MPI_Op_free(&op);
}

/* A communicator is freed while its calls are under way, and while a persistent request needs it.
 */
static void freed_communicators(void) {
  for (int round = 0; round < 3; ++round) {
    tutti_comm comm;
    tutti_request begun, kept, unused;
    int mine = job_rank + round, sum = -1, later = -1;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    MUST(tutti_allreduce_init(&mine, &later, 1, MPI_INT, MPI_SUM, comm, &kept));
    MUST(tutti_barrier_init(comm, &unused));
    MUST(tutti_iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &begun));
    MUST(tutti_comm_free(&comm));
    GIVES(tutti_ibarrier(comm, &unused), TUTTI_ERR_COMM);
    MUST(tutti_wait(&begun));
    CHECK(sum == sum_of_ranks + round * job_size, "the sum is %d", sum);
    for (int again = 0; again < 2; ++again) {
      mine = job_rank + again;
      MUST(tutti_start(&kept));
      MUST(tutti_wait(&kept));
      CHECK(later == sum_of_ranks + again * job_size, "the sum is %d", later);
    }
    MUST(tutti_request_free(&kept));
  }
}

/* --- progress */

/* One rank waits in a call of one communicator, the others in calls of another, which they can only
 * end if all go on with what they have begun. */
static void others_go_on(void) {
  for (int who = 0; who < job_size; ++who) {
    int *big = ints(100000), sum = 0, mine = job_rank;
    tutti_request bcast;
    if (job_rank == who) fill(big, 100000, who, who);
    MUST(tutti_ibcast(big, 100000, MPI_INT, who, other, &bcast));
    if (job_rank == (who + 1) % job_size) MUST(tutti_wait(&bcast));
    MUST(tutti_allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world));
    CHECK(sum == sum_of_ranks, "the sum is %d", sum);
    MUST(tutti_wait(&bcast));
    holds_block("a broadcast that goes on", big, 100000, who, who);
    free(big);
  }
  /* Calls also go on while ranks wait for each other in tutti_comm_create. */
  tutti_request barrier;
  tutti_comm comm;
  MUST(tutti_ibarrier(world, &barrier));
  if (job_rank == 0) MUST(tutti_wait(&barrier));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  if (job_rank != 0) MUST(tutti_wait(&barrier));
  MUST(tutti_comm_free(&comm));
}

/* --- nothing to wait for, and what is wrong */

static void nothing_to_wait_for(void) {
  tutti_request requests[2] = {TUTTI_REQUEST_NULL, TUTTI_REQUEST_NULL};
  int flag = 0, index = 0, count = 0, indices[2];
  MUST(tutti_barrier_init(world, &requests[1]));
  MUST(tutti_wait(&requests[0]));
  MUST(tutti_wait(&requests[1]));
  MUST(tutti_waitall(2, requests));
  MUST(tutti_waitall(0, NULL));
  MUST(tutti_waitany(2, requests, &index));
  CHECK(index == MPI_UNDEFINED, "index %d", index);
  MUST(tutti_waitsome(2, requests, &count, indices));
  CHECK(count == MPI_UNDEFINED, "outcount %d", count);
  MUST(tutti_test(&requests[0], &flag));
  CHECK(flag, "a null request is not complete");
  flag = 0;
  MUST(tutti_test(&requests[1], &flag));
  CHECK(flag, "an inactive request is not complete");
  flag = 0;
  MUST(tutti_testall(2, requests, &flag));
  CHECK(flag, "inactive requests are not complete");
  flag = index = 0;
  MUST(tutti_testany(2, requests, &index, &flag));
  CHECK(flag && index == MPI_UNDEFINED, "flag %d, index %d", flag, index);
  MUST(tutti_testsome(2, requests, &count, indices));
  CHECK(count == MPI_UNDEFINED, "outcount %d", count);
  MUST(tutti_request_free(&requests[1]));
}

/* Wrong on all ranks, and without a message: everything goes on. */
static void wrong_requests(void) {
  tutti_request request, copy, twice[2], none = TUTTI_REQUEST_NULL;
  tutti_request wild = (tutti_request)(size_t)0x7fff12345678;
  int flag = 0, index = 0;
  GIVES(tutti_start(NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_start(&none), TUTTI_ERR_REQUEST);
  GIVES(tutti_wait(NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_wait(&wild), TUTTI_ERR_REQUEST);
  GIVES(tutti_test(&none, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_waitany(1, &none, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_waitall(-1, &none), TUTTI_ERR_COUNT);
  GIVES(tutti_waitall(1, NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&none), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(NULL), TUTTI_ERR_REQUEST);

  MUST(tutti_ibarrier(world, &request));
  copy = request;
  GIVES(tutti_start(&request), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&request), TUTTI_ERR_REQUEST);
  twice[0] = twice[1] = request;
  GIVES(tutti_waitall(2, twice), TUTTI_ERR_REQUEST);
  GIVES(tutti_testany(2, twice, &index, &flag), TUTTI_ERR_REQUEST);
  MUST(tutti_wait(&request));
  GIVES(tutti_wait(&copy), TUTTI_ERR_REQUEST); /* it has been completed */
  GIVES(tutti_test(&copy, &flag), TUTTI_ERR_REQUEST);

  MUST(tutti_barrier_init(world, &request));
  MUST(tutti_start(&request));
  GIVES(tutti_start(&request), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&request), TUTTI_ERR_REQUEST);
  MUST(tutti_wait(&request));
  copy = request;
  MUST(tutti_request_free(&request));
  GIVES(tutti_start(&copy), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&copy), TUTTI_ERR_REQUEST);
  GIVES(tutti_barrier_init(TUTTI_COMM_NULL, &request), TUTTI_ERR_COMM);
  GIVES(tutti_ibarrier(TUTTI_COMM_NULL, &request), TUTTI_ERR_COMM);
  CHECK(request == TUTTI_REQUEST_NULL, "a request is left after an error");
}

/* Wrong arguments, all ranks alike: the call uses up a number, and the communicator goes on. */
static void wrong_arguments(void) {
  tutti_request request;
  int x = 0;
  GIVES(tutti_ibcast(&x, -1, MPI_INT, 0, world, &request), TUTTI_ERR_COUNT);
  CHECK(request == TUTTI_REQUEST_NULL, "a request is left after an error");
  GIVES(tutti_ibcast(&x, 1, MPI_DATATYPE_NULL, 0, world, &request), TUTTI_ERR_TYPE);
  GIVES(tutti_ibarrier(world, NULL), TUTTI_ERR_REQUEST);
  MUST(tutti_bcast_init(&x, 1, MPI_INT, job_size, world, &request));
  GIVES(tutti_start(&request), TUTTI_ERR_ROOT);
  GIVES(tutti_startall(1, &request), TUTTI_ERR_ROOT);
  MUST(tutti_wait(&request)); /* it is inactive */
  MUST(tutti_request_free(&request));
  MUST(tutti_barrier(world));
}

/* One rank's calls come in another order: all get an error, and other communicators go on. */
static void another_order(void) {
  if (job_size < 2) return;
  tutti_comm comm;
  int a[4] = {0}, sum[4];
  tutti_request requests[2];
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int codes[2] = {TUTTI_SUCCESS, TUTTI_SUCCESS};
  for (int i = 0; i < 2; ++i)
    codes[i] = (job_rank == 0) == (i == 0)
                   ? tutti_iallreduce(a, sum, 4, MPI_INT, MPI_SUM, comm, &requests[i])
                   : tutti_ibarrier(comm, &requests[i]);
  for (int i = 0; i < 2; ++i)
    if (codes[i] == TUTTI_SUCCESS) codes[i] = tutti_wait(&requests[i]);
  int code = codes[0] != TUTTI_SUCCESS ? codes[0] : codes[1];
  for (int i = 0; i < 1000 && code == TUTTI_SUCCESS; ++i) code = tutti_barrier(comm);
  CHECK(code == TUTTI_ERR_CALLS_DIFFER, "calls in another order give %d: %s", code,
        tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
  MUST(tutti_barrier(world));
}

/* Calls that are begun and completed leave nothing behind. */
static void very_many(void) {
  long long before = 0;
  for (int i = 0; i < 20000; ++i) {
    int x = job_rank, sum = 0;
    tutti_request request;
    MUST(tutti_iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, world, &request));
    MUST(tutti_wait(&request));
    CHECK(sum == sum_of_ranks, "the sum is %d", sum);
    if (i == 1000) before = job_describes(TUTTI_COMM_NULL, "requests");
  }
  const long long after = job_describes(TUTTI_COMM_NULL, "requests");
  CHECK(before == after, "%lld places for requests have become %lld", before, after);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  sum_of_ranks = job_size * (job_size - 1) / 2;
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &world));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &other));
  for (int round = 0; round < 12; ++round) many_at_once(round, 1000u + (unsigned)round);
  started_again();
  freed_datatypes();
  freed_communicators();
  others_go_on();
  nothing_to_wait_for();
  wrong_requests();
  wrong_arguments();
  another_order();
  very_many();
  MUST(tutti_comm_free(&other));
  MUST(tutti_comm_free(&world));
  job_end("requests_test");
  return 0;
}
