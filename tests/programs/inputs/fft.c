/* Three-dimensional transforms there and back, with FFTW's transposes between ranks. */
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const ptrdiff_t n = 30;
  ptrdiff_t rows, first;
  int rank;
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ptrdiff_t room = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &rows, &first);
  fftw_complex* const data = fftw_alloc_complex((size_t)room);
  const fftw_plan there = fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                               FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  const fftw_plan back = fftw_mpi_plan_dft_3d(n, n, n, data, data, MPI_COMM_WORLD, FFTW_BACKWARD,
                                              FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
  for (ptrdiff_t i = 0; i < rows * n * n; ++i) data[i] = sin((double)(i + first * n * n) / 7);
  for (int round = 0; round < 100; ++round) {
    double sums[2] = {0, 0}, all[2];
    fftw_execute(there);
    for (ptrdiff_t i = 0; i < rows * n * n; ++i) sums[0] += cabs(data[i]);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows * n * n; ++i) {
      data[i] /= (double)(n * n * n);
      sums[1] += creal(data[i]) * (double)(i + first * n * n);
    }
    MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && round % 20 == 0) printf("%d %.10g %.10g\n", round, all[0], all[1]);
  }
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(data);
  MPI_Finalize();
  return 0;
}
