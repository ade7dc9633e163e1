/* Parts of matrices: columns, a transposition, and a halo. */
#include "datatypes.h"

/* Columns are sent, and others of the same matrix received: input and output lie between each
 * other. */
void between(tutti_comm comm) {
  enum { kRows = 300 };
  MPI_Datatype column, type;
  MPI_Type_vector(kRows, 1, 2 * job_size, MPI_DOUBLE, &column);
  type = resized(column, 0, 8);
  MPI_Type_commit(&type);
  const size_t length = (size_t)(kRows * 2 * job_size);
  double *const a = malloc(length * 8), *const b = malloc(length * 8);
  for (size_t i = 0; i < length; ++i) a[i] = b[i] = job_rank * 100000.0 + (double)i;
  MUST(tutti_alltoall(a, 1, type, a + job_size, 1, type, comm));
  MPI_Alltoall(b, 1, type, b + job_size, 1, type, MPI_COMM_WORLD);
  CHECK(memcmp(a, b, length * 8) == 0, "columns between columns differ from the MPI's");
  free(a);
  free(b);
  MPI_Type_free(&type);
}

/* x of all, a part of y, to y of all, a part of x: as an FFT needs it. */
void transpose(tutti_comm comm) {
  enum { kZ = 3, kPart = 4 };
  const int n = kPart * job_size;
  const int mine[3] = {kPart, n, kZ}, other[3] = {n, kPart, kZ}, part[3] = {kPart, kPart, kZ},
            zero[3] = {0, 0, 0};
  MPI_Datatype raw, from, to;
  MPI_Type_create_subarray(3, mine, part, zero, MPI_ORDER_C, MPI_DOUBLE, &raw);
  from = resized(raw, 0, kPart * kZ * 8);
  MPI_Type_commit(&from);
  MPI_Type_create_subarray(3, other, part, zero, MPI_ORDER_C, MPI_DOUBLE, &raw);
  to = resized(raw, 0, kPart * kPart * kZ * 8);
  MPI_Type_commit(&to);
  const size_t bytes = (size_t)(kPart * n * kZ) * 8;
  double *const a = malloc(bytes), *const b = malloc(bytes), *const c = malloc(bytes);
  for (int i = 0; i < kPart * n * kZ; ++i) a[i] = job_rank * 10000 + i, b[i] = c[i] = -1;
  for (int i = 0; i < 3; ++i) MUST(tutti_alltoall(a, 1, from, b, 1, to, comm));
  MPI_Alltoall(a, 1, from, c, 1, to, MPI_COMM_WORLD);
  CHECK(memcmp(b, c, bytes) == 0, "the transposed array differs from the MPI's");
  free(a);
  free(b);
  free(c);
  MPI_Type_free(&from);
  MPI_Type_free(&to);
}

/* Columns of a matrix go to the next rank's border and to that of the one before. */
void halo(tutti_comm comm) {
  if (job_size < 3) return; /* there are two neighbours */
  enum { kN = 40 };
  static double own[kN][kN], a[kN][kN], b[kN][kN];
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) own[i][j] = a[i][j] = b[i][j] = job_rank * 10000 + i * kN + j;
  MPI_Datatype column, type;
  MPI_Type_vector(kN, 1, kN, MPI_DOUBLE, &column);
  type = resized(column, 0, 8);
  MPI_Type_commit(&type);
  MPI_Count counts[kMost] = {0}, from[kMost] = {0}, to[kMost] = {0};
  int small_counts[kMost] = {0}, small_from[kMost] = {0}, small_to[kMost] = {0};
  const int next = (job_rank + 1) % job_size, before = (job_rank + job_size - 1) % job_size;
  counts[next] = counts[before] = small_counts[next] = small_counts[before] = 1;
  from[next] = small_from[next] = kN - 2;
  to[next] = small_to[next] = kN - 1;
  from[before] = small_from[before] = 1;
  MUST(tutti_alltoallv(own, counts, from, type, a, counts, to, type, comm));
  MPI_Alltoallv(own, small_counts, small_from, type, b, small_counts, small_to, type,
                MPI_COMM_WORLD);
  CHECK(memcmp(a, b, sizeof a) == 0, "the halo differs from the MPI's");
  MPI_Type_free(&type);
}
