/*
 * Calls that are begun and ended by different functions: many at a time, completed in any order,
 * started again and again; what may be freed meanwhile; and what is wrong to do with a request.
 */
#include "requests/requests.h"

tutti_comm world, other;
int sum_of_ranks;

int value(int rank, int round, int i) { return rank * 1000003 + round * 101 + i; }
void fill(int* place, int count, int rank, int round) {
  for (int i = 0; i < count; ++i) place[i] = value(rank, round, i);
}
void holds_block(const char* what, const int* place, int count, int rank, int round) {
  for (int i = 0; i < count; ++i)
    CHECK(place[i] == value(rank, round, i), "%s, round %d: element %d of rank %d is %d, not %d",
          what, round, i, rank, place[i], value(rank, round, i));
}
void holds_sum(const char* what, const int* place, int count, int round) {
  for (int i = 0; i < count; ++i) {
    const int sum = sum_of_ranks * 1000003 + job_size * (round * 101 + i);
    CHECK(place[i] == sum, "%s, round %d: element %d is %d, not %d", what, round, i, place[i], sum);
  }
}

int* ints(int count) {
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
