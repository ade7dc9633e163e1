/* cg_overlap.c with Tutti's own calls: `diff cg_overlap.c cg_overlap_tutti.c`. The sum is a
 * persistent request: its arguments are looked at once, and each iteration only starts it.
 *
 *     cg_overlap_tutti [POINTS]     points inside the square in each direction; 64 if not given */
#include "check.h"
#include "poisson.h"

static tutti_comm world;

/* Solves A u = r from u = 0 on; r is overwritten. Returns the number of iterations. */
static int solve(const Grid* grid, double* u, double* r) {
  double *const p = new_vector(grid), *const s = new_vector(grid), *const z = new_vector(grid),
                *const w = new_vector(grid), *const q = new_vector(grid);
  multiply(grid, r, w);
  double sums[2], alpha = 0, before = 0, enough = 0;
  tutti_request request;
  check(tutti_allreduce_init(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, world, &request));
  int iterations = 0;
  for (; iterations < 10 * grid->points; ++iterations) {
    sums[0] = dot_here(grid, r, r);
    sums[1] = dot_here(grid, w, r);
    check(tutti_start(&request));
    multiply(grid, w, q);
    check(tutti_wait(&request));
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
  check(tutti_request_free(&request));
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
  check(tutti_init(NULL));
  check(tutti_comm_create(MPI_COMM_WORLD, &world));
  double *const u = new_vector(&grid), *const r = right_side(&grid);

  const int iterations = solve(&grid, u, r);

  double error = error_here(&grid, u);
  check(tutti_allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, world));
  const int status = report("cg_overlap_tutti", &grid, iterations, error);
  check(tutti_comm_free(&world));
  check(tutti_finalize());
  free(u);
  free(r);
  MPI_Finalize();
  return status;
}
