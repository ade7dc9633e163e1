/*
 * A rank forks a child that goes on without exec, as Python's multiprocessing does. The child has
 * the parent's buffers, with what was in them, as its own; the parent finishes with Tutti before
 * the child ends, and nothing may wait for the child. Meaningful over verbs, where buffers are
 * registered; right everywhere.
 */
#include "job.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { kBytes = 1 << 20, kStackBytes = 200 * 1000 };

static void fill_and_broadcast(unsigned char* buffer, size_t bytes, int round, tutti_comm comm) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = job_rank == 0 ? pattern(i, 0, round) : 0;
  MUST(tutti_bcast(buffer, (MPI_Count)bytes, MPI_BYTE, 0, comm));
  for (size_t i = 0; i < bytes; ++i)
    CHECK(buffer[i] == pattern(i, 0, round), "byte %zu is wrong in round %d", i, round);
}

/* The child of a process whose stack is registered needs that stack to get as far as exec. */
static void execute_with_registered_stack(tutti_comm comm) {
  unsigned char buffer[kStackBytes];
  fill_and_broadcast(buffer, sizeof buffer, 2, comm);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0, "a child with a registered stack ends with status %#x", status);
}

/* Whether the buffer is as the parent left it when it forked, and can be written. */
static int has_copy(unsigned char* buffer) {
  for (size_t i = 0; i < kBytes; ++i)
    if (buffer[i] != pattern(i, 0, 0)) return 0;
  memset(buffer, 0x55, kBytes);
  return 1;
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* buffer =
      mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(buffer != MAP_FAILED, "mmap fails");
  fill_and_broadcast(buffer, kBytes, 0, comm);

  int word[2];
  CHECK(pipe(word) == 0, "pipe fails");
  const pid_t child = fork();
  if (child == 0) {
    alarm(30); /* the parent that waits for it is told so */
    char got;
    const int whole = has_copy(buffer);
    _exit(read(word[0], &got, 1) == 1 && whole ? 0 : 1);
  }
  /* The child's pages are its own: those of the parent go on as before. */
  fill_and_broadcast(buffer, kBytes, 1, comm);
  execute_with_registered_stack(comm);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  CHECK(munmap(buffer, kBytes) == 0, "munmap fails");
  CHECK(write(word[1], "", 1) == 1, "write fails");
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0, "a child has no copy of a buffer, or held its parent up: status %#x", status);
  MPI_Finalize();
  if (job_rank == 0) printf("forked: ok with %d ranks\n", job_size);
  return 0;
}
