/*
 * Derived datatypes of all kinds, on either side of a call: each buffer must end as the MPI's own
 * call leaves it, gaps included. So do blocks of random counts at random places. A 3-D
 * transposition with subarrays, and a halo exchange.
 */
#include "job.h"

enum { kMost = 16, kTypes = 12 };
/* Elements of a block: a few hundred bytes, and more than one slot holds. */
enum { kFew = 5, kMany = 2000 };

static MPI_Datatype made[kTypes];
static const char* names[kTypes];
static int types = 0;

static void keep(const char* name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  names[types] = name;
  made[types++] = type;
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype other;
  MPI_Type_create_resized(type, lower, extent, &other);
  MPI_Type_free(&type);
  return other;
}

/* Each has 24 bytes of data in an element. */
static void make_types(void) {
  const int lengths[3] = {1, 2, 3}, places[3] = {9, 0, 4}, sizes[2] = {4, 6}, parts[2] = {2, 3},
            starts[2] = {1, 2};
  const MPI_Aint offsets[2] = {8, 32}, gapless[2] = {0, 16};
  const int two_and_one[2] = {2, 1};
  const MPI_Datatype inner[2] = {MPI_LONG_LONG, MPI_DOUBLE};
  MPI_Datatype type, real;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type);
  keep("vector", type);
  MPI_Type_vector(3, 2, 3, MPI_INT, &type);
  keep("vector, resized", resized(type, -4, 60));
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  keep("indexed, backwards", type);
  MPI_Type_create_struct(2, two_and_one, gapless, inner, &type);
  keep("struct without gaps", type);
  MPI_Type_create_struct(2, two_and_one, offsets, inner, &type);
  keep("struct with gaps", type);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
  keep("subarray", type);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  keep("subarray in Fortran's order", type);
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real);
  MPI_Type_contiguous(3, real, &type);
  keep("Fortran's kinds", type);
  MPI_Type_vector(3, 1, -2, MPI_DOUBLE, &type);
  keep("negative stride", type);
#if MPI_VERSION >= 4
  MPI_Type_contiguous_c(6, MPI_INT, &type);
  keep("contiguous with large counts", type);
  MPI_Type_vector_c(2, 3, 5, MPI_INT, &type);
  keep("vector with large counts", type);
#endif
}

enum { kBefore = 4096, kLongest = 96 /* extent of an element */ };
static unsigned char *send, *ours, *theirs;
static int count, bytes;

static void set_count(int elements) {
  count = elements;
  bytes = 2 * kBefore + job_size * count * kLongest;
  send = realloc(send, (size_t)bytes);
  ours = realloc(ours, (size_t)bytes);
  theirs = realloc(theirs, (size_t)bytes);
}
static void fill(int round) {
  for (int i = 0; i < bytes; ++i) {
    send[i] = pattern((size_t)i, job_rank, round);
    ours[i] = theirs[i] = (unsigned char)(i * 3 + round);
  }
}
static void compare(const char* call, int a, int b) {
  if (memcmp(ours, theirs, (size_t)bytes) == 0) return;
  for (int i = 0; i < bytes; ++i)
    CHECK(ours[i] == theirs[i], "%s from '%s' to '%s': byte %d is %d, not %d", call, names[a],
          names[b], i - kBefore, ours[i], theirs[i]);
}

static void both_sides(tutti_comm comm, int a, int b) {
  void *const s = send + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
  const MPI_Datatype from = made[a], to = made[b];
  fill(a * kTypes + b);
  MUST(tutti_alltoall(s, count, from, o, count, to, comm));
  MPI_Alltoall(s, count, from, t, count, to, MPI_COMM_WORLD);
  compare("alltoall", a, b);
  fill(a * kTypes + b + 1000);
  MUST(tutti_allgather(s, count, from, o, count, to, comm));
  MPI_Allgather(s, count, from, t, count, to, MPI_COMM_WORLD);
  compare("allgather", a, b);
  fill(a * kTypes + b + 2000);
  MUST(tutti_gather(s, count, from, o, count, to, job_size - 1, comm));
  MPI_Gather(s, count, from, t, count, to, job_size - 1, MPI_COMM_WORLD);
  compare("gather", a, b);
  fill(a * kTypes + b + 3000);
  MUST(tutti_scatter(s, count, from, o, count, to, 0, comm));
  MPI_Scatter(s, count, from, t, count, to, 0, MPI_COMM_WORLD);
  compare("scatter", a, b);
  fill(a * kTypes + b + 4000);
  if (job_rank == 0) memcpy(ours, send, (size_t)bytes), memcpy(theirs, send, (size_t)bytes);
  MUST(tutti_bcast(o, count, job_rank == 0 ? from : to, 0, comm));
  MPI_Bcast(t, count, job_rank == 0 ? from : to, 0, MPI_COMM_WORLD);
  compare("bcast", a, b);
}

static void in_place(tutti_comm comm, int type) {
  void *const o = ours + kBefore, *const t = theirs + kBefore;
  const MPI_Datatype to = made[type];
  fill(type + 5000);
  MUST(tutti_alltoall(MPI_IN_PLACE, 0, MPI_BYTE, o, count, to, comm));
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, t, count, to, MPI_COMM_WORLD);
  compare("alltoall in place", type, type);
  fill(type + 6000);
  MUST(tutti_allgather(MPI_IN_PLACE, 0, MPI_BYTE, o, count, to, comm));
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, t, count, to, MPI_COMM_WORLD);
  compare("allgather in place", type, type);
}

static unsigned mixed(unsigned a, unsigned b, unsigned c) {
  unsigned x = (a + 1) * 2654435761u ^ (b + 1) * 2246822519u ^ (c + 1) * 3266489917u;
  x = (x ^ x >> 15) * 2246822519u;
  return x ^ x >> 13;
}

/* The blocks of a buffer, in elements, as either library takes them. */
typedef struct {
  MPI_Count counts[kMost], places[kMost];
  int small_counts[kMost], small_places[kMost];
} blocks;

/* Blocks of these counts, in random order, with room between them. */
static blocks placed(const int* counts, unsigned seed) {
  blocks b;
  int order[kMost] = {0}, next = 0;
  for (int i = 0; i < job_size; ++i) {
    const int other = (int)(mixed(seed, (unsigned)i, 1) % (unsigned)(i + 1));
    order[i] = order[other];
    order[other] = i;
  }
  for (int i = 0; i < job_size; ++i) {
    const int block = order[i];
    next += (int)(mixed(seed, (unsigned)i, 2) % (unsigned)(count / 4 + 1));
    b.counts[block] = b.small_counts[block] = counts[block];
    b.places[block] = b.small_places[block] = next;
    next += counts[block];
  }
  return b;
}

/* Elements that `from` sends to `to`; both compute the same number. One block in four is empty. */
static int block_count(int from, int to, unsigned seed) {
  const unsigned random = mixed(seed, (unsigned)from, (unsigned)to);
  return random % 4 == 0 ? 0 : (int)(random / 4 % (unsigned)(count * 3 / 4 + 1));
}

/* The MPI's, but for a rank that is alone: MPICH 4.0.2 forgets where that one's block is to be. */
static void allgatherv_of_mpi(const void* from, int own, MPI_Datatype type, void* to,
                              const blocks* z, MPI_Datatype to_type) {
  if (job_size == 1)
    MPI_Gatherv(from, own, type, to, z->small_counts, z->small_places, to_type, 0, MPI_COMM_WORLD);
  else
    MPI_Allgatherv(from, own, type, to, z->small_counts, z->small_places, to_type, MPI_COMM_WORLD);
}

static void v_forms(tutti_comm comm, int a, int b, unsigned seed) {
  void *const s = send + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
  const MPI_Datatype from = made[a], to = made[b];
  const int root = (int)(seed % (unsigned)job_size), round = (int)(seed % 1000);
  const unsigned own = seed * 64 + (unsigned)job_rank;
  int sent[kMost], received[kMost], all[kMost], both[kMost];
  for (int i = 0; i < job_size; ++i) {
    sent[i] = block_count(job_rank, i, seed);
    received[i] = block_count(i, job_rank, seed);
    all[i] = block_count(i, 0, seed);
    both[i] = block_count(i < job_rank ? i : job_rank, i < job_rank ? job_rank : i, seed);
  }
  const blocks x = placed(sent, own), y = placed(received, own + 32), z = placed(all, own),
               w = placed(both, own);
  fill(round);
  MUST(tutti_alltoallv(s, x.counts, x.places, from, o, y.counts, y.places, to, comm));
  MPI_Alltoallv(s, x.small_counts, x.small_places, from, t, y.small_counts, y.small_places, to,
                MPI_COMM_WORLD);
  compare("alltoallv", a, b);
  fill(round + 1);
  MUST(tutti_allgatherv(s, all[job_rank], from, o, z.counts, z.places, to, comm));
  allgatherv_of_mpi(s, all[job_rank], from, t, &z, to);
  compare("allgatherv", a, b);
  fill(round + 2);
  MUST(tutti_gatherv(s, all[job_rank], from, o, z.counts, z.places, to, root, comm));
  MPI_Gatherv(s, all[job_rank], from, t, z.small_counts, z.small_places, to, root, MPI_COMM_WORLD);
  compare("gatherv", a, b);
  fill(round + 3);
  MUST(tutti_scatterv(s, z.counts, z.places, from, o, all[job_rank], to, root, comm));
  MPI_Scatterv(s, z.small_counts, z.small_places, from, t, all[job_rank], to, root, MPI_COMM_WORLD);
  compare("scatterv", a, b);
  fill(round + 4);
  MUST(tutti_alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_BYTE, o, w.counts, w.places, to, comm));
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_BYTE, t, w.small_counts, w.small_places, to,
                MPI_COMM_WORLD);
  compare("alltoallv in place", a, b);
  fill(round + 5);
  MUST(tutti_allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, o, z.counts, z.places, to, comm));
  allgatherv_of_mpi(MPI_IN_PLACE, 0, MPI_BYTE, t, &z, to);
  compare("allgatherv in place", a, b);
}

/* The types of the blocks that rank `a` and rank `b` exchange, on one side. */
static void types_of_blocks(MPI_Datatype own[kMost], unsigned seed, int is_symmetric) {
  for (int i = 0; i < job_size; ++i) {
    const int low = is_symmetric && i < job_rank ? i : job_rank,
              high = is_symmetric && i < job_rank ? job_rank : i;
    own[i] = made[mixed(seed, (unsigned)low, (unsigned)high) % (unsigned)types];
  }
}
/* A block begins where its first byte is, or the bytes of two would meet. */
static void in_bytes(blocks* b, const MPI_Datatype own[kMost]) {
  for (int i = 0; i < job_size; ++i) {
    MPI_Aint lowest, extent;
    MPI_Type_get_true_extent(own[i], &lowest, &extent);
    b->places[i] = b->places[i] * kLongest - lowest;
    b->small_places[i] = b->small_places[i] * kLongest - (int)lowest;
  }
}

/* Each block has a type of its own; a block without elements may have MPI_DATATYPE_NULL. */
static void w_forms(tutti_comm comm, unsigned seed) {
  void *const s = send + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
  const unsigned own = seed * 64 + (unsigned)job_rank;
  MPI_Datatype from[kMost], to[kMost], none[kMost];
  int sent[kMost] = {0}, received[kMost] = {0}, both[kMost] = {0};
  for (int i = 0; i < job_size; ++i) {
    sent[i] = block_count(job_rank, i, seed);
    received[i] = block_count(i, job_rank, seed);
    both[i] = block_count(i < job_rank ? i : job_rank, i < job_rank ? job_rank : i, seed);
  }
  blocks x = placed(sent, own), y = placed(received, own + 32), w = placed(both, own);
  types_of_blocks(from, seed, 0);
  types_of_blocks(to, seed + 1000, 0);
  in_bytes(&x, from);
  in_bytes(&y, to);
  for (int i = 0; i < job_size; ++i) none[i] = sent[i] ? from[i] : MPI_DATATYPE_NULL;
  fill((int)(seed % 1000));
  MUST(tutti_alltoallw(s, x.counts, x.places, none, o, y.counts, y.places, to, comm));
  MPI_Alltoallw(s, x.small_counts, x.small_places, from, t, y.small_counts, y.small_places, to,
                MPI_COMM_WORLD);
  compare("alltoallw", 0, 0);
  types_of_blocks(to, seed, 1);
  in_bytes(&w, to);
  fill((int)(seed % 1000) + 1);
  MUST(tutti_alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, o, w.counts, w.places, to, comm));
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, t, w.small_counts, w.small_places, to,
                MPI_COMM_WORLD);
  compare("alltoallw in place", 0, 0);
}

/* The types of a persistent call are freed, and their array is used anew, before it starts. */
static void w_form_of_freed_types(tutti_comm comm) {
  enum { kRows = 7 };
  MPI_Count counts[kMost], places[kMost];
  MPI_Datatype of_blocks[kMost];
  double a[kRows][kMost] = {{0}}, b[kRows][kMost] = {{0}};
  tutti_request request;
  for (int i = 0; i < job_size; ++i) {
    MPI_Type_vector(kRows, 1, kMost, MPI_DOUBLE, &of_blocks[i]);
    MPI_Type_commit(&of_blocks[i]);
    counts[i] = 1;
    places[i] = (MPI_Count)sizeof(double) * i;
  }
  MUST(tutti_alltoallw_init(a, counts, places, of_blocks, b, counts, places, of_blocks, comm,
                            &request));
  for (int i = 0; i < job_size; ++i) {
    MPI_Type_free(&of_blocks[i]);
    MPI_Type_contiguous(i + 1, MPI_INT, &of_blocks[i]); /* perhaps with the same handle */
  }
  for (int again = 0; again < 3; ++again) {
    for (int row = 0; row < kRows; ++row)
      for (int i = 0; i < job_size; ++i) a[row][i] = job_rank * 1000 + row * 100 + i + again;
    MUST(tutti_start(&request));
    MUST(tutti_wait(&request));
    for (int row = 0; row < kRows; ++row)
      for (int i = 0; i < job_size; ++i)
        CHECK(b[row][i] == i * 1000 + row * 100 + job_rank + again, "row %d of rank %d: %g", row, i,
              b[row][i]);
  }
  MUST(tutti_request_free(&request));
  for (int i = 0; i < job_size; ++i) MPI_Type_free(&of_blocks[i]);
}

/* Columns are sent, and others of the same matrix received: input and output lie between each
 * other. */
static void between(tutti_comm comm) {
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
static void transpose(tutti_comm comm) {
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
static void halo(tutti_comm comm) {
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

/* Memory for packed copies is kept, as far as the setting says. */
static void kept_memory(const char* setting, long long least, long long most) {
  const char* settings[] = {setting, NULL};
  const tutti_options options = {sizeof options, settings, NULL, NULL};
  tutti_comm comm;
  MUST(tutti_init(&options));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int i = 0; i < 3; ++i)
    MUST(tutti_alltoall(send + kBefore, count, made[0], ours + kBefore, count, made[1], comm));
  const long long kept = job_describes(comm, "scratch_bytes_kept");
  CHECK(kept >= least && kept <= most, "with %s %lld bytes are kept", setting, kept);
  /* A persistent request has copies of its own, and is made anew for each call here. */
  CHECK(job_describes(comm, "kept") == 2 || job_form_wanted() == kPersistent,
        "not both datatypes are kept");
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size <= kMost, "too many ranks");
  tutti_comm comm;
  MUST(tutti_init(NULL));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  make_types();
  set_count(kFew);
  for (int a = 0; a < types; ++a)
    for (int b = 0; b < types; ++b) both_sides(comm, a, b);
  for (int a = 0; a < types; ++a) in_place(comm, a);
  for (unsigned seed = 0; seed < 60; ++seed) w_forms(comm, seed);
  w_form_of_freed_types(comm);
  for (unsigned seed = 0; seed < 60; ++seed)
    v_forms(comm, (int)(mixed(seed, 0, 3) % (unsigned)types),
            (int)(mixed(seed, 1, 3) % (unsigned)types), seed);
  set_count(kMany);
  for (unsigned seed = 60; seed < 80; ++seed) w_forms(comm, seed);
  for (unsigned seed = 60; seed < 90; ++seed)
    v_forms(comm, (int)(mixed(seed, 0, 3) % (unsigned)types),
            (int)(mixed(seed, 1, 3) % (unsigned)types), seed);
  for (int a = 0; a < types; ++a) {
    both_sides(comm, a, (a + 1) % types);
    in_place(comm, a);
  }
  set_count(kFew);
  between(comm);
  transpose(comm);
  halo(comm);
  MUST(tutti_comm_free(&comm));
  MUST(tutti_finalize());
  kept_memory("scratch_bytes=16M", 2 * job_size * count * 24, 16 << 20);
  kept_memory("scratch_bytes=0", 0, 0);
  for (int i = 0; i < types; ++i) MPI_Type_free(&made[i]);
  MUST(tutti_init(NULL));
  job_end("datatypes");
  return 0;
}
