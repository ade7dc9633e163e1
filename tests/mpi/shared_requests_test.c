/*
 * Threads that use each other's requests. If two wait for one request, one of them gets an error.
 * If a thread waits for several requests, another one may meanwhile free a request that was
 * inactive, or start it and wait for it: the first thread leaves that request alone.
 */
#include <pthread.h>

#include "job.h"

enum { kRounds = 20 };
static tutti_comm comm, other;

typedef struct {
  tutti_request requests[2];
  int function, code;
} waiter;

static void* wait_for_two(void* argument) {
  waiter* const w = argument;
  int index = 0, flag = 0, count = 0, indices[2];
  switch (w->function) {
    case 0: w->code = tutti_waitall(2, w->requests); break;
    case 1: w->code = tutti_waitany(2, w->requests, &index); break;
    case 2: w->code = tutti_waitsome(2, w->requests, &count, indices); break;
    default:
      while (!flag && w->code == TUTTI_SUCCESS) w->code = tutti_testall(2, w->requests, &flag);
  }
  return NULL;
}

static void* wait_for_one(void* argument) {
  waiter* const w = argument;
  w->code = tutti_wait(&w->requests[0]);
  return NULL;
}

/* Rank 0 comes late, so that the others' threads wait. */
static void come_late(void) {
  if (job_rank == 0) usleep(3000);
}

static int sum_of(int value) { return job_size * value + job_size * (job_size - 1) / 2; }

static void one_request_of_two_threads(void) {
  for (int round = 0; round < kRounds; ++round) {
    int mine = job_rank + round, sum = -1;
    tutti_request request;
    pthread_t thread;
    come_late();
    MUST(tutti_iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
    waiter copy = {{request, TUTTI_REQUEST_NULL}, 0, TUTTI_SUCCESS};
    pthread_create(&thread, NULL, wait_for_one, &copy);
    const int code = tutti_wait(&request);
    pthread_join(thread, NULL);
    CHECK((code == TUTTI_SUCCESS) != (copy.code == TUTTI_SUCCESS) &&
              code + copy.code == TUTTI_ERR_REQUEST,
          "two threads wait for one request, and get %d and %d", code, copy.code);
    CHECK(sum == sum_of(round), "the sum is %d", sum);
  }
}

/* A thread waits for a request that is inactive, and for another one. Meanwhile this thread frees
 * the inactive one, or starts it and waits for it. */
static void an_inactive_one(int function, int starts) {
  for (int round = 0; round < kRounds; ++round) {
    int mine = job_rank + round, sum = -1, later = -1;
    tutti_request inactive;
    pthread_t thread;
    MUST(tutti_allreduce_init(&mine, &later, 1, MPI_INT, MPI_SUM, other, &inactive));
    come_late();
    waiter w = {{inactive, TUTTI_REQUEST_NULL}, function, TUTTI_SUCCESS};
    MUST(tutti_iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &w.requests[1]));
    pthread_create(&thread, NULL, wait_for_two, &w);
    usleep(500); /* until it waits, mostly: it must be right, too, if it does not yet */
    int code = TUTTI_SUCCESS;
    if (starts) {
      MUST(tutti_start(&inactive));
      code = tutti_wait(&inactive);
    } else {
      MUST(tutti_request_free(&inactive));
    }
    pthread_join(thread, NULL);
    CHECK(code == TUTTI_SUCCESS || code == TUTTI_ERR_REQUEST, "the wait gives %d", code);
    CHECK(w.code == TUTTI_SUCCESS || w.code == TUTTI_ERR_REQUEST, "the other wait gives %d: %s",
          w.code, tutti_error_string(w.code));
    MUST(tutti_wait(&w.requests[1])); /* unless it is complete */
    CHECK(sum == sum_of(round), "the sum is %d", sum);
    if (!starts) continue;
    MUST(tutti_wait(&inactive));
    CHECK(later == sum_of(round), "the sum of the call that was started is %d", later);
    MUST(tutti_request_free(&inactive));
  }
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  CHECK(level == MPI_THREAD_MULTIPLE, "this MPI gives thread level %d only", level);
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &other));
  alarm(100); /* it would hang */
  one_request_of_two_threads();
  for (int function = 0; function < 4; ++function)
    for (int starts = 0; starts < 2; ++starts) an_inactive_one(function, starts);
  alarm(0);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_comm_free(&other));
  job_end("shared_requests_test");
  return 0;
}
