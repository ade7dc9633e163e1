/*
 * Buffers in memory of a GPU are refused before anything touches them: the CPU could not read them.
 * The driver is one of ours (gpu_driver.c), loaded after the start, and the memory one that nobody
 * may touch. Its path is the argument.
 */
#include <dlfcn.h>
#include <sys/mman.h>

#include "job.h"

#define REFUSED(call)                                                                  \
  do {                                                                                 \
    GIVES(call, TUTTI_ERR_BUFFER);                                                     \
    CHECK(strstr(tutti_last_error_message(), "memory of a GPU"), "the message is: %s", \
          tutti_last_error_message());                                                 \
  } while (0)

int main(int argc, char** argv) {
  enum { kBytes = 1 << 20, kInts = 16 };
  job_begin(&argc, &argv);
  CHECK(argc == 2, "usage: gpu_test DRIVER");
  MUST(tutti_init(NULL));
  void* const driver = dlopen(argv[1], RTLD_NOW);
  CHECK(driver, "%s", dlerror());
  void (*pretend)(const void*, unsigned long) = NULL;
  *(void**)&pretend = dlsym(driver, "pretend");
  CHECK(pretend, "%s", dlerror());
  int* const gpu = mmap(NULL, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(gpu != MAP_FAILED, "mmap failed");
  pretend(gpu, kBytes);

  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int* const host = calloc((size_t)job_size * kInts, sizeof *host);
  MPI_Count *const counts = malloc((size_t)job_size * sizeof *counts),
                   *const displacements = malloc((size_t)job_size * sizeof *displacements);
  for (int i = 0; i < job_size; ++i) {
    counts[i] = kInts;
    displacements[i] = kInts * i;
  }
  for (int round = 0; round < 3; ++round) {
    REFUSED(tutti_bcast(gpu, kInts, MPI_INT, 0, comm));
    REFUSED(tutti_bcast(gpu + 100, 10000, MPI_INT, 0, comm));
    REFUSED(tutti_allreduce(gpu, host, kInts, MPI_INT, MPI_SUM, comm));
    REFUSED(tutti_allreduce(MPI_IN_PLACE, gpu, kInts, MPI_INT, MPI_SUM, comm));
    REFUSED(tutti_allgather(host, kInts, MPI_INT, gpu, kInts, MPI_INT, comm));
    REFUSED(tutti_allgatherv(gpu, kInts, MPI_INT, host, counts, displacements, MPI_INT, comm));
    REFUSED(tutti_alltoallv(host, counts, displacements, MPI_INT, gpu, counts, displacements,
                            MPI_INT, comm));
    for (int i = 0; i < kInts; ++i) host[i] = job_rank == 0 ? i + round : -1;
    MUST(tutti_bcast(host, kInts, MPI_INT, 0, comm));
    for (int i = 0; i < kInts; ++i) CHECK(host[i] == i + round, "element %d is %d", i, host[i]);
  }
  pretend(host, kInts); /* the same call as before */
  REFUSED(tutti_bcast(host, kInts, MPI_INT, 0, comm));
  free(host);
  free(counts);
  free(displacements);
  MUST(tutti_comm_free(&comm));
  job_end("gpu");
  return 0;
}
