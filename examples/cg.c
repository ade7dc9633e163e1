/* Poisson's equation solved by conjugate gradients; poisson.h says how the grid is divided.
 *
 *     cg [POINTS]     points inside the square in each direction; 64 if not given
 *
 * An iteration exchanges rows with both neighbours and needs two sums over all ranks. The sums are
 * 8 bytes each: on many ranks their latency limits the method. */
#include "poisson.h"

/* MPI_Allreduce gives all ranks the same bits, so all leave the loop in the same iteration. */
static double dot(const Grid* grid, const double* x, const double* y) {
  double sum = dot_here(grid, x, y);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
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

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Grid grid = divide(argc > 1 ? atoi(argv[1]) : 64);
  double *const u = new_vector(&grid), *const r = right_side(&grid);

  const int iterations = solve(&grid, u, r);

  double error = error_here(&grid, u);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int status = report("cg", &grid, iterations, error);
  free(u);
  free(r);
  MPI_Finalize();
  return status;
}
