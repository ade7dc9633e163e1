/*
 * The last rank comes late to the first collective of a communicator: when each other one has said
 * that it waits there. The members of one that was split off vote then, and those of a duplicate
 * are in the collective itself. Stderr goes to a file, which the late one reads.
 */
#include <fcntl.h>

#include "plain.h"

static char text[65536];

/* How often the line stands in the file. */
static int lines(int file, const char* line) {
  int found = 0;
  const ssize_t length = pread(file, text, sizeof text - 1, 0);
  CHECK(length >= 0, "the file cannot be read");
  text[length] = '\0';
  for (const char* at = text; (at = strstr(at, line)); ++at) ++found;
  return found;
}

static void be_late(MPI_Comm comm, const char* name, const char* line, int file) {
  MPI_Comm_set_name(comm, name);
  const int stderr_before = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  while (rank == size - 1 && lines(file, line) < size - 1) usleep(1000);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Barrier(comm);
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  CHECK(sum == size, "the sum is %d", sum);
  const int said = lines(file, line);
  CHECK(said == size - 1 || said == size, "%d lines:\n%.800s", said, text);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(size > 1, "the test needs 2 ranks or more");
  char name[] = "/tmp/tutti-late-XXXXXX";
  int file = rank == 0 ? mkstemp(name) : 0;
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank > 0) file = open(name, O_RDWR);
  CHECK(file >= 0 && fcntl(file, F_SETFL, O_APPEND) == 0, "%s cannot be opened", name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);

  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
  be_late(comm, "solver",
          "has been in the first collective that Tutti takes of communicator `solver` for", file);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  be_late(comm, "copy", "has been in call 1 of communicator `copy` (allreduce, 4 bytes) for", file);
  finish("plain_late");
  return 0;
}
