/* Two threads of each rank call collectives at the same time, each on a communicator of its own, at
 * the thread level that the argument names. Below MPI_THREAD_MULTIPLE this is a mistake that MPIs
 * let pass, and that programs make. With it, each thread also has non-blocking calls in flight, and
 * duplicates its communicator now and then, in whatever order with the other one. */
#include <pthread.h>

#include "plain.h"

enum { CALLS = 300 };
static MPI_Comm comms[2];
static long wrong[2];
static int level;

static long wrong_in_copy_of(MPI_Comm comm) {
  MPI_Comm copy;
  int x = rank, sum = 0;
  MPI_Comm_dup(comm, &copy);
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, copy);
  MPI_Comm_free(&copy);
  return sum != size * (size - 1) / 2;
}

/* Two calls in flight and messages among the threads of this rank, completed by either function. */
static long wrong_in_flight(int k, int i) {
  MPI_Request requests[4];
  int x = rank + i + k, sum = 0, got = -1, flag = 0;
  MPI_Irecv(&got, 1, MPI_INT, rank, 5, comms[k], &requests[0]);
  MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comms[k], &requests[1]);
  MPI_Isend(&x, 1, MPI_INT, rank, 5, comms[k], &requests[2]);
  MPI_Ibarrier(comms[k], &requests[3]);
  if (i % 2) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (flag = i % 2; !flag;) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  return (sum != size * (size - 1) / 2 + size * (i + k)) + (got != x);
}

static void* work(void* argument) {
  const int k = argument ? 1 : 0;
  int all[64], in[64], out[64], counts[64], places[64];
  for (int i = 0; i < CALLS; ++i) {
    int x = rank + i + k, sum = 0;
    MPI_Allgather(&x, 1, MPI_INT, all, 1, MPI_INT, comms[k]);
    for (int j = 0; j < size; ++j) {
      wrong[k] += all[j] != j + i + k;
      counts[j] = 1 + k;
      places[j] = j * (1 + k);
      in[2 * j] = in[2 * j + 1] = rank * 10 + k;
    }
    MPI_Alltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, comms[k]);
    for (int j = 0; j < size * (1 + k); ++j) wrong[k] += out[j] != j / (1 + k) * 10 + k;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, comms[k]);
    wrong[k] += sum != size * (size - 1) / 2 + size * (i + k);
    if (level == MPI_THREAD_MULTIPLE) wrong[k] += wrong_in_flight(k, i);
    if (level == MPI_THREAD_MULTIPLE && i % (k + 2) == 0) wrong[k] += wrong_in_copy_of(comms[k]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? atoi(argv[1]) : MPI_THREAD_FUNNELED;
  MPI_Init_thread(&argc, &argv, wanted, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size <= 32, "the test has room for 32 ranks");
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  pthread_t thread;
  pthread_create(&thread, NULL, work, &wrong);
  work(NULL);
  pthread_join(thread, NULL);
  CHECK(wrong[0] + wrong[1] == 0, "%ld results are wrong", wrong[0] + wrong[1]);
  finish("plain_threads");
  return 0;
}
