/*
 * Every predefined operation on every predefined type: defined pairs give the bits of
 * MPI_Reduce_local, the others an error on every rank and nothing is lost; user-defined operations
 * on predefined and on derived types with gaps. For 2 ranks.
 */
#include <complex.h>
#include <stddef.h>

#include "job.h"

enum { kCount = 37, kRoom = 64 * 32 };

static MPI_Op ops[12];
static const char* const op_names[12] = {"SUM",  "PROD", "MIN", "MAX",  "LAND",   "LOR",
                                         "LXOR", "BAND", "BOR", "BXOR", "MINLOC", "MAXLOC"};

typedef enum { INTEGER, FLOATING, COMPLEX, LOGICAL, BYTE, PAIR, CHARACTER, FORTRAN_INTEGER } Class;
typedef struct {
  MPI_Datatype type;
  const char* name;
  Class class;
} Type;

/* MPI 4.0, section 6.9.2 and 6.9.4. */
static int is_defined(Class class, int op) {
  switch (class) {
    case INTEGER: return op < 10;
    case FLOATING: return op < 4;
    case COMPLEX: return op < 2;
    case LOGICAL: return op >= 4 && op < 7;
    case BYTE: return op >= 7 && op < 10;
    case PAIR: return op >= 10;
    case FORTRAN_INTEGER: return op < 4 || (op >= 7 && op < 10);
    default: return 0;
  }
}

/* Elements that every operation can take without overflow or NaN; in pairs equal values occur. */
static void fill(unsigned char* data, const Type* t, size_t extent, int rank) {
  memset(data, 0, kRoom);
  for (int i = 0; i < kCount; ++i) {
    unsigned char* p = data + (size_t)i * extent;
    const int small = (i * 7 + rank * 3) % 5 + 1;
#define PUT(T, value)          \
  do {                         \
    const T v_ = (value);      \
    memcpy(p, &v_, sizeof v_); \
  } while (0)
#define PUT_PAIR(T)                                   \
  do {                                                \
    struct {                                          \
      T value;                                        \
      int index;                                      \
    } v_;                                             \
    memset(&v_, 0, sizeof v_);                        \
    v_.value = (T)small, v_.index = i * 2 + 1 - rank; \
    memcpy(p, &v_, sizeof v_);                        \
  } while (0)
    if (t->type == MPI_FLOAT || t->type == MPI_REAL)
      PUT(float, (float)small * 0.3f);
    else if (t->type == MPI_DOUBLE || t->type == MPI_DOUBLE_PRECISION)
      PUT(double, small * 0.7);
    else if (t->type == MPI_LONG_DOUBLE)
      PUT(long double, small * 0.7L);
    else if (t->type == MPI_C_COMPLEX || t->type == MPI_COMPLEX)
      PUT(float complex, (float)small + (float)(2 - rank) * I);
    else if (t->type == MPI_C_DOUBLE_COMPLEX || t->type == MPI_DOUBLE_COMPLEX)
      PUT(double complex, small + (2 - rank) * I);
    else if (t->type == MPI_C_LONG_DOUBLE_COMPLEX)
      PUT(long double complex, small + (2 - rank) * I);
    else if (t->type == MPI_FLOAT_INT)
      PUT_PAIR(float);
    else if (t->type == MPI_DOUBLE_INT)
      PUT_PAIR(double);
    else if (t->type == MPI_LONG_INT)
      PUT_PAIR(long);
    else if (t->type == MPI_2INT || t->type == MPI_2INTEGER)
      PUT_PAIR(int);
    else if (t->type == MPI_SHORT_INT)
      PUT_PAIR(short);
    else if (t->type == MPI_LONG_DOUBLE_INT)
      PUT_PAIR(long double);
    else
      p[0] = (unsigned char)(t->class == LOGICAL ? small % 2
                                                 : small); /* little-endian integers of any size */
  }
}

static void predefined(tutti_comm comm) {
  const Type types[] = {{MPI_INT, "INT", INTEGER},
                        {MPI_LONG, "LONG", INTEGER},
                        {MPI_SHORT, "SHORT", INTEGER},
                        {MPI_UNSIGNED, "UNSIGNED", INTEGER},
                        {MPI_UNSIGNED_SHORT, "UNSIGNED_SHORT", INTEGER},
                        {MPI_UNSIGNED_LONG, "UNSIGNED_LONG", INTEGER},
                        {MPI_LONG_LONG, "LONG_LONG", INTEGER},
                        {MPI_UNSIGNED_LONG_LONG, "UNSIGNED_LONG_LONG", INTEGER},
                        {MPI_SIGNED_CHAR, "SIGNED_CHAR", INTEGER},
                        {MPI_UNSIGNED_CHAR, "UNSIGNED_CHAR", INTEGER},
                        {MPI_INT8_T, "INT8_T", INTEGER},
                        {MPI_INT16_T, "INT16_T", INTEGER},
                        {MPI_INT32_T, "INT32_T", INTEGER},
                        {MPI_INT64_T, "INT64_T", INTEGER},
                        {MPI_UINT8_T, "UINT8_T", INTEGER},
                        {MPI_UINT16_T, "UINT16_T", INTEGER},
                        {MPI_UINT32_T, "UINT32_T", INTEGER},
                        {MPI_UINT64_T, "UINT64_T", INTEGER},
                        {MPI_AINT, "AINT", INTEGER},
                        {MPI_OFFSET, "OFFSET", INTEGER},
                        {MPI_COUNT, "COUNT", INTEGER},
                        {MPI_FLOAT, "FLOAT", FLOATING},
                        {MPI_DOUBLE, "DOUBLE", FLOATING},
                        {MPI_LONG_DOUBLE, "LONG_DOUBLE", FLOATING},
                        {MPI_C_COMPLEX, "C_COMPLEX", COMPLEX},
                        {MPI_C_DOUBLE_COMPLEX, "C_DOUBLE_COMPLEX", COMPLEX},
                        {MPI_C_LONG_DOUBLE_COMPLEX, "C_LONG_DOUBLE_COMPLEX", COMPLEX},
                        {MPI_C_BOOL, "C_BOOL", LOGICAL},
                        {MPI_BYTE, "BYTE", BYTE},
                        {MPI_FLOAT_INT, "FLOAT_INT", PAIR},
                        {MPI_DOUBLE_INT, "DOUBLE_INT", PAIR},
                        {MPI_LONG_INT, "LONG_INT", PAIR},
                        {MPI_2INT, "2INT", PAIR},
                        {MPI_SHORT_INT, "SHORT_INT", PAIR},
                        {MPI_LONG_DOUBLE_INT, "LONG_DOUBLE_INT", PAIR},
                        {MPI_INTEGER, "INTEGER", FORTRAN_INTEGER},
                        {MPI_INTEGER1, "INTEGER1", FORTRAN_INTEGER},
                        {MPI_INTEGER2, "INTEGER2", FORTRAN_INTEGER},
                        {MPI_INTEGER8, "INTEGER8", FORTRAN_INTEGER},
                        {MPI_REAL, "REAL", FLOATING},
                        {MPI_DOUBLE_PRECISION, "DOUBLE_PRECISION", FLOATING},
                        {MPI_COMPLEX, "COMPLEX", COMPLEX},
                        {MPI_DOUBLE_COMPLEX, "DOUBLE_COMPLEX", COMPLEX},
                        {MPI_2INTEGER, "2INTEGER", PAIR},
                        {MPI_CHAR, "CHAR", CHARACTER},
                        {MPI_WCHAR, "WCHAR", CHARACTER}};
  static unsigned char mine[kRoom], theirs[kRoom], got[kRoom], first[kRoom];
  int pairs = 0;
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    MPI_Aint lower, extent;
    MPI_Type_get_extent(types[t].type, &lower, &extent);
    for (int o = 0; o < 12; ++o) {
      /* Whether logic on Fortran's integers is defined is the MPI's affair. */
      if (types[t].class == FORTRAN_INTEGER && !is_defined(FORTRAN_INTEGER, o)) continue;
      fill(mine, &types[t], (size_t)extent, job_rank);
      memset(got, 0, sizeof got);
      const int code = tutti_allreduce(mine, got, kCount, types[t].type, ops[o], comm);
      if (!is_defined(types[t].class, o)) {
        CHECK(code == TUTTI_ERR_OP, "MPI_%s on MPI_%s gives %d, and MPI does not define it",
              op_names[o], types[t].name, code);
        continue;
      }
      CHECK(code == TUTTI_SUCCESS, "MPI_%s on MPI_%s: %s", op_names[o], types[t].name,
            tutti_last_error_message());
      fill(first, &types[t], (size_t)extent, 0);
      fill(theirs, &types[t], (size_t)extent, 1);
      MPI_Reduce_local(first, theirs, kCount, types[t].type, ops[o]);
      int size;
      MPI_Type_size(types[t].type, &size);
      for (int i = 0; i < kCount; ++i) {
        const size_t place = (size_t)i * (size_t)extent;
        /* ten bytes of a long double are data */
        const int is_long =
            types[t].type == MPI_LONG_DOUBLE || types[t].type == MPI_C_LONG_DOUBLE_COMPLEX;
        for (size_t part = 0; types[t].class != PAIR && part < (size_t)size;
             part += is_long ? 16 : (size_t)size)
          CHECK(memcmp(got + place + part, theirs + place + part, is_long ? 10 : (size_t)size) == 0,
                "MPI_%s on MPI_%s: element %d differs from MPI_Reduce_local's", op_names[o],
                types[t].name, i);
        if (types[t].class == PAIR) { /* between value and index there may be padding */
          const size_t index =
              (size_t)(types[t].type == MPI_LONG_DOUBLE_INT                               ? 16
                       : types[t].type == MPI_DOUBLE_INT || types[t].type == MPI_LONG_INT ? 8
                                                                                          : 4);
          CHECK(memcmp(got + place, theirs + place,
                       types[t].type == MPI_SHORT_INT ? 2
                       : index < 8                    ? 4
                       : index < 16                   ? 8
                                                      : 10) == 0 &&
                    memcmp(got + place + index, theirs + place + index, 4) == 0,
                "MPI_%s on MPI_%s: pair %d differs from MPI_Reduce_local's", op_names[o],
                types[t].name, i);
        }
      }
      ++pairs;
    }
  }
  CHECK(pairs == 21 * 10 + 4 * 7 + 5 * 4 + 5 * 2 + 3 + 3 + 7 * 2, "%d defined pairs", pairs);
}

/* A derived type with a gap: an int, four bytes of nothing, a double. The operation adds the ints
 * and multiplies the doubles. */
typedef struct {
  int number;
  char gap[4];
  double factor;
} Element;
static void add_and_multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  const Element* a = in;
  Element* b = inout;
  for (int i = 0; i < *count; ++i) b[i].number += a[i].number, b[i].factor *= a[i].factor;
}

static void derived(tutti_comm comm) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Element, number), offsetof(Element, factor)};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_create_struct(2, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  MPI_Op op;
  MPI_Op_create(add_and_multiply, 1, &op);
  Element mine[kCount], got[kCount];
  for (int n = 0; n <= kCount; n += kCount) {
    for (int in_place = 0; in_place < 2; ++in_place) {
      memset(got, 0xAB, sizeof got);
      for (int i = 0; i < kCount; ++i) {
        memset(&mine[i], 0, sizeof mine[i]);
        mine[i].number = i + job_rank, mine[i].factor = 1 + job_rank;
        if (in_place) got[i].number = mine[i].number, got[i].factor = mine[i].factor;
      }
      MUST(tutti_allreduce(in_place ? MPI_IN_PLACE : (void*)mine, got, n, type, op, comm));
      for (int i = 0; i < n; ++i) {
        CHECK(got[i].number == 2 * i + 1 && got[i].factor == 2,
              "a derived type: element %d is %d, %g", i, got[i].number, got[i].factor);
        CHECK((unsigned char)got[i].gap[1] == 0xAB, "the gap of element %d was written", i);
      }
    }
  }
  GIVES(tutti_allreduce(mine, got, 1, type, MPI_SUM, comm), TUTTI_ERR_OP);
  GIVES(tutti_allreduce(mine, got, 1, MPI_INT, MPI_OP_NULL, comm), TUTTI_ERR_OP);
  GIVES(tutti_allreduce(mine, got, -1, MPI_INT, MPI_SUM, comm), TUTTI_ERR_COUNT);
  GIVES(tutti_allreduce(mine, mine, 1, MPI_INT, MPI_SUM, comm), TUTTI_ERR_OVERLAP);
  GIVES(tutti_reduce(mine, got, 1, MPI_INT, MPI_SUM, 7, comm), TUTTI_ERR_ROOT);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/* A column of a matrix of two, as MPI programs resize it for columns side by side: a single one
 * overlaps with nothing. */
static void add_columns(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  if (*count != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int row = 0; row < 3; ++row) ((int*)inout)[2 * row] += ((int*)in)[2 * row];
}
static void resized_column(tutti_comm comm) {
  MPI_Datatype column, resized;
  MPI_Type_vector(3, 1, 2, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &resized);
  MPI_Type_commit(&resized);
  MPI_Op op;
  MPI_Op_create(add_columns, 1, &op);
  int mine[6], got[6] = {-1, -1, -1, -1, -1, -1};
  for (int i = 0; i < 6; ++i) mine[i] = 10 * i + job_rank;
  MUST(tutti_allreduce(mine, got, 1, resized, op, comm));
  for (int i = 0; i < 6; ++i)
    CHECK(got[i] == (i % 2 ? -1 : 20 * i + 1), "a resized column: %d is %d", i, got[i]);
  const MPI_Count one_of_all[2] = {0, 1};
  for (int i = 0; i < 6; ++i) got[i] = -1;
  MUST(tutti_reduce_scatter(mine, got, one_of_all, resized, op, comm));
  for (int i = 0; i < 6; ++i)
    CHECK(got[i] == (i % 2 || job_rank == 0 ? -1 : 20 * i + 1), "scattered: %d is %d", i, got[i]);
  MUST(tutti_allreduce(mine, got, 0, resized, op, comm));
  GIVES(tutti_allreduce(mine, got, 2, resized, op, comm), TUTTI_ERR_UNSUPPORTED);
  for (int bits = 0; bits < 63; bits += 31)
    GIVES(tutti_reduce_scatter_block(mine, got, (MPI_Count)1 << bits, resized, op, comm),
          TUTTI_ERR_UNSUPPORTED);
  MPI_Op_free(&op);
  MPI_Type_free(&resized);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 2, "this test is for 2 ranks, not %d", job_size);
  const MPI_Op all[12] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                          MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  memcpy(ops, all, sizeof ops);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  predefined(comm);
  derived(comm);
  resized_column(comm);
  MUST(tutti_comm_free(&comm));
  job_end("reductions");
  return 0;
}
