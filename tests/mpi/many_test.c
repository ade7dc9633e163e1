/*
 * Many ranks, many more than cores: a barrier, an alltoall in which each speaks to each, and an
 * allreduce are right. Rank 0 tells what that took.
 */
#include "job.h"

// 0 if nothing says so.
static long long number_after(const char* text, const char* key) {
  const char* const at = text ? strstr(text, key) : NULL;
  return at ? atoll(at + strlen(key)) : 0;
}

static long resident_kib(void) {
  char line[256];
  long kib = -1;
  FILE* const file = fopen("/proc/self/status", "r");
  CHECK(file != NULL, "the kernel does not tell the memory");
  while (kib < 0 && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kib);
  fclose(file);
  return kib;
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  const long before = resident_kib();
  setenv("TUTTI_ALGORITHM", "alltoall=pairwise", 0);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  const size_t size = (size_t)job_size;
  long long* const out = calloc(size, sizeof *out);
  long long* const in = calloc(size, sizeof *in);
  for (int round = 0; round < 3; ++round) {
    MUST(tutti_barrier(comm));
    for (int peer = 0; peer < job_size; ++peer)
      out[peer] = 1000000LL * job_rank + 1000 * round + peer;
    MUST(tutti_alltoall(out, 1, MPI_LONG_LONG, in, 1, MPI_LONG_LONG, comm));
    for (int peer = 0; peer < job_size; ++peer)
      CHECK(in[peer] == 1000000LL * peer + 1000 * round + job_rank, "%lld from rank %d", in[peer],
            peer);
    for (int peer = 0; peer < job_size; ++peer) out[peer] = job_rank + peer;
    MUST(tutti_allreduce(out, in, job_size, MPI_LONG_LONG, MPI_SUM, comm));
    for (int peer = 0; peer < job_size; ++peer)
      CHECK(in[peer] == (long long)size * peer + (long long)size * (job_size - 1) / 2,
            "sum %d is %lld", peer, in[peer]);
  }
  char text[1 << 16];
  MUST(tutti_describe(comm, text, sizeof text, NULL));
  const char* const connections = strstr(text, "\"connections\"");
  const long long in_memory = number_after(connections, "\"shm\":"),
                  by_verbs = number_after(connections, "\"verbs\":");
  CHECK(in_memory + by_verbs == job_size - 1, "%lld and %lld connections", in_memory, by_verbs);
  if (job_rank == 0)
    printf(
        "%d ranks, %lld connections of rank 0 within the node, %lld by verbs: the node's segment "
        "takes %.1f MiB, rank 0 holds %.1f MiB more than before\n",
        job_size, in_memory, by_verbs, (double)number_after(text, "\"segment_bytes\":") / (1 << 20),
        (double)(resident_kib() - before) / 1024);
  free(in);
  free(out);
  MUST(tutti_comm_free(&comm));
  job_end("many");
  return 0;
}
