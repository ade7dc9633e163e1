/* cg.c with Tutti's own calls: `diff cg.c cg_tutti.c`.
 *
 *     cg_tutti [POINTS]     points inside the square in each direction; 64 if not given */
#include "check.h"
#include "poisson.h"

static tutti_comm world;

/* tutti_allreduce gives all ranks the same bits, so all leave the loop in the same iteration. */
static double dot(const Grid* grid, const double* x, const double* y) {
  double sum = dot_here(grid, x, y);
  check(tutti_allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world));
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
  check(tutti_init(NULL));
  check(tutti_comm_create(MPI_COMM_WORLD, &world));
  double *const u = new_vector(&grid), *const r = right_side(&grid);

  const int iterations = solve(&grid, u, r);

  double error = error_here(&grid, u);
  check(tutti_allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, world));
  const int status = report("cg_tutti", &grid, iterations, error);
  check(tutti_comm_free(&world));
  check(tutti_finalize());
  free(u);
  free(r);
  MPI_Finalize();
  return status;
}
