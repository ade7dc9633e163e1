/*
 * Derived datatypes of all kinds, on either side of a call: each buffer must end as the MPI's own
 * call leaves it, gaps included. So do blocks of random counts at random places. A 3-D
 * transposition with subarrays, and a halo exchange.
 */
#include "datatypes/datatypes.h"

/* Elements of a block: a few hundred bytes, and more than one slot holds. */
enum { kFew = 5, kMany = 2000 };

MPI_Datatype made[kTypes];
static const char* names[kTypes];
int types = 0;

static void keep(const char* name, MPI_Datatype type) {
  MPI_Type_commit(&type);
  names[types] = name;
  made[types++] = type;
}

MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent) {
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

unsigned char *outgoing, *ours, *theirs;
int count, bytes;

static void set_count(int elements) {
  count = elements;
  bytes = 2 * kBefore + job_size * count * kLongest;
  outgoing = realloc(outgoing, (size_t)bytes);
  ours = realloc(ours, (size_t)bytes);
  theirs = realloc(theirs, (size_t)bytes);
}
void fill(int round) {
  for (int i = 0; i < bytes; ++i) {
    outgoing[i] = pattern((size_t)i, job_rank, round);
    ours[i] = theirs[i] = (unsigned char)(i * 3 + round);
  }
}
void compare(const char* call, int a, int b) {
  if (memcmp(ours, theirs, (size_t)bytes) == 0) return;
  for (int i = 0; i < bytes; ++i)
    CHECK(ours[i] == theirs[i], "%s from '%s' to '%s': byte %d is %d, not %d", call, names[a],
          names[b], i - kBefore, ours[i], theirs[i]);
}

static void both_sides(tutti_comm comm, int a, int b) {
  void *const s = outgoing + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
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
  if (job_rank == 0) memcpy(ours, outgoing, (size_t)bytes), memcpy(theirs, outgoing, (size_t)bytes);
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

/* Memory for packed copies is kept, as far as the setting says. */
static void kept_memory(const char* setting, long long least, long long most) {
  const char* settings[] = {setting, NULL};
  const tutti_options options = {sizeof options, settings, NULL, NULL};
  tutti_comm comm;
  MUST(tutti_init(&options));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (int i = 0; i < 3; ++i)
    MUST(tutti_alltoall(outgoing + kBefore, count, made[0], ours + kBefore, count, made[1], comm));
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
