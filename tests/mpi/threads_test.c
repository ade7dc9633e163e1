/* MPI_THREAD_MULTIPLE: threads, each on its own communicator, in collectives of their own at the
 * same time. */
#include <pthread.h>

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

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  CHECK(level == MPI_THREAD_MULTIPLE, "this MPI gives thread level %d only", level);
  MUST(tutti_init(NULL));
  tutti_comm comms[kThreads];
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; ++t) MUST(tutti_comm_create(MPI_COMM_WORLD, &comms[t]));
  making();
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, work, comms[t]);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < kThreads; ++t) MUST(tutti_comm_free(&comms[t]));
  job_end("threads");
  return 0;
}
