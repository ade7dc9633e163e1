/* The five-point Laplacian: solved by direct solvers (MUMPS with PT-Scotch's order, SuperLU_dist)
 * and by multigrid (PETSc's own, hypre's), partitioned by PT-Scotch; and its least eigenvalues by
 * SLEPc. */
#include <slepceps.h>

enum { N = 40 };

static Mat laplacian(void) {
  Mat matrix;
  PetscInt first, last;
  MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, N * N, N * N, 5, NULL, 5, NULL,
               &matrix);
  MatGetOwnershipRange(matrix, &first, &last);
  for (PetscInt row = first; row < last; ++row) {
    MatSetValue(matrix, row, row, 4, INSERT_VALUES);
    if (row >= N) MatSetValue(matrix, row, row - N, -1, INSERT_VALUES);
    if (row % N > 0) MatSetValue(matrix, row, row - 1, -1, INSERT_VALUES);
    if (row % N < N - 1) MatSetValue(matrix, row, row + 1, -1, INSERT_VALUES);
    if (row < N * N - N) MatSetValue(matrix, row, row + N, -1, INSERT_VALUES);
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
  return matrix;
}

static void solve(Mat matrix, const char* type, const char* package) {
  KSP solver;
  PC precond;
  Vec x, b;
  PetscReal norm;
  MatCreateVecs(matrix, &x, &b);
  VecSet(b, 1.0 / (N * N));
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetOperators(solver, matrix, matrix);
  KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 200);
  KSPGetPC(solver, &precond);
  PCSetType(precond, type);
  if (package) PCFactorSetMatSolverType(precond, package);
  KSPSetFromOptions(solver);
  for (int i = 0; i < 3; ++i) KSPSolve(solver, b, x);
  VecNorm(x, NORM_2, &norm);
  PetscPrintf(PETSC_COMM_WORLD, "%s %s: %.7g\n", type, package ? package : "", (double)norm);
  KSPDestroy(&solver);
  VecDestroy(&x);
  VecDestroy(&b);
}

static void partition(Mat matrix) {
  MatPartitioning part;
  Mat adjacent;
  IS where;
  PetscInt size;
  MatConvert(matrix, MATMPIADJ, MAT_INITIAL_MATRIX, &adjacent);
  MatPartitioningCreate(PETSC_COMM_WORLD, &part);
  MatPartitioningSetAdjacency(part, adjacent);
  MatPartitioningSetType(part, MATPARTITIONINGPTSCOTCH);
  MatPartitioningSetFromOptions(part);
  MatPartitioningApply(part, &where);
  ISGetSize(where, &size);
  PetscPrintf(PETSC_COMM_WORLD, "partition of %d\n", (int)size);
  ISDestroy(&where);
  MatPartitioningDestroy(&part);
  MatDestroy(&adjacent);
}

static void eigenvalues(Mat matrix) {
  EPS eigen;
  EPSCreate(PETSC_COMM_WORLD, &eigen);
  EPSSetOperators(eigen, matrix, NULL);
  EPSSetProblemType(eigen, EPS_HEP);
  EPSSetWhichEigenpairs(eigen, EPS_LARGEST_REAL);
  EPSSetDimensions(eigen, 4, PETSC_DEFAULT, PETSC_DEFAULT);
  EPSSetTolerances(eigen, 1e-9, 1000);
  EPSSetFromOptions(eigen);
  EPSSolve(eigen);
  for (int i = 0; i < 4; ++i) {
    PetscScalar value, none;
    EPSGetEigenpair(eigen, i, &value, &none, NULL, NULL);
    PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %d: %.7g\n", i, (double)value);
  }
  EPSDestroy(&eigen);
}

int main(int argc, char** argv) {
  SlepcInitialize(&argc, &argv, NULL, NULL);
  Mat matrix = laplacian();
  solve(matrix, PCLU, MATSOLVERMUMPS);
  solve(matrix, PCLU, MATSOLVERSUPERLU_DIST);
  solve(matrix, PCGAMG, NULL);
  solve(matrix, PCHYPRE, NULL);
  solve(matrix, PCBJACOBI, NULL);
  partition(matrix);
  eigenvalues(matrix);
  MatDestroy(&matrix);
  SlepcFinalize();
  return 0;
}
