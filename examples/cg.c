/* Poisson's equation, -u_xx - u_yy = f on the unit square with u = 0 on its edge, solved by
 * conjugate gradients.
 *
 *     cg [POINTS]     points inside the square in each direction; 64 if not given
 *
 * Each rank has some rows of the grid, with a frame around them: the rows above and below hold
 * copies of the neighbours' nearest rows, or the edge of the square, and the outer columns hold the
 * edge. An iteration exchanges these copies with both neighbours and needs two sums over all ranks.
 * The sums are 8 bytes each: on many ranks their latency limits the method. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int points;      /* in each direction */
  int first, rows; /* this rank's rows, without the frame */
  int above, below;
} Grid;

static int width(const Grid* grid) { return grid->points + 2; }

static double* new_vector(const Grid* grid) {
  double* const vector =
      calloc((size_t)(grid->rows + 2) * (size_t)width(grid), sizeof(double)); /* frame: zeros */
  if (!vector) {
    fprintf(stderr, "cg: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return vector;
}

/* As many rows as others, or one more. */
static Grid divide(int points, int rank, int ranks) {
  const int some = points / ranks, more = points % ranks;
  Grid grid;
  grid.points = points;
  grid.first = rank * some + (rank < more ? rank : more);
  grid.rows = some + (rank < more);
  grid.above = rank > 0 ? rank - 1 : MPI_PROC_NULL; /* nothing is exchanged with it */
  grid.below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  return grid;
}

static void exchange(const Grid* grid, double* x) {
  const int w = width(grid), last = grid->rows;
  MPI_Sendrecv(x + w, w, MPI_DOUBLE, grid->above, 0, x + (last + 1) * w, w, MPI_DOUBLE, grid->below,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + last * w, w, MPI_DOUBLE, grid->below, 0, x, w, MPI_DOUBLE, grid->above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* y = A x, where A is the five-point stencil. */
static void multiply(const Grid* grid, double* x, double* y) {
  const int w = width(grid);
  exchange(grid, x);
  for (int i = 1; i <= grid->rows; ++i)
    for (int k = i * w + 1; k <= i * w + grid->points; ++k)
      y[k] = 4 * x[k] - x[k - 1] - x[k + 1] - x[k - w] - x[k + w];
}

/* MPI_Allreduce gives all ranks the same bits, so all leave the loop in the same iteration. */
static double dot(const Grid* grid, const double* x, const double* y) {
  double sum = 0;
  for (int k = width(grid); k < (grid->rows + 1) * width(grid); ++k) sum += x[k] * y[k];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* y = a x + b y, on this rank's rows. */
static void combine(const Grid* grid, double a, const double* x, double b, double* y) {
  for (int k = width(grid); k < (grid->rows + 1) * width(grid); ++k) y[k] = a * x[k] + b * y[k];
}

/* Solves A u = r from u = 0 on; r is overwritten. Returns the number of iterations. */
static int solve(const Grid* grid, double* u, double* r) {
  double *const p = new_vector(grid), *const q = new_vector(grid);
  combine(grid, 1, r, 0, p);
  double rr = dot(grid, r, r);
  const double enough = 1e-24 * rr; /* squares: the residual has become 1e-12 of the first one */
  int iterations = 0;
  for (; rr > enough && iterations < 10 * grid->points; ++iterations) {
    multiply(grid, p, q);
    const double alpha = rr / dot(grid, p, q), before = rr;
    combine(grid, alpha, p, 1, u);
    combine(grid, -alpha, q, 1, r);
    rr = dot(grid, r, r);
    combine(grid, 1, r, rr / before, p);
  }
  free(p);
  free(q);
  return iterations;
}

/* The solution is u = x (1 - x) y (1 - y). The stencil is exact for polynomials of such a degree,
 * so the computed u may differ from it by rounding only. */
static double hill(double x) { return x * (1 - x); }

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int points = argc > 1 ? atoi(argv[1]) : 64;
  if (points < ranks || points > 2000) {
    if (rank == 0) fprintf(stderr, "cg: POINTS must be %d (the ranks) to 2000\n", ranks);
    MPI_Finalize();
    return 2;
  }
  const Grid grid = divide(points, rank, ranks);
  const double h = 1.0 / (points + 1);
  double *const u = new_vector(&grid), *const r = new_vector(&grid);
  for (int i = 1; i <= grid.rows; ++i)
    for (int j = 1; j <= points; ++j)
      r[i * width(&grid) + j] = h * h * 2 * (hill((grid.first + i) * h) + hill(j * h));

  const int iterations = solve(&grid, u, r);

  double error = 0;
  for (int i = 1; i <= grid.rows; ++i)
    for (int j = 1; j <= points; ++j)
      error = fmax(error, fabs(u[i * width(&grid) + j] - hill((grid.first + i) * h) * hill(j * h)));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int good = error < 1e-9;
  if (rank == 0)
    printf("cg: %s: %d x %d points, %d ranks, %d iterations, largest error %.1e\n",
           good ? "ok" : "WRONG", points, points, ranks, iterations, error);
  free(u);
  free(r);
  MPI_Finalize();
  return good ? 0 : 1;
}
