/* A computation that outlives one of its ranks, for long enough to save what it has.
 *
 *     checkpoint FOLDER [STEPS [VICTIM]]     1000 steps if not given; the rank VICTIM dies halfway
 *
 * Ranks that Tutti tells of an error write FOLDER/saved-RANK, the result of the last step that they
 * have finished, and end the job. The launcher must not end it before:
 *
 *     mpiexec.mpich -disable-auto-cleanup -n 4 sh -c 'trap : USR1; ./checkpoint /tmp 1000 2; true'
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <tutti/tutti.h>
#include <unistd.h>

enum { kNumbers = 1000 };

static int rank, ranks;

/* Computes what this rank adds in a step that begins with the numbers `now`. */
static void advance(const double* now, double* mine) {
  for (int i = 0; i < kNumbers; ++i)
    mine[i] = (now[i] + (double)(rank + 1) / (i + 1)) / (2 * ranks);
}

static int save(const char* folder, int step, const double* numbers) {
  char name[4096];
  snprintf(name, sizeof name, "%s/saved-%d", folder, rank);
  FILE* const file = fopen(name, "w");
  if (!file) return 0;
  int good = fprintf(file, "%d\n", step) > 0;
  for (int i = 0; good && i < kNumbers; ++i) good = fprintf(file, "%.17g\n", numbers[i]) > 0;
  return fclose(file) == 0 && good;
}

/* Each rank learns of the error by itself, a little later than others perhaps, and MPI_Abort ends
 * them all: who comes first leaves the others time. MPI_Finalize would wait for the dead. */
static void save_and_leave(const char* folder, int step, const double* numbers) {
  fprintf(stderr, "checkpoint: step %d: %s\n", step + 1, tutti_last_error_message());
  if (save(folder, step, numbers))
    fprintf(stderr, "checkpoint: rank %d has saved step %d\n", rank, step);
  else
    perror("checkpoint: cannot save");
  sleep(2);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) {
    if (rank == 0) fprintf(stderr, "usage: checkpoint FOLDER [STEPS [VICTIM]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const char* const folder = argv[1];
  const int steps = argc > 2 ? atoi(argv[2]) : 1000;
  const int victim = argc > 3 ? atoi(argv[3]) : -1;

  tutti_comm world;
  if (tutti_init(NULL) != TUTTI_SUCCESS ||
      tutti_comm_create(MPI_COMM_WORLD, &world) != TUTTI_SUCCESS) {
    fprintf(stderr, "checkpoint: %s\n", tutti_last_error_message());
    sleep(1); /* else MPICH's launcher may lose the line */
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  /* Two buffers: that of a call that fails has any contents. */
  static double buffers[2][kNumbers], mine[kNumbers];
  double *now = buffers[0], *next = buffers[1];
  for (int step = 0; step < steps; ++step) {
    advance(now, mine);
    if (rank == victim && step == steps / 2) raise(SIGKILL);
    if (tutti_allreduce(mine, next, kNumbers, MPI_DOUBLE, MPI_SUM, world) != TUTTI_SUCCESS)
      save_and_leave(folder, step, now);
    double* const done = next;
    next = now;
    now = done;
  }
  if (rank == 0) printf("checkpoint: ok: %d steps, %d ranks\n", steps, ranks);
  tutti_comm_free(&world);
  tutti_finalize();
  return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
