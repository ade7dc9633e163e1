/*
 * MPI_THREAD_MULTIPLE: threads, each on its own communicator, in collectives of their own at the
 * same time. No call waits until the messages of another are taken.
 *
 *   threads_test [SHARE]
 *
 * SHARE, 1 if it is not given: the floods of long messages take so small a share of the bytes, for
 * where bytes take long.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "job.h"

enum { kThreads = 3, kRounds = 200 };

static void* work(void* argument) {
  tutti_comm comm = argument;
  static const int sizes[] = {1, 40, 300, 20000};
  for (int i = 0; i < kRounds; ++i) {
    const size_t n = (size_t)sizes[i % 4];
    unsigned char *send = malloc(n), *all = malloc(n * (size_t)job_size);
    memset(send, job_rank * 3 + i, n);
    MUST(tutti_allgather(send, (MPI_Count)n, MPI_BYTE, all, (MPI_Count)n, MPI_BYTE, comm));
    for (int r = 0; r < job_size; ++r)
      for (size_t b = 0; b < n; ++b)
        CHECK(all[n * (size_t)r + b] == (unsigned char)(r * 3 + i),
              "thread: wrong byte %zu of block %d", b, r);
    free(send);
    free(all);
    MUST(tutti_barrier(comm));
  }
  return NULL;
}

/* Communicators are made by several threads, in other orders on other ranks, and while another
 * thread is in a collective. */
static MPI_Comm parents[2];
static void* make(void* which) {
  const int mine = *(int*)which;
  for (int i = 0; i < 20; ++i) {
    if ((job_rank + mine + i) % 2) usleep(3000);
    tutti_comm comm;
    MUST(tutti_comm_create(parents[mine], &comm));
    int value = job_rank == 0 ? 1000 * mine + i : -1;
    MUST(tutti_bcast(&value, 1, MPI_INT, 0, comm));
    CHECK(value == 1000 * mine + i, "communicators of two threads are mixed up: %d, not %d", value,
          1000 * mine + i);
    MUST(tutti_comm_free(&comm));
  }
  return NULL;
}

static void making(void) {
  int which[2] = {0, 1};
  pthread_t threads[2];
  for (int t = 0; t < 2; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &parents[t]);
  alarm(100); /* it would hang */
  for (int t = 0; t < 2; ++t) pthread_create(&threads[t], NULL, make, &which[t]);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  alarm(0);
  for (int t = 0; t < 2; ++t) MPI_Comm_free(&parents[t]);
}

/* A thread of rank 0 floods one communicator. The others take nothing of it before what they wait
 * for on another communicator, which rank 0 sends once the flood stands. */
struct flood {
  tutti_comm comm;
  size_t bytes;
  int calls;
  int reduced; /* to the last rank; else a broadcast of the first */
};
static atomic_int called;
static void* call(void* argument) {
  const struct flood* flood = argument;
  const int last = job_size - 1, n = (int)(flood->bytes / sizeof(float));
  float *data = malloc(flood->bytes), *sum = malloc(flood->bytes);
  for (int i = 0; i < flood->calls; ++i) {
    const float value = (float)(i % 1000 + 1);
    for (int j = 0; j < n; ++j) data[j] = flood->reduced || job_rank == 0 ? value : 0;
    if (flood->reduced)
      MUST(tutti_reduce(data, sum, n, MPI_FLOAT, MPI_SUM, last, flood->comm));
    else
      MUST(tutti_bcast(data, n, MPI_FLOAT, 0, flood->comm));
    const float *got = flood->reduced ? sum : data,
                expected = flood->reduced ? value * job_size : value;
    for (int j = 0; (!flood->reduced || job_rank == last) && j < n; ++j)
      CHECK(got[j] == expected, "call %d, element %d: %g, not %g", i, j, got[j], expected);
    atomic_fetch_add(&called, 1);
  }
  free(data);
  free(sum);
  return NULL;
}

static void past_a_flood(const struct flood* flood, const struct flood* wanted) {
  const int floods = job_rank == 0; /* and never receives any of it */
  pthread_t thread;
  alarm(100); /* it would hang */
  if (floods) {
    int seen;
    atomic_store(&called, 0);
    pthread_create(&thread, NULL, call, (void*)flood);
    do { /* until it has sent what it can */
      seen = atomic_load(&called);
      usleep(30000);
    } while (atomic_load(&called) != seen);
  }
  call((void*)wanted);
  if (!floods) pthread_create(&thread, NULL, call, (void*)flood);
  pthread_join(thread, NULL);
  alarm(0);
}

static void past_floods(tutti_comm a, tutti_comm b, size_t share) {
  enum { kB = 1024, MB = 1024 * kB };
  const struct flood floods[] = {
      {a, 16 * kB, 1500 / (int)share, 0}, {a, 40, 200, 0}, {a, 300, 200, 0},
      {a, 64 * MB / share, 1, 0},         {a, 40, 200, 1}, {a, 16 * kB, 200, 1},
      {a, 16 * MB / share, 2, 1}};
  const struct flood wanted[] = {{b, 8 * kB, 2, 0}, {b, MB, 2, 0}, {b, 4, 3, 1}, {b, MB, 1, 1}};
  for (size_t f = 0; f < sizeof floods / sizeof *floods; ++f)
    for (size_t w = 0; w < 2; ++w) past_a_flood(&floods[f], &wanted[(f + 2 * w) % 4]);
}

/* Threads of rank 0 wait with long messages on more communicators than two ranks have rendezvous at
 * a time. The others take them from the last to the first. */
enum { kWaiting = 70, kLong = 100000 };
static atomic_int waiting;
static void* broadcast(void* argument) {
  char* const data = malloc(kLong);
  memset(data, job_rank == 0 ? 7 : 0, kLong);
  atomic_fetch_add(&waiting, 1);
  MUST(tutti_bcast(data, kLong, MPI_BYTE, 0, argument));
  CHECK(data[0] == 7 && data[kLong - 1] == 7, "wrong data behind %d other broadcasts", kWaiting);
  free(data);
  return NULL;
}

static void past_many_rendezvous(void) {
  static tutti_comm comms[kWaiting];
  static pthread_t threads[kWaiting];
  for (int i = 0; i < kWaiting; ++i) MUST(tutti_comm_create(MPI_COMM_WORLD, &comms[i]));
  alarm(100); /* it would hang */
  if (job_rank == 0) {
    for (int i = 0; i < kWaiting; ++i) {
      pthread_create(&threads[i], NULL, broadcast, comms[i]);
      while (atomic_load(&waiting) <= i) usleep(1000);
    }
    usleep(200000); /* until all have invited whom they could */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = kWaiting - 1; i >= 0; --i)
    if (job_rank == 0)
      pthread_join(threads[i], NULL);
    else
      broadcast(comms[i]);
  alarm(0);
  for (int i = 0; i < kWaiting; ++i) MUST(tutti_comm_free(&comms[i]));
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  const long share = argc > 1 ? atol(argv[1]) : 1;
  CHECK(argc <= 2 && share >= 1 && share <= 8, "usage: threads_test [SHARE], from 1 to 8");
  CHECK(level == MPI_THREAD_MULTIPLE, "this MPI gives thread level %d only", level);
  MUST(tutti_init(NULL));
  tutti_comm comms[kThreads];
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; ++t) MUST(tutti_comm_create(MPI_COMM_WORLD, &comms[t]));
  making();
  past_floods(comms[0], comms[1], (size_t)share);
  past_many_rendezvous();
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, work, comms[t]);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t) MUST(tutti_comm_free(&comms[t]));
  job_end("threads");
  return 0;
}
