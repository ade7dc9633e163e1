/*
 * Large messages by several rails, whose number is the first argument: data of all lengths arrives,
 * and each rail carries some. With `cut` as the second argument the link of the second rail goes
 * away on rank 0's host, and all ranks get an error in the end; rank 0's own says why.
 */
#include "job.h"

enum { kMost = 5 << 20, kName = 64 };

/* The name of the next device in `text`, which goes on behind it; "" if there is none before the
   array ends. */
static const char* next_device(const char* text, char* name) {
  name[0] = '\0';
  const char* const key = strstr(text, "\"name\":");
  const char* const end = strchr(text, ']');
  if (!key || !end || key > end) return text;
  const char* const begin = strchr(key + strlen("\"name\":"), '"') + 1;
  snprintf(name, kName, "%.*s", (int)strcspn(begin, "\""), begin);
  return begin;
}

static long packets_sent_by(const char* device) {
  char path[256];
  snprintf(path, sizeof path, "/sys/class/infiniband/%s/ports/1/hw_counters/sent_pkts", device);
  FILE* const file = fopen(path, "r");
  CHECK(file != NULL, "%s cannot be read", path);
  long packets = -1;
  CHECK(fscanf(file, "%ld", &packets) == 1, "%s has no number", path);
  fclose(file);
  return packets;
}

static unsigned char byte_at(size_t i, int round) {
  return (unsigned char)(i * 7 + i / 4096 * 13 + (size_t)round);
}

static void broadcast(tutti_comm comm, unsigned char* buffer, size_t bytes, int root, int round) {
  for (size_t i = 0; i < bytes; ++i) buffer[i] = job_rank == root ? byte_at(i, round) : 0;
  MUST(tutti_bcast(buffer, (int)bytes, MPI_BYTE, root, comm));
  for (size_t i = 0; i < bytes; ++i)
    CHECK(buffer[i] == byte_at(i, round), "byte %zu of %zu is wrong in round %d", i, bytes, round);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc >= 2, "usage: rails_test RAILS [cut]");
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* const buffer = malloc(kMost);
  const size_t sizes[] = {1,      4095,          65536,   131071,           131072,
                          262145, (1 << 20) - 1, 1 << 20, (3 << 20) + 4097, kMost};
  int round = 0;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
    for (int root = 0; root < job_size; ++root) broadcast(comm, buffer, sizes[s], root, ++round);
  char text[1 << 16], name[kName];
  MUST(tutti_describe(comm, text, sizeof text, NULL));
  const char* at = strstr(text, "\"other_rails\"");
  CHECK(at != NULL, "no rails are described");
  int rails = 1;
  for (at = next_device(at, name); name[0]; at = next_device(at, name), ++rails)
    CHECK(packets_sent_by(name) > 100, "%s sent %ld packets only", name, packets_sent_by(name));
  CHECK(rails == atoi(argv[1]), "%d rails are used", rails);
  if (argc == 3) {
    if (job_rank == 0) CHECK(system("ip link set eth1 down") == 0, "the link stays");
    int result = TUTTI_SUCCESS;
    for (int i = 0; i < 100 && result == TUTTI_SUCCESS; ++i)
      result = tutti_bcast(buffer, kMost, MPI_BYTE, i % job_size, comm);
    CHECK(result == TUTTI_ERR_PEER_FAILED || result == TUTTI_ERR_TRANSPORT, "the result is %d: %s",
          result, tutti_last_error_message());
    const int own =
        strstr(tutti_last_error_message(), "no longer answers on device rxe0-1") != NULL;
    CHECK(job_rank != 0 || !own ||
              strstr(tutti_last_error_message(), "port 1 of that device is down"),
          "rank 0 says: %s", tutti_last_error_message());
  }
  free(buffer);
  tutti_comm_free(&comm);
  job_end("rails");
  return 0;
}
