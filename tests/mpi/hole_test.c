/*
 * A long buffer of which one page is not mapped, on one rank: that rank is told that its buffer is
 * bad, whoever moves the data, and whoever returns success has the right data. Not for the way of
 * two copies, in which the rank itself touches the page.
 */
#include "job.h"

#include <sys/mman.h>

enum { kBytes = 1 << 20, kRounds = 3 };

static unsigned char* make_buffer(int with_hole) {
  unsigned char* const buffer =
      mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(buffer != MAP_FAILED, "no memory");
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (with_hole) munmap(buffer + kBytes / 2, page);
  return buffer;
}

static void try_one(int wrong, int round) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* const buffer = make_buffer(job_rank == wrong);
  if (job_rank == 0 && wrong != 0)
    for (size_t i = 0; i < kBytes; ++i) buffer[i] = pattern(i, 0, round);
  const int code = tutti_bcast(buffer, kBytes, MPI_BYTE, 0, comm);
  CHECK(code == TUTTI_ERR_BUFFER || (code == TUTTI_SUCCESS && job_rank != wrong),
        "rank %d has a hole: gives %d (%s)", wrong, code, tutti_last_error_message());
  for (size_t i = 0; code == TUTTI_SUCCESS && wrong != 0 && i < kBytes; ++i)
    CHECK(buffer[i] == pattern(i, 0, round), "rank %d has a hole: byte %zu is wrong", wrong, i);
  CHECK(code != TUTTI_SUCCESS || wrong != 0, "success with data that nobody has");
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(tutti_comm_free(&comm));
  munmap(buffer, kBytes);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  for (int round = 0; round < kRounds; ++round)
    for (int wrong = 0; wrong < job_size; ++wrong) try_one(wrong, round);
  job_end("hole_test");
  return 0;
}
