/* fft.c with Tutti's own calls in place of MPI's collectives: see `diff fft.c fft_tutti.c`.
 *
 *     fft_tutti [N]     a power of two; 256 if not given */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

typedef double complex Complex;

static tutti_comm world;
static int N, rank, ranks;
static int rows;                   /* rows of a rank */
static int width;                  /* columns of a row: rows * ranks */
static Complex* roots;             /* exp(-2 pi i k / N), for k < N */
static MPI_Datatype block, column; /* the part for one rank; and the place of one of its rows */

static void make_types(void) {
  const MPI_Aint element = sizeof(Complex);
  MPI_Datatype cut;
  MPI_Type_vector(rows, rows, width, MPI_C_DOUBLE_COMPLEX, &cut); /* the first `rows` columns */
  MPI_Type_create_resized(cut, 0, rows * element, &block);        /* the next block is beside it */
  MPI_Type_free(&cut);
  MPI_Type_vector(rows, 1, width, MPI_C_DOUBLE_COMPLEX, &cut);
  MPI_Type_create_resized(cut, 0, element, &column);
  MPI_Type_free(&cut);
  MPI_Type_commit(&block);
  MPI_Type_commit(&column);
}

static void transpose(const Complex* from, Complex* to) {
  check(tutti_alltoall(from, 1, block, to, rows, column, world));
}

/* Cooley and Tukey's transform of one row, in place. */
static void transform_row(Complex* x, int inverse) {
  for (int i = 0, j = 0; i < N; ++i) { /* j is i with its bits in reverse order */
    if (i < j) {
      const Complex other = x[i];
      x[i] = x[j];
      x[j] = other;
    }
    int bit = N / 2;
    for (; bit > 0 && (j & bit); bit /= 2) j ^= bit;
    j |= bit;
  }
  for (int half = 1; half < N; half *= 2)
    for (int start = 0; start < N; start += 2 * half)
      for (int k = 0; k < half; ++k) {
        const Complex root = roots[k * (N / 2 / half)];
        const Complex odd = (inverse ? conj(root) : root) * x[start + k + half];
        x[start + k + half] = x[start + k] - odd;
        x[start + k] += odd;
      }
}

static void transform_rows(Complex* x, int inverse) {
  for (int i = 0; i < rows && rank * rows + i < N; ++i)
    transform_row(x + (size_t)i * (size_t)width, inverse);
}

/* The result in `to` is transposed: row k has the frequency k of the columns; `from` is
 * overwritten. The inverse takes a result of this form, so it needs no further transposition. */
static void transform(Complex* from, Complex* to, int inverse) {
  transform_rows(from, inverse);
  transpose(from, to);
  transform_rows(to, inverse);
}

/* A plane wave, and its transform divided by N * N: it has one frequency. */
static Complex wave(int row, int col) { return conj(roots[(3 * row + 5 * col) % N]); }
static Complex frequency(int row, int col) { return row == 5 % N && col == 3 % N; }

/* Anything that has all frequencies. */
static Complex noise(int row, int col) {
  const double x = sin(12.9898 * row + 78.233 * col) * 43758.5453;
  return (x - floor(x)) + I * cos(x);
}

static void fill(Complex* x, Complex (*f)(int, int)) {
  for (int i = 0; i < rows * width; ++i) {
    const int row = rank * rows + i / width, col = i % width;
    x[i] = row < N && col < N ? f(row, col) : 0;
  }
}

/* The largest |scale * x - f| of all ranks. */
static double difference(const Complex* x, double scale, Complex (*f)(int, int)) {
  double most = 0;
  for (int i = 0; i < rows * width; ++i) {
    const int row = rank * rows + i / width, col = i % width;
    if (row < N && col < N) most = fmax(most, cabs(scale * x[i] - f(row, col)));
  }
  check(tutti_allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world));
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  N = argc > 1 ? atoi(argv[1]) : 256;
  if (N < 1 || N > 16384 || (N & (N - 1))) {
    if (rank == 0) fprintf(stderr, "fft_tutti: N must be a power of two, 16384 or less\n");
    MPI_Finalize();
    return 2;
  }
  check(tutti_init(NULL));
  check(tutti_comm_create(MPI_COMM_WORLD, &world));
  rows = (N + ranks - 1) / ranks;
  width = rows * ranks;
  roots = malloc((size_t)N * sizeof(Complex));
  Complex* const x = malloc((size_t)rows * (size_t)width * sizeof(Complex));
  Complex* const y = malloc((size_t)rows * (size_t)width * sizeof(Complex));
  if (!roots || !x || !y) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int k = 0; k < N; ++k) roots[k] = cexp(-2 * acos(-1) * I * k / N);
  make_types();

  fill(x, wave);
  transform(x, y, 0);
  const double of_wave = difference(y, 1.0 / N / N, frequency);
  fill(x, noise);
  transform(x, y, 0);
  transform(y, x, 1);
  const double back = difference(x, 1.0 / N / N, noise);
  const int good = of_wave < 1e-12 && back < 1e-12;
  if (rank == 0)
    printf("fft_tutti: %s: %d x %d, %d ranks, error of a plane wave %.1e, there and back %.1e\n",
           good ? "ok" : "WRONG", N, N, ranks, of_wave, back);
  check(tutti_comm_free(&world));
  check(tutti_finalize());
  MPI_Type_free(&block);
  MPI_Type_free(&column);
  free(roots);
  free(x);
  free(y);
  MPI_Finalize();
  return good ? 0 : 1;
}
