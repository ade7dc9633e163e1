/* Conjugate gradients with BoomerAMG for the five-point Laplacian. */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 60 };

static HYPRE_IJMatrix laplacian(int first, int last) {
  HYPRE_IJMatrix matrix;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(matrix);
  for (int row = first; row <= last; ++row) {
    int columns[5] = {row}, size = 1;
    double values[5] = {4, -1, -1, -1, -1};
    if (row >= N) columns[size++] = row - N;
    if (row % N > 0) columns[size++] = row - 1;
    if (row % N < N - 1) columns[size++] = row + 1;
    if (row < N * N - N) columns[size++] = row + N;
    HYPRE_IJMatrixSetValues(matrix, 1, &size, &row, columns, values);
  }
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

static HYPRE_IJVector vector(int first, int last, double value) {
  HYPRE_IJVector made;
  HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &made);
  HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(made);
  for (int row = first; row <= last; ++row) HYPRE_IJVectorSetValues(made, 1, &row, &value);
  HYPRE_IJVectorAssemble(made);
  return made;
}

int main(int argc, char** argv) {
  int rank, size, rounds;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  HYPRE_Init();
  const int first = N * N / size * rank;
  const int last = rank == size - 1 ? N * N - 1 : N * N / size * (rank + 1) - 1;
  for (int coarsening = 0; coarsening <= 10; ++coarsening) {
    if (coarsening != 0 && coarsening != 6 && coarsening != 8 && coarsening != 10) continue;
    HYPRE_ParCSRMatrix A;
    HYPRE_ParVector b, x;
    HYPRE_Solver solver, precond;
    HYPRE_IJMatrix matrix = laplacian(first, last);
    HYPRE_IJVector right = vector(first, last, 1.0 / (N * N)), left = vector(first, last, 0);
    HYPRE_IJMatrixGetObject(matrix, (void**)&A);
    HYPRE_IJVectorGetObject(right, (void**)&b);
    HYPRE_IJVectorGetObject(left, (void**)&x);
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &solver);
    HYPRE_PCGSetTol(solver, 1e-9);
    HYPRE_PCGSetMaxIter(solver, 200);
    HYPRE_BoomerAMGCreate(&precond);
    HYPRE_BoomerAMGSetCoarsenType(precond, coarsening);
    HYPRE_BoomerAMGSetTol(precond, 0);
    HYPRE_BoomerAMGSetMaxIter(precond, 1);
    HYPRE_BoomerAMGSetRelaxType(precond, 6);
    HYPRE_PCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, precond);
    HYPRE_ParCSRPCGSetup(solver, A, b, x);
    HYPRE_ParCSRPCGSolve(solver, A, b, x);
    HYPRE_PCGGetNumIterations(solver, &rounds);
    double product;
    HYPRE_ParVectorInnerProd(b, x, &product);
    if (rank == 0) printf("coarsening %d: %d rounds, %.9g\n", coarsening, rounds, product);
    HYPRE_ParCSRPCGDestroy(solver);
    HYPRE_BoomerAMGDestroy(precond);
    HYPRE_IJMatrixDestroy(matrix);
    HYPRE_IJVectorDestroy(right);
    HYPRE_IJVectorDestroy(left);
  }
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
