/* Blocks of random counts at random places, as either library takes them. */
#include "datatypes.h"

unsigned mixed(unsigned a, unsigned b, unsigned c) {
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

void v_forms(tutti_comm comm, int a, int b, unsigned seed) {
  void *const s = outgoing + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
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
void w_forms(tutti_comm comm, unsigned seed) {
  void *const s = outgoing + kBefore, *const o = ours + kBefore, *const t = theirs + kBefore;
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
void w_form_of_freed_types(tutti_comm comm) {
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
