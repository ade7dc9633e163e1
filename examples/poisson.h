/* Poisson's equation, -u_xx - u_yy = f on the unit square with u = 0 on its edge, for cg.c,
 * cg_overlap.c and their twins with Tutti's calls.
 *
 * Each rank has some rows of the grid, with a frame around them: the rows above and below hold
 * copies of the neighbours' nearest rows, or the edge of the square, and the outer columns hold the
 * edge. */
#ifndef POISSON_H
#define POISSON_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int points;      /* in each direction */
  int first, rows; /* this rank's rows, without the frame */
  int above, below;
  int rank, ranks;
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

/* As many rows as others, or one more. If `points` are too few or too many, ends the program. */
static Grid divide(int points) {
  Grid grid;
  MPI_Comm_rank(MPI_COMM_WORLD, &grid.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &grid.ranks);
  if (points < grid.ranks || points > 2000) {
    if (grid.rank == 0) fprintf(stderr, "POINTS must be %d (the ranks) to 2000\n", grid.ranks);
    MPI_Finalize();
    exit(2);
  }
  const int some = points / grid.ranks, more = points % grid.ranks;
  grid.points = points;
  grid.first = grid.rank * some + (grid.rank < more ? grid.rank : more);
  grid.rows = some + (grid.rank < more);
  grid.above = grid.rank > 0 ? grid.rank - 1 : MPI_PROC_NULL; /* nothing is exchanged with it */
  grid.below = grid.rank < grid.ranks - 1 ? grid.rank + 1 : MPI_PROC_NULL;
  return grid;
}

/* y = A x, where A is the five-point stencil. The frame of x is filled. */
static void multiply(const Grid* grid, double* x, double* y) {
  const int w = width(grid), last = grid->rows;
  MPI_Sendrecv(x + w, w, MPI_DOUBLE, grid->above, 0, x + (last + 1) * w, w, MPI_DOUBLE, grid->below,
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + last * w, w, MPI_DOUBLE, grid->below, 0, x, w, MPI_DOUBLE, grid->above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= grid->rows; ++i)
    for (int k = i * w + 1; k <= i * w + grid->points; ++k)
      y[k] = 4 * x[k] - x[k - 1] - x[k + 1] - x[k - w] - x[k + w];
}

/* y = a x + b y, on this rank's rows. */
static void combine(const Grid* grid, double a, const double* x, double b, double* y) {
  for (int k = width(grid); k < (grid->rows + 1) * width(grid); ++k) y[k] = a * x[k] + b * y[k];
}

/* This rank's share of the product. */
static double dot_here(const Grid* grid, const double* x, const double* y) {
  double sum = 0;
  for (int k = width(grid); k < (grid->rows + 1) * width(grid); ++k) sum += x[k] * y[k];
  return sum;
}

/* The solution is u = x (1 - x) y (1 - y). The stencil is exact for polynomials of such a degree,
 * so the computed u may differ from it by rounding only. */
static double hill(double x) { return x * (1 - x); }

/* The right side of A u = r. */
static double* right_side(const Grid* grid) {
  const double h = 1.0 / (grid->points + 1);
  double* const r = new_vector(grid);
  for (int i = 1; i <= grid->rows; ++i)
    for (int j = 1; j <= grid->points; ++j)
      r[i * width(grid) + j] = h * h * 2 * (hill((grid->first + i) * h) + hill(j * h));
  return r;
}

/* The largest error in this rank's rows. */
static double error_here(const Grid* grid, const double* u) {
  const double h = 1.0 / (grid->points + 1);
  double error = 0;
  for (int i = 1; i <= grid->rows; ++i)
    for (int j = 1; j <= grid->points; ++j)
      error = fmax(error, fabs(u[i * width(grid) + j] - hill((grid->first + i) * h) * hill(j * h)));
  return error;
}

/* Prints it at rank 0; the program's status. `error`: of all ranks. */
static int report(const char* name, const Grid* grid, int iterations, double error) {
  const int good = error < 1e-9;
  if (grid->rank == 0)
    printf("%s: %s: %d x %d points, %d ranks, %d iterations, largest error %.1e\n", name,
           good ? "ok" : "WRONG", grid->points, grid->points, grid->ranks, iterations, error);
  return good ? 0 : 1;
}

#endif
