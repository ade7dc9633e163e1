/*
 * Collectives of neighbours on grids, graphs and distributed graphs that a seed draws: borders,
 * rings of one and two ranks, edges from a rank to itself, several edges between two ranks, ranks
 * without neighbours, and stencils on tori, where messages can be combined. Each buffer must end as
 * it is computed here from the lists of all ranks, and as the MPI's own call leaves it where no
 * rank is another one's neighbour twice: there MPIs differ.
 *
 *   neighbours_test TOPOLOGIES SEED
 */
#include "job.h"

enum { kMostRanks = 8, kMost = 64, kLongest = 20000 };

/* The neighbours of a rank, in MPI's order. In a grid, the n-th block for a rank along a dimension
 * is not the n-th that comes from there. */
typedef struct {
  int out, in, crossed;
  int to[kMost], from[kMost];
} neighbours;

static neighbours all[kMostRanks];
static int is_simple; /* no rank is there twice */
static int combined;  /* communicators that combine short messages */

static unsigned random_state;
static int below(int bound) { /* alike on all ranks */
  random_state = random_state * 1664525u + 1013904223u;
  return (int)((random_state >> 8) % (unsigned)bound);
}

static neighbours read_neighbours(MPI_Comm comm) {
  neighbours mine = {0};
  int kind, weighted, weights[kMost];
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions;
    MPI_Cartdim_get(comm, &dimensions);
    mine.crossed = 1;
    for (int d = 0; d < dimensions; ++d, mine.out += 2)
      MPI_Cart_shift(comm, d, 1, &mine.to[mine.out], &mine.to[mine.out + 1]);
    mine.in = mine.out;
    memcpy(mine.from, mine.to, sizeof mine.to);
  } else if (kind == MPI_GRAPH) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, &mine.out);
    MPI_Graph_neighbors(comm, rank, kMost, mine.to);
    mine.in = mine.out;
    memcpy(mine.from, mine.to, sizeof mine.to);
  } else {
    MPI_Dist_graph_neighbors_count(comm, &mine.in, &mine.out, &weighted);
    MPI_Dist_graph_neighbors(comm, mine.in, mine.from, weights, mine.out, mine.to, weights);
  }
  return mine;
}

static void look_at(MPI_Comm comm) {
  const neighbours mine = read_neighbours(comm);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, comm);
  is_simple = 1;
  for (int r = 0; r < job_size; ++r)
    for (int i = 0; i < all[r].out; ++i)
      for (int j = 0; j < i; ++j)
        is_simple &= all[r].to[i] == MPI_PROC_NULL || all[r].to[i] != all[r].to[j];
}

/* The block that comes to block `block` of this rank: its number where it leaves. */
static int number_there(int rank, int block) {
  const neighbours* const mine = &all[rank];
  const neighbours* const theirs = &all[mine->from[block]];
  int before = 0;
  for (int i = 0; i < mine->in; ++i) {
    const int other = mine->crossed ? (i % 2 ? i - 1 : i + 1) : i;
    if (other == block) break;
    before += mine->from[other] == mine->from[block];
  }
  for (int i = 0; i < theirs->out; ++i)
    if (theirs->to[i] == rank && before-- == 0) return i;
  CHECK(0, "the neighbourhoods of ranks %d and %d do not match", rank, mine->from[block]);
  return -1;
}

static int sent[2 * kLongest], ours[2 * kLongest], theirs_of_mpi[2 * kLongest],
    wanted[2 * kLongest];
static MPI_Datatype pair = MPI_DATATYPE_NULL; /* two ints */
static int value(int rank, int block, int i) { return rank * 1000003 + block * 10007 + i; }

/* The lengths of blocks, and where they are, in ints. */
typedef struct {
  MPI_Count counts[kMost], places[kMost], bytes[kMost];
  int small_counts[kMost], small_places[kMost];
  MPI_Aint small_bytes[kMost];
} blocks;
static int place(blocks* b, int i, int count, int at) {
  b->counts[i] = b->small_counts[i] = count;
  b->places[i] = b->small_places[i] = at;
  b->bytes[i] = b->small_bytes[i] = at * (int)sizeof(int);
  return at + count;
}

static void clear(void) {
  for (int i = 0; i < 2 * kLongest; ++i) ours[i] = theirs_of_mpi[i] = wanted[i] = -1 - i;
}
static void compare(const char* call, int n, int with_mpi) {
  for (int i = 0; i < 2 * kLongest; ++i)
    CHECK(ours[i] == wanted[i], "%s of %d: element %d is %d, not %d", call, n, i, ours[i],
          wanted[i]);
  for (int i = 0; with_mpi && i < 2 * kLongest; ++i)
    CHECK(ours[i] == theirs_of_mpi[i], "%s of %d: element %d is %d, the MPI's %d", call, n, i,
          ours[i], theirs_of_mpi[i]);
}

/* Blocks of n elements, each of which is `ints` ints and a hole of as many. */
static void equal_blocks(tutti_comm comm, MPI_Comm mpi, int n, int ints, MPI_Datatype type) {
  const neighbours* const mine = &all[job_rank];
  const int step = ints * (type == MPI_INT ? 1 : 2);
  for (int gathers = 0; gathers < 2; ++gathers) {
    clear();
    for (int b = 0; b < (gathers ? 1 : mine->out); ++b)
      for (int i = 0; i < n * step; ++i) sent[b * n * step + i] = value(job_rank, b, i);
    for (int b = 0; b < mine->in; ++b)
      for (int i = 0; mine->from[b] != MPI_PROC_NULL && i < n * step; ++i)
        if (i % step < ints)
          wanted[b * n * step + i] =
              value(mine->from[b], gathers ? 0 : number_there(job_rank, b), i);
    if (gathers) {
      MUST(tutti_neighbor_allgather(sent, n, type, ours, n, type, comm));
      if (is_simple) MPI_Neighbor_allgather(sent, n, type, theirs_of_mpi, n, type, mpi);
      compare("neighbor_allgather", n, is_simple);
    } else {
      MUST(tutti_neighbor_alltoall(sent, n, type, ours, n, type, comm));
      if (is_simple) MPI_Neighbor_alltoall(sent, n, type, theirs_of_mpi, n, type, mpi);
      compare("neighbor_alltoall", n, is_simple);
    }
  }
}

static int length(int rank, int block, int n) { return (rank + block) % 4 == 3 ? 0 : n + rank % 3; }

static void gather_unequal(tutti_comm comm, MPI_Comm mpi, int n) {
  const neighbours* const mine = &all[job_rank];
  const int own = length(job_rank, 0, n);
  blocks to = {{0}, {0}, {0}, {0}, {0}, {0}};
  clear();
  for (int i = 0; i < own; ++i) sent[i] = value(job_rank, 0, i);
  for (int b = mine->in - 1, at = 2; b >= 0; --b) {
    const int from = mine->from[b], count = from == MPI_PROC_NULL ? 1 : length(from, 0, n);
    for (int i = 0; from != MPI_PROC_NULL && i < count; ++i) wanted[at + i] = value(from, 0, i);
    at = place(&to, b, count, at) + 1;
  }
  MUST(tutti_neighbor_allgatherv(sent, own, MPI_INT, ours, to.counts, to.places, MPI_INT, comm));
  if (is_simple)
    MPI_Neighbor_allgatherv(sent, own, MPI_INT, theirs_of_mpi, to.small_counts, to.small_places,
                            MPI_INT, mpi);
  compare("neighbor_allgatherv", n, is_simple);
}

/* With a type for each block, those of every other rank are pairs of ints. */
static void exchange_unequal(tutti_comm comm, MPI_Comm mpi, int n, int typed) {
  const neighbours* const mine = &all[job_rank];
  if (pair == MPI_DATATYPE_NULL) {
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
  }
  blocks from = {{0}, {0}, {0}, {0}, {0}, {0}}, to = from;
  MPI_Datatype sent_types[kMost], types[kMost];
  clear();
  for (int b = mine->out - 1, at = 1; b >= 0; --b) {
    const int count = length(job_rank, b, n) * (typed ? 2 : 1);
    for (int i = 0; i < count; ++i) sent[at + i] = value(job_rank, b, i);
    at = place(&from, b, count, at) + 2;
    sent_types[b] = MPI_INT;
  }
  for (int b = 0, at = 3; b < mine->in; ++b) {
    const int other = mine->from[b], there = other == MPI_PROC_NULL ? 0 : number_there(job_rank, b),
              count = other == MPI_PROC_NULL ? 2 : length(other, there, n) * (typed ? 2 : 1);
    for (int i = 0; other != MPI_PROC_NULL && i < count; ++i)
      wanted[at + i] = value(other, there, i);
    at = place(&to, b, count, at) + b % 2;
    types[b] = (b + job_rank) % 2 ? pair : MPI_INT;
    if (typed && types[b] == pair) to.counts[b] /= 2, to.small_counts[b] /= 2;
  }
  if (typed) {
    MUST(tutti_neighbor_alltoallw(sent, from.counts, from.bytes, sent_types, ours, to.counts,
                                  to.bytes, types, comm));
    /* MPICH 4.0.2's function leaves blocks unwritten in graphs. */
    const int is_grid = is_simple && mine->crossed;
    if (is_grid)
      MPI_Neighbor_alltoallw(sent, from.small_counts, from.small_bytes, sent_types, theirs_of_mpi,
                             to.small_counts, to.small_bytes, types, mpi);
    compare("neighbor_alltoallw", n, is_grid);
  } else {
    MUST(tutti_neighbor_alltoallv(sent, from.counts, from.places, MPI_INT, ours, to.counts,
                                  to.places, MPI_INT, comm));
    if (is_simple)
      MPI_Neighbor_alltoallv(sent, from.small_counts, from.small_places, MPI_INT, theirs_of_mpi,
                             to.small_counts, to.small_places, MPI_INT, mpi);
    compare("neighbor_alltoallv", n, is_simple);
  }
}

static void every_call(MPI_Comm mpi) {
  static const int lengths[] = {0, 1, 37, 1000};
  MPI_Datatype vector, holey;
  MPI_Type_vector(1, 3, 6, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 6 * sizeof(int), &holey);
  MPI_Type_free(&vector);
  MPI_Type_commit(&holey);
  tutti_comm comm;
  MUST(tutti_comm_create(mpi, &comm));
  look_at(mpi);
  char text[100] = "";
  MUST(tutti_explain(comm, "neighbor_alltoall", 8, text, sizeof text, NULL));
  combined += strstr(text, "combined") == strchr(text, ':') + 2;
  CHECK(all[job_rank].out <= 12 && all[job_rank].in <= 12, "the test has room for 12 neighbours");
  for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
    const int n = lengths[l];
    for (int again = 0; again < 2; ++again) equal_blocks(comm, mpi, n, 1, MPI_INT);
    equal_blocks(comm, mpi, n / 2, 3, holey);
    gather_unequal(comm, mpi, n);
    exchange_unequal(comm, mpi, n, 0);
    exchange_unequal(comm, mpi, n, 1);
    MUST(tutti_barrier(comm));
  }
  MUST(tutti_comm_free(&comm));
  MPI_Type_free(&holey);
}

/* --- topologies ------------------------------------------------------------------------------- */

static void on_grid(void) {
  int sizes[3] = {1, 1, 1}, periodic[3], left = job_size;
  const int dimensions = below(4);
  if (dimensions == 0 && job_size > 1) return; /* the others are in no communicator then */
  for (int factor = 2; left > 1 && dimensions > 0; ++factor)
    for (; left % factor == 0; left /= factor) sizes[below(dimensions)] *= factor;
  for (int d = 0; d < 3; ++d) periodic[d] = below(2);
  MPI_Comm grid, copy;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periodic, 0, &grid);
  MPI_Comm_dup(grid, &copy);
  every_call(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&grid);
}

/* Each rank has its neighbours from what all ranks draw alike: `edges` from any to any. */
static void on_graph(int distributed) {
  neighbours drawn[kMostRanks] = {{0, 0, 0, {0}, {0}}};
  const int alone = below(3) == 0 ? below(job_size) : -1;
  for (int edges = below(2 * job_size + 1); edges > 0; --edges) {
    const int a = below(job_size), b = below(6) == 0 ? a : below(job_size),
              both = !distributed && a != b;
    const int times = 1 + (below(4) == 0);
    for (int i = 0; a != alone && b != alone && i < times; ++i) {
      if (drawn[a].out > 4 || drawn[b].in > 4 || drawn[b].out > 4 || drawn[a].in > 4) continue;
      drawn[a].to[drawn[a].out++] = b;
      drawn[b].from[drawn[b].in++] = a;
      if (both) drawn[b].to[drawn[b].out++] = a, drawn[a].from[drawn[a].in++] = b;
    }
  }
  const neighbours* const mine = &drawn[job_rank];
  MPI_Comm graph;
  if (distributed) {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, mine->in, mine->from, MPI_UNWEIGHTED, mine->out,
                                   mine->to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  } else {
    int ends[kMostRanks], edges[kMostRanks * kMost], end = 0;
    for (int r = 0; r < job_size; ++r) {
      for (int i = 0; i < drawn[r].out; ++i) edges[end++] = drawn[r].to[i];
      ends[r] = end;
    }
    MPI_Graph_create(MPI_COMM_WORLD, job_size, ends, edges, 0, &graph);
  }
  every_call(graph);
  MPI_Comm_free(&graph);
}

/* The same offsets at each rank of a torus: all next to it, or any that are drawn. The blocks come
 * in another order than they leave. */
static void on_stencil(void) {
  int sizes[2] = {1, 1}, left = job_size, to[kMost], from[kMost], count = 0;
  for (int factor = 2; left > 1; ++factor)
    for (; left % factor == 0; left /= factor) sizes[below(2)] *= factor;
  const int row = job_rank / sizes[1], column = job_rank % sizes[1], is_drawn = below(2);
  const int offsets = is_drawn ? 1 + below(10) : 9, turn = below(9);
  for (int i = 0; i < offsets; ++i) {
    const int down = is_drawn ? below(sizes[0]) : i / 3 - 1 + sizes[0],
              right = is_drawn ? below(sizes[1]) : i % 3 - 1 + sizes[1];
    if (!is_drawn && i == 4) continue;
    to[count] = (row + down) % sizes[0] * sizes[1] + (column + right) % sizes[1];
    from[count++] = (row + 2 * sizes[0] - down) % sizes[0] * sizes[1] +
                    (column + 2 * sizes[1] - right) % sizes[1];
  }
  int turned[kMost];
  for (int i = 0; i < count; ++i) turned[i] = from[(i + turn) % count];
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, count, turned, MPI_UNWEIGHTED, count, to,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  every_call(graph);
  MPI_Comm_free(&graph);
}

/* The same ring of all ranks, closed. */
static MPI_Comm ring(void) {
  const int periodic = 1;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &job_size, &periodic, 0, &grid);
  return grid;
}

/* --- calls that are wrong ----------------------------------------------------------------------
 */

static void without_topology(void) {
  int in[2] = {0}, out[2] = {0};
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  GIVES(tutti_neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm), TUTTI_ERR_COMM);
  CHECK(strstr(tutti_last_error_message(), "topology"), "%s", tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
}

static void wrong_arguments(MPI_Comm grid) {
  static const MPI_Count counts[2] = {1, 1}, negative[2] = {1, -1}, same[2] = {0, 0};
  int in[4] = {0}, out[4] = {0};
  tutti_comm comm;
#define WRONG(call, code)                 \
  do {                                    \
    MUST(tutti_comm_create(grid, &comm)); \
    GIVES(call, code);                    \
    MUST(tutti_comm_free(&comm));         \
  } while (0)
  WRONG(tutti_neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, comm), TUTTI_ERR_BUFFER);
  WRONG(tutti_neighbor_allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), TUTTI_ERR_BUFFER);
  WRONG(tutti_neighbor_alltoall(in, 1, MPI_INT, in, 1, MPI_INT, comm), TUTTI_ERR_OVERLAP);
  WRONG(tutti_neighbor_alltoallv(in, NULL, NULL, MPI_INT, out, counts, NULL, MPI_INT, comm),
        TUTTI_ERR_BUFFER);
  WRONG(tutti_neighbor_alltoallv(in, counts, NULL, MPI_INT, out, negative, NULL, MPI_INT, comm),
        TUTTI_ERR_COUNT);
  WRONG(tutti_neighbor_alltoallv(in, counts, NULL, MPI_INT, out, counts, same, MPI_INT, comm),
        TUTTI_ERR_DISPLACEMENT);
  WRONG(tutti_neighbor_alltoallw(in, counts, same, NULL, out, counts, same, NULL, comm),
        TUTTI_ERR_BUFFER);
  WRONG(tutti_neighbor_alltoall(in, 1, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm), TUTTI_ERR_TYPE);
#undef WRONG
}

/* One rank makes another call, or gives other sizes: all ranks hear of it. */
static void calls_that_differ(MPI_Comm grid) {
  static int in[4000], out[4000];
  if (job_size < 2) return;
  for (int which = 0; which < 4; ++which) {
    const int is_odd = job_rank == job_size - 1;
    tutti_comm comm;
    MUST(tutti_comm_create(grid, &comm));
    const int n = is_odd && which > 1 ? (which == 2 ? 2 : 2000) : 1;
    int code = is_odd && which == 0 ? tutti_barrier(comm)
               : is_odd && which == 1
                   ? tutti_neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm)
                   : tutti_neighbor_alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
    while (code == 0) code = tutti_barrier(comm);
    CHECK(code == TUTTI_ERR_CALLS_DIFFER, "case %d gives %d (%s)", which, code,
          tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
  }
}

/* Calls of all kinds in flight on one communicator, ended in another order. */
static void in_flight(MPI_Comm grid) {
  int in[2] = {job_rank * 10, job_rank * 10 + 1}, out[3][2], sum = 0;
  tutti_request requests[4];
  tutti_comm comm;
  MUST(tutti_comm_create(grid, &comm));
  const int before = (job_rank + job_size - 1) % job_size, after = (job_rank + 1) % job_size;
  for (int again = 0; again < 20; ++again) {
    MUST(tutti_ineighbor_alltoall(in, 1, MPI_INT, out[0], 1, MPI_INT, comm, &requests[0]));
    MUST(tutti_iallreduce(&job_rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]));
    MUST(tutti_ineighbor_allgather(in, 1, MPI_INT, out[1], 1, MPI_INT, comm, &requests[2]));
    MUST(tutti_ineighbor_alltoall(in, 1, MPI_INT, out[2], 1, MPI_INT, comm, &requests[3]));
    for (int i = 3; i >= 0; --i) MUST(tutti_wait(&requests[(i + job_rank) % 4]));
    CHECK(sum == job_size * (job_size - 1) / 2, "the sum is %d", sum);
    for (int i = 0; i < 3; i += 2)
      CHECK(out[i][0] == before * 10 + 1 && out[i][1] == after * 10, "%d and %d", out[i][0],
            out[i][1]);
    CHECK(out[1][0] == before * 10 && out[1][1] == after * 10, "%d and %d", out[1][0], out[1][1]);
  }
  MUST(tutti_comm_free(&comm));
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 3 && job_size <= kMostRanks, "usage: neighbours_test TOPOLOGIES SEED");
  MUST(tutti_init(NULL));
  random_state = (unsigned)atoi(argv[2]);
  for (int i = atoi(argv[1]); i > 0; --i) {
    on_grid();
    on_graph(0);
    on_graph(1);
    on_stencil();
  }
  MPI_Comm grid = ring();
  without_topology();
  wrong_arguments(grid);
  calls_that_differ(grid);
  in_flight(grid);
  MPI_Comm_free(&grid);
  if (pair != MPI_DATATYPE_NULL) MPI_Type_free(&pair);
  CHECK(combined > 0 || job_size == 1 || !getenv("TUTTI_ALGORITHM"), "no messages were combined");
  job_end("neighbours");
  return 0;
}
