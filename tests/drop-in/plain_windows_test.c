/* One-sided communication with a rank that waits in a collective: as long as there are windows it
 * stays awake, since many MPIs move such data only while the target calls them; then it sleeps. */
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "plain.h"

enum { kOperations = 2000, kMilliseconds = 300, kFew = 30, kShortest = 50000 /* ns */ };

static atomic_long sleeps;

/* The C library's, which Tutti calls: shorter sleeps take the place of yields beside a process that
   computes. */
int nanosleep(const struct timespec* span, struct timespec* left) {
  if (span->tv_sec > 0 || span->tv_nsec >= kShortest) ++sleeps;
  errno = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
  return errno == 0 ? 0 : -1;
}

/* How often rank 1 sleeps in a barrier for which rank 0 is late. */
static long sleeps_in_barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) usleep(1000 * kMilliseconds);
  const long before = sleeps;
  MPI_Barrier(MPI_COMM_WORLD);
  long slept = sleeps - before;
  MPI_Bcast(&slept, 1, MPI_LONG, 1, MPI_COMM_WORLD);
  return slept;
}

/* On a busy machine it may come to sleep seldom, and so needs some barriers. */
static void sleeps_at_last(const char* when) {
  int barriers = 0;
  for (long slept = 0; slept <= kFew; ++barriers) {
    CHECK(barriers < 200, "%s a rank that waits for long does not sleep", when);
    slept += sleeps_in_barrier();
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
  MPI_Win windows[3];
  begin(&argc, &argv);
  sleeps_at_last("before the first window");
  MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[0]);
  MPI_Win_allocate(sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated,
                   &windows[1]);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &windows[2]);
  accumulate(windows[0], mine);
  for (int i = 0; i < 3; ++i) {
    const long slept = sleeps_in_barrier();
    CHECK(slept <= kFew, "with %d windows a rank that waits sleeps %ld times", 3 - i, slept);
    MPI_Win_free(&windows[i]);
  }
  sleeps_at_last("after the last window");
  finish("plain_windows_test");
  return 0;
}
