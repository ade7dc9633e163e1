/*
 * One end of a connection fails, for want of memory, while its process lives: the other one must
 * hear of it, and why, though the first calls Tutti no more. Rank 0 sets aside what rank 1 sends on
 * another communicator, and is refused the memory for that.
 */
#include <dlfcn.h>
#include <errno.h>

#include "job.h"

extern void* __libc_malloc(size_t bytes);
static volatile int refuses, refused;

void* malloc(size_t bytes) {
  Dl_info caller;
  if (refuses && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
      strstr(caller.dli_fname, "libtutti")) {
    ++refused;
    errno = ENOMEM;
    return NULL;
  }
  return __libc_malloc(bytes);
}

int main(int argc, char** argv) {
  enum { kMany = 200 }; /* more than there are slots */
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm busy, other;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &busy));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &other));
  long word = 7;
  MUST(tutti_barrier(busy));
  MUST(tutti_barrier(other));
  MUST(tutti_bcast(&word, 1, MPI_LONG, 1, busy));
  MPI_Barrier(MPI_COMM_WORLD);
  int code = 0;
  if (job_rank == 1) {
    for (int i = 0; i < kMany && code == 0; ++i) code = tutti_bcast(&word, 1, MPI_LONG, 1, busy);
    CHECK(code == TUTTI_ERR_NO_MEMORY, "%d broadcasts give %d: %s", kMany, code,
          code ? tutti_last_error_message() : "");
  } else {
    usleep(300000); /* all that has credit has come */
    refuses = 1;
    code = tutti_barrier(other);
    refuses = 0;
    CHECK(refused > 0, "no memory was asked for");
    CHECK(code == TUTTI_ERR_NO_MEMORY, "the barrier gives %d: %s", code,
          tutti_last_error_message());
  }
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 waits here, and not in Tutti */
  MUST(tutti_comm_free(&busy));
  MUST(tutti_comm_free(&other));
  job_end("one_side");
}
