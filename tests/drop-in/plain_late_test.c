/*
 * The last rank comes late to the first collective of a communicator: when each other one has said
 * that it waits there. What ranks say goes to a file, which the late one reads.
 */
#include <fcntl.h>

#include "plain.h"

static const char* const kLine =
    "has been in the first collective that Tutti takes of communicator `solver` for";

static char text[65536];

/* How often the line stands in the file. */
static int lines(int file) {
  int found = 0;
  const ssize_t length = pread(file, text, sizeof text - 1, 0);
  CHECK(length >= 0, "the file cannot be read");
  text[length] = '\0';
  for (const char* at = text; (at = strstr(at, kLine)); ++at) ++found;
  return found;
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

  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  const int stderr_before = dup(STDERR_FILENO);
  dup2(file, STDERR_FILENO);
  while (rank == size - 1 && lines(file) < size - 1) usleep(1000);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, solver);
  MPI_Barrier(solver);
  dup2(stderr_before, STDERR_FILENO);
  CHECK(sum == size, "the sum is %d", sum);
  const int said = lines(file);
  CHECK(said == size - 1 || said == size, "%d lines:\n%.800s", said, text);
  MPI_Comm_free(&solver);
  finish("plain_late");
  return 0;
}
