/* One-sided communication with a rank that waits in a collective: as long as there are windows it
 * stays awake, since many MPIs move such data only while the target calls them; then it sleeps. */
#include "plain.h"

enum { kOperations = 2000, kMilliseconds = 300, kFew = 30 };

/* How often a process has slept. To yield is not to sleep. */
static long sleeps_of(int pid) {
  char name[64], line[256];
  long sleeps = -1;
  snprintf(name, sizeof name, "/proc/%d/status", pid);
  FILE* const status = fopen(name, "r");
  CHECK(status, "there is no %s", name);
  while (fgets(line, sizeof line, status)) sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
  fclose(status);
  CHECK(sleeps >= 0, "%s has no voluntary_ctxt_switches", name);
  return sleeps;
}

/* How often rank 1 sleeps in a barrier for which rank 0 is late. */
static long sleeps_in_barrier(int pid) {
  long sleeps = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const long before = sleeps_of(pid);
    usleep(1000 * kMilliseconds);
    sleeps = sleeps_of(pid) - before;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&sleeps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return sleeps;
}

/* On a busy machine it may come to sleep seldom, and so needs some barriers. */
static void sleeps_at_last(int pid, const char* when) {
  int barriers = 0;
  for (long sleeps = 0; sleeps <= kFew; ++barriers) {
    CHECK(barriers < 200, "%s a rank that waits for long does not sleep", when);
    sleeps += sleeps_in_barrier(pid);
  }
}

static void accumulate(MPI_Win window, const double* target) {
  double source[128] = {1};
  MPI_Datatype strided;
  MPI_Type_vector(8, 4, 16, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < kOperations; ++i) {
    MPI_Accumulate(source, 1, strided, 1, 0, 1, strided, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  CHECK(rank != 1 || target[0] == kOperations, "%g is not %d sums", target[0], kOperations);
  MPI_Type_free(&strided);
}

int main(int argc, char** argv) {
  double mine[512] = {0}, *allocated = NULL;
  int pid = (int)getpid();
  MPI_Win windows[3];
  begin(&argc, &argv);
  MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
  sleeps_at_last(pid, "before the first window");
  MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
  MPI_Win_allocate(sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated,
                   &windows[1]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[2]);
  accumulate(windows[0], mine);
  for (int i = 0; i < 3; ++i) {
    const long sleeps = sleeps_in_barrier(pid);
    CHECK(sleeps <= kFew, "with %d windows a rank that waits sleeps %ld times", 3 - i, sleeps);
    MPI_Win_free(&windows[i]);
  }
  sleeps_at_last(pid, "after the last window");
  finish("plain_windows_test");
  return 0;
}
