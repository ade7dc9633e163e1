/*
 * A rank forks a child that goes on without exec, as Python's multiprocessing does, and finishes
 * with Tutti before the child ends: nothing may wait for the child. Meaningful over verbs, where
 * buffers are registered; right everywhere.
 */
#include "job.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { kBytes = 1 << 20 };

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* buffer =
      mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(buffer != MAP_FAILED, "mmap fails");
  MUST(tutti_bcast(buffer, kBytes, MPI_BYTE, 0, comm));

  int word[2];
  CHECK(pipe(word) == 0, "pipe fails");
  const pid_t child = fork();
  if (child == 0) {
    alarm(30); /* the parent that waits for it is told so */
    char got;
    _exit(read(word[0], &got, 1) == 1 ? 0 : 1);
  }
  /* The child's pages are its own: those of the parent go on as before. */
  for (size_t i = 0; i < kBytes; ++i) buffer[i] = job_rank == 0 ? pattern(i, 0, 1) : 0;
  MUST(tutti_bcast(buffer, kBytes, MPI_BYTE, 0, comm));
  for (size_t i = 0; i < kBytes; ++i)
    CHECK(buffer[i] == pattern(i, 0, 1), "byte %zu is wrong after a fork", i);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  CHECK(munmap(buffer, kBytes) == 0, "munmap fails");
  CHECK(write(word[1], "", 1) == 1, "write fails");
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0, "the parent waited for its child");
  MPI_Finalize();
  if (job_rank == 0) printf("forked: ok with %d ranks\n", job_size);
  return 0;
}
