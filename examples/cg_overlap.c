/* cg.c with one sum an iteration, which is under way while the matrix is multiplied: pipelined
 * conjugate gradients (Ghysels and Vanroose, Parallel Computing 40, 2014).
 *
 *     cg_overlap [POINTS]     points inside the square in each direction; 64 if not given
 *
 * Vectors that cg.c gets by multiplying are kept and updated instead: w = A r, s = A p, z = A s. So
 * both products are known before A w is, which only the next iteration needs. */
#include "poisson.h"

/* Solves A u = r from u = 0 on; r is overwritten. Returns the number of iterations. */
static int solve(const Grid* grid, double* u, double* r) {
  double *const p = new_vector(grid), *const s = new_vector(grid), *const z = new_vector(grid),
                *const w = new_vector(grid), *const q = new_vector(grid);
  multiply(grid, r, w);
  double sums[2], alpha = 0, before = 0, enough = 0;
  int iterations = 0;
  for (; iterations < 10 * grid->points; ++iterations) {
    MPI_Request request;
    sums[0] = dot_here(grid, r, r);
    sums[1] = dot_here(grid, w, r);
    MPI_Iallreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    multiply(grid, w, q);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (iterations == 0) enough = 1e-24 * sums[0];
    if (sums[0] <= enough) break;
    const double beta = iterations > 0 ? sums[0] / before : 0;
    alpha = sums[0] / (iterations > 0 ? sums[1] - beta * sums[0] / alpha : sums[1]);
    before = sums[0];
    combine(grid, 1, q, beta, z);
    combine(grid, 1, w, beta, s);
    combine(grid, 1, r, beta, p);
    combine(grid, alpha, p, 1, u);
    combine(grid, -alpha, s, 1, r);
    combine(grid, -alpha, z, 1, w);
  }
  free(p);
  free(s);
  free(z);
  free(w);
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
  const int status = report("cg_overlap", &grid, iterations, error);
  free(u);
  free(r);
  MPI_Finalize();
  return status;
}
