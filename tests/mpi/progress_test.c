/*
 * With the setting progress=thread a rank that sits in MPI stops nobody: the others end their part
 * of a call that it has begun, and say so by a message of MPI's, for which it waits.
 */
#include <dirent.h>

#include "job.h"

enum { kInts = 60000, kKinds = 5 };

static int value(int rank, int i) { return rank * 7919 + i; }

static void begin(int kind, int* send, int* receive, int count, int root, tutti_comm comm,
                  tutti_request* request) {
  switch (kind) {
    case 0: MUST(tutti_ibarrier(comm, request)); break;
    case 1: MUST(tutti_ibcast(receive, count, MPI_INT, root, comm, request)); break;
    case 2: MUST(tutti_iallreduce(send, receive, count, MPI_INT, MPI_SUM, comm, request)); break;
    case 3:
      MUST(tutti_ialltoall(send, count / job_size, MPI_INT, receive, count / job_size, MPI_INT,
                           comm, request));
      break;
    default: MUST(tutti_iscan(send, receive, count, MPI_INT, MPI_SUM, comm, request));
  }
}

static void check(int kind, const int* receive, int count, int root) {
  const int each = count / job_size;
  for (int i = 0; i < count; ++i) {
    int expected = receive[i];
    if (kind == 1) expected = value(root, i);
    if (kind == 2) expected = 7919 * (job_size * (job_size - 1) / 2) + job_size * i;
    if (kind == 3 && i < each * job_size) expected = value(i / each, job_rank * each + i % each);
    if (kind == 4) expected = 7919 * (job_rank * (job_rank + 1) / 2) + (job_rank + 1) * i;
    CHECK(receive[i] == expected, "kind %d: element %d is %d, not %d", kind, i, receive[i],
          expected);
  }
}

/* Clock ticks of the library's thread; -1: there is none. */
static long ticks_of_thread(void) {
  DIR* const tasks = opendir("/proc/self/task");
  CHECK(tasks, "no /proc/self/task");
  long found = -1;
  for (struct dirent* task; (task = readdir(tasks));) {
    char path[300], line[600];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    FILE* const file = fopen(path, "r");
    if (!file) continue;
    unsigned long user = 0, system = 0;
    if (fgets(line, sizeof line, file) && strstr(line, "(tutti-progress)") &&
        sscanf(strrchr(line, ')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) == 2)
      found = (long)(user + system);
    fclose(file);
  }
  closedir(tasks);
  return found;
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  static int send[kInts], receive[kInts];
  tutti_comm comm;
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  CHECK(ticks_of_thread() >= 0, "there is no thread: is the setting progress=thread?");
  for (int lazy = 0; lazy < job_size; ++lazy)
    for (int kind = 0; kind < kKinds; ++kind)
      for (int count = job_size; count <= kInts; count += kInts - job_size) {
        const int root = (lazy + 1) % job_size;
        tutti_request request;
        for (int i = 0; i < count; ++i) {
          send[i] = value(job_rank, i);
          receive[i] = job_rank == root && kind == 1 ? value(root, i) : -1;
        }
        begin(kind, send, receive, count, root, comm, &request);
        if (job_rank != lazy) {
          MUST(tutti_wait(&request));
          MPI_Send(&kind, 1, MPI_INT, lazy, kind, MPI_COMM_WORLD);
        } else {
          for (int i = 1; i < job_size; ++i) {
            int said = -1;
            MPI_Recv(&said, 1, MPI_INT, MPI_ANY_SOURCE, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(said == kind, "it says %d", said);
          }
          MUST(tutti_wait(&request));
        }
        if (kind != 0) check(kind, receive, count, root);
      }
  /* Nothing is under way: it sleeps. */
  MUST(tutti_barrier(comm));
  usleep(300000);
  const long before = ticks_of_thread();
  sleep(1);
  CHECK(ticks_of_thread() == before, "with nothing to do the thread takes %ld ticks in a second",
        ticks_of_thread() - before);
  MUST(tutti_comm_free(&comm));
  job_end("progress_test");
  return 0;
}
