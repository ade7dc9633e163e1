/*
 * Calls that MPI allows and few programs make: each gives the result of MPI's own call, or the one
 * that the standard defines.
 *
 *   semantics_test [ALGORITHM…]
 *
 * Algorithms as TUTTI_ALGORITHM would name them, for the parts where the schedule matters.
 */
#include <stdint.h>

#include "job.h"

enum { N = 6 };

static void first(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((char*)inout)[i] = ((char*)in)[i];
}

/* A user's operation is defined on any type, and touches nothing where there is nothing. */
static void operations_of_users(tutti_comm comm) {
  MPI_Op op;
  MPI_Op_create(first, 0, &op);
  char mine[4] = {(char)('a' + job_rank), 'x', 'y', 'z'}, result[4] = {0};
  MUST(tutti_allreduce(mine, result, 4, MPI_CHAR, op, comm));
  CHECK(memcmp(result, "axyz", 4) == 0, "a user's operation on characters gives %.4s", result);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  unsigned char untouched[16];
  memset(untouched, 7, sizeof untouched);
  MPI_Count counts[64];
  for (int r = 0; r < job_size; ++r) counts[r] = 3;
  MUST(tutti_allreduce(mine, untouched, 16, nothing, op, comm));
  MUST(tutti_reduce_scatter(mine, untouched, counts, nothing, op, comm));
  MUST(tutti_reduce_scatter_block(mine, untouched, 5, nothing, op, comm));
  for (int i = 0; i < 16; ++i) CHECK(untouched[i] == 7, "elements of no bytes were written");
  MUST(tutti_allreduce(NULL, NULL, 16, nothing, op, comm));
  MPI_Type_free(&nothing);
  MPI_Op_free(&op);
}

/* Operations that the MPI standard does not define are refused, even if an MPI computes some. */
static void undefined_operations(tutti_comm world) {
  float a[2] = {1, 2}, b[2] = {0, 0};
  (void)world;
  const struct {
    MPI_Datatype type;
    MPI_Op op;
  } none[] = {{MPI_REAL, MPI_LAND},
              {MPI_DOUBLE_PRECISION, MPI_LXOR},
              {MPI_CHARACTER, MPI_SUM},
              {MPI_CHAR, MPI_SUM},
              {MPI_FLOAT, MPI_BAND}};
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
    if (none[i].type == MPI_DATATYPE_NULL) continue; /* an MPI without Fortran */
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    const int code = tutti_allreduce(a, b, 1, none[i].type, none[i].op, comm);
    CHECK(code == TUTTI_ERR_OP, "undefined operation %zu gives %d (%s)", i, code,
          tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
  }
}

/* MPI_BOTTOM with a type of absolute addresses. */
static void bottom(tutti_comm comm) {
  static int data[8], all[8 * 64];
  const int lengths[2] = {2, 3};
  MPI_Aint places[2], whole;
  MPI_Get_address(&data[0], &places[0]);
  MPI_Get_address(&data[4], &places[1]);
  MPI_Get_address(all, &whole);
  MPI_Datatype mine, ours, row;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &mine);
  MPI_Type_commit(&mine);
  const int five = 5;
  MPI_Type_create_hindexed(1, &five, &whole, MPI_INT, &row);
  MPI_Type_create_resized(row, 0, 5 * (MPI_Aint)sizeof(int), &ours);
  MPI_Type_commit(&ours);
  for (int i = 0; i < 8; ++i) data[i] = job_rank == 0 ? 10 + i : -1;
  MUST(tutti_bcast(MPI_BOTTOM, 1, mine, 0, comm));
  for (int i = 0; i < 8; ++i) {
    const int expected = job_rank == 0 || i < 2 || (i >= 4 && i < 7) ? 10 + i : -1;
    CHECK(data[i] == expected, "from MPI_BOTTOM, element %d is %d, not %d", i, data[i], expected);
  }
  data[0] = job_rank;
  MUST(tutti_allgather(MPI_BOTTOM, 1, mine, MPI_BOTTOM, 1, ours, comm));
  for (int r = 0; r < job_size; ++r)
    CHECK(all[5 * r] == r && all[5 * r + 4] == 16,
          "allgather to MPI_BOTTOM gives %d and %d of rank %d", all[5 * r], all[5 * r + 4], r);
  MPI_Type_free(&mine);
  MPI_Type_free(&row);
  MPI_Type_free(&ours);
}

/* Even elements are sent, odd ones received: no byte is shared. */
static void interleaved(tutti_comm comm) {
  int data[2 * N * 64];
  MPI_Datatype every_second;
  MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &every_second);
  MPI_Type_commit(&every_second);
  for (int i = 0; i < 2 * N * job_size; ++i) data[i] = 100 * job_rank + i;
  MUST(tutti_allgather(data, N, every_second, data + 1, N, every_second, comm));
  for (int r = 0; r < job_size; ++r)
    for (int i = 0; i < N; ++i)
      CHECK(data[2 * (r * N + i) + 1] == 100 * r + 2 * i, "interleaved: %d of rank %d is %d", i, r,
            data[2 * (r * N + i) + 1]);
  for (int i = 0; i < N * job_size; ++i)
    CHECK(data[2 * i] == 100 * job_rank + 2 * i, "interleaved: the send buffer changed");
  MPI_Type_free(&every_second);
}

/* An empty block's displacement means nothing; two blocks at one place are an error, also of a type
 * whose elements interlock. */
static void displacements(tutti_comm comm) {
  MPI_Count counts[64], displs[64];
  int mine = job_rank, all[64];
  for (int r = 0; r < job_size; ++r) {
    counts[r] = r == 0;
    displs[r] = r == 0 ? 0 : INT64_MAX;
  }
  MUST(tutti_allgatherv(&mine, job_rank == 0, MPI_INT, all, counts, displs, MPI_INT, comm));
  CHECK(all[0] == 0, "allgatherv with empty blocks gives %d", all[0]);
  if (job_size < 2) return;
  MPI_Datatype column, interlocked;
  MPI_Type_vector(3, 1, 4, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &interlocked);
  MPI_Type_commit(&interlocked);
  int send[3] = {1, 2, 3}, matrix[12 * 64];
  for (int r = 0; r < job_size; ++r) counts[r] = 1, displs[r] = 0;
  tutti_comm other;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &other));
  GIVES(tutti_allgatherv(send, 3, MPI_INT, matrix, counts, displs, interlocked, other),
        TUTTI_ERR_DISPLACEMENT);
  MUST(tutti_comm_free(&other));
  for (int r = 0; r < job_size; ++r) displs[r] = r % 4 + r / 4 * 12;
  MUST(tutti_allgatherv(send, 3, MPI_INT, matrix, counts, displs, interlocked, comm));
  for (int r = 0; r < job_size; ++r)
    CHECK(matrix[displs[r]] == 1 && matrix[displs[r] + 8] == 3, "the column of rank %d is wrong",
          r);
  MPI_Type_free(&column);
  MPI_Type_free(&interlocked);
}

/* The receive buffer of exscan means nothing on rank 0: it may be null, or the send buffer. */
static void exscan_of_the_first(tutti_comm comm) {
  for (int n = 1; n <= 20000; n *= 10) {
    int *send = malloc((size_t)n * sizeof *send), *result = malloc((size_t)n * sizeof *result);
    for (int i = 0; i < n; ++i) send[i] = job_rank + i, result[i] = -1;
    MUST(tutti_exscan(send, job_rank ? result : NULL, n, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < n && job_rank; ++i)
      CHECK(result[i] == job_rank * (job_rank - 1) / 2 + job_rank * i, "exscan: element %d is %d",
            i, result[i]);
    MUST(tutti_exscan(send, job_rank ? result : send, n, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < n; ++i) CHECK(send[i] == job_rank + i, "exscan changes the send buffer");
    free(send);
    free(result);
  }
}

static void invalid_operation(tutti_comm world) {
#ifdef MPICH_VERSION /* elsewhere a handle is a pointer, and a wrong one cannot be looked at */
  int a = 1, b = 0;
  (void)world;
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  GIVES(tutti_allreduce(&a, &b, 1, MPI_INT, (MPI_Op)0x12345678, comm), TUTTI_ERR_OP);
  MUST(tutti_comm_free(&comm));
#else
  (void)world;
#endif
}

static void with(const char* setting, void (*part)(tutti_comm)) {
  const char* settings[] = {setting, NULL};
  const tutti_options options = {sizeof options, settings, NULL, NULL};
  tutti_comm comm;
  MUST(tutti_init(setting ? &options : NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  part(comm);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
}

/* Functions that MPI calls when it copies or deletes an attribute: the program's, so Tutti has no
 * business with them. */
static int copied, deleted;
static int copy(MPI_Comm comm, int keyval, void* extra, void* from, void* to, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  *(void**)to = from;
  *flag = 1;
  ++copied;
  return MPI_SUCCESS;
}
static int note_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

/* From before tutti_init to after tutti_finalize. */
static void attributes(void) {
  const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  int keyval;
  MPI_Comm_create_keyval(copy, note_delete, &keyval, NULL);
  for (int i = 0; i < 2; ++i) MPI_Comm_set_attr(comms[i], keyval, &copied);
  MUST(tutti_init(NULL));
  tutti_comm made[2];
  for (int i = 0; i < 2; ++i) MUST(tutti_comm_create(comms[i], &made[i]));
  MUST(tutti_barrier(made[0]));
  MUST(tutti_comm_free(&made[1]));
  MUST(tutti_finalize());
  CHECK(copied == 0, "attributes of the program were copied %d times", copied);
  CHECK(deleted == 0, "attributes of the program were deleted %d times", deleted);
  for (int i = 0; i < 2; ++i) MPI_Comm_delete_attr(comms[i], keyval);
  MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  void (*const parts[])(tutti_comm) = {
      operations_of_users, undefined_operations, bottom,           interleaved,
      displacements,       exscan_of_the_first,  invalid_operation};
  attributes();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) with(NULL, parts[i]);
  for (int i = 1; i < argc; ++i) {
    char setting[300];
    snprintf(setting, sizeof setting, "algorithm=%s", argv[i]);
    if (strncmp(argv[i], "exscan=", 7) == 0) with(setting, exscan_of_the_first);
  }
  MUST(tutti_init(NULL));
  job_end("semantics");
  return 0;
}
