#include "job.h"

int job_rank, job_size;

void job_begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
}

long long job_describes(tutti_comm comm, const char* member) {
  char text[16384], key[128];
  size_t needed = 0;
  MUST(tutti_describe(comm, text, sizeof text, &needed));
  CHECK(needed < sizeof text, "tutti_describe needs %zu bytes", needed);
  snprintf(key, sizeof key, "\"%s\":", member);
  const char* const at = strstr(text, key);
  CHECK(at, "tutti_describe has no member %s", member);
  return strtoll(at + strlen(key), NULL, 10);
}

void job_end(const char* name) {
  MUST(tutti_finalize());
  MPI_Finalize();
  if (job_rank == 0) printf("%s: ok with %d ranks\n", name, job_size);
}
