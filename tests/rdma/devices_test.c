/*
 * Rank i uses the device that argument i names, and reaches all others by it.
 */
#include "job.h"

/* The name of the device in `{"device": {…, "name": "rxe0", …}}`. */
static void device_of(const char* text, char* name, size_t size) {
  const char* at = strstr(text, "\"device\"");
  at = at ? strstr(at, "\"name\":") : NULL;
  at = at ? strchr(at + strlen("\"name\":"), '"') : NULL;
  CHECK(at != NULL, "no device is described");
  snprintf(name, size, "%.*s", (int)strcspn(at + 1, "\""), at + 1);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 1 + job_size, "usage: devices_test DEVICE…, one for each rank");
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  char text[1 << 16], name[64];
  MUST(tutti_describe(comm, text, sizeof text, NULL));
  device_of(text, name, sizeof name);
  CHECK(strcmp(name, argv[1 + job_rank]) == 0, "the device is %s, not %s", name,
        argv[1 + job_rank]);
  int* const out = calloc((size_t)job_size, sizeof *out);
  int* const in = calloc((size_t)job_size, sizeof *in);
  for (int peer = 0; peer < job_size; ++peer) out[peer] = 100 * job_rank + peer;
  MUST(tutti_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm));
  for (int peer = 0; peer < job_size; ++peer)
    CHECK(in[peer] == 100 * peer + job_rank, "%d from rank %d", in[peer], peer);
  free(in);
  free(out);
  MUST(tutti_comm_free(&comm));
  job_end("devices");
  return 0;
}
