/*
 * Every collective, on many sizes, roots, datatypes and communicators, against what the result must
 * be.
 *
 *   collectives_test [--large] [--huge]
 *
 * --large: blocks of 16 MiB; --huge: a broadcast of more than 2^31 bytes.
 */
#include "job.h"

#include <time.h>
#include <unistd.h>

static void check_bcast(tutti_comm comm, int rank, int root, size_t n, int round) {
  unsigned char* buffer = malloc(n + 1);
  for (size_t i = 0; i < n; ++i) buffer[i] = rank == root ? pattern(i, root, round) : 0;
  buffer[n] = 0xA5;
  MUST(tutti_bcast(n ? buffer : NULL, (MPI_Count)n, MPI_BYTE, root, comm));
  for (size_t i = 0; i < n; ++i)
    CHECK(buffer[i] == pattern(i, root, round), "bcast of %zu bytes from %d: byte %zu is wrong", n,
          root, i);
  CHECK(buffer[n] == 0xA5, "bcast of %zu bytes wrote behind the buffer", n);
  free(buffer);
}

static void check_allgather(tutti_comm comm, int rank, int size, size_t n, int in_place,
                            int round) {
  unsigned char *send = malloc(n + 1), *receive = malloc(n * (size_t)size + 1);
  memset(receive, 0, n * (size_t)size);
  for (size_t i = 0; i < n; ++i) {
    send[i] = pattern(i, rank, round);
    if (in_place) receive[n * (size_t)rank + i] = send[i];
  }
  receive[n * (size_t)size] = 0xA5;
  MUST(tutti_allgather(in_place ? MPI_IN_PLACE : send, (MPI_Count)n, MPI_BYTE, receive,
                       (MPI_Count)n, MPI_BYTE, comm));
  for (int r = 0; r < size; ++r)
    for (size_t i = 0; i < n; ++i)
      CHECK(receive[n * (size_t)r + i] == pattern(i, r, round),
            "allgather of %zu bytes (in place: %d): byte %zu of block %d is wrong", n, in_place, i,
            r);
  CHECK(receive[n * (size_t)size] == 0xA5, "allgather of %zu bytes wrote behind the buffer", n);
  for (size_t i = 0; i < n; ++i)
    CHECK(send[i] == pattern(i, rank, round), "allgather changed its input");
  free(send);
  free(receive);
}

/* The machine's clock, the same for all processes (MPI_Wtime need not be). */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Nobody leaves before the last has come: the last one sleeps first, and times the others by the
 * common clock. */
static void check_barrier(tutti_comm comm, int rank, int size) {
  for (int late = 0; late<size; late += size> 3 ? 3 : 1) {
    MUST(tutti_barrier(comm));
    if (rank == late) usleep(20000);
    struct {
      double entered, left;
    } mine, all[64];
    mine.entered = now();
    MUST(tutti_barrier(comm));
    mine.left = now();
    MUST(tutti_allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, comm));
    for (int r = 0; r < size; ++r)
      CHECK(mine.left >= all[r].entered, "left the barrier before rank %d had come", r);
  }
}

static void check_types(tutti_comm comm, int rank, int size) {
  /* every second int of 7 */
  MPI_Datatype vector, resized, contiguous, swapped;
  MPI_Type_vector(7, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 14 * (MPI_Aint)sizeof(int), &resized);
  MPI_Type_commit(&resized);
  MPI_Type_contiguous(7, MPI_INT, &contiguous);
  MPI_Type_commit(&contiguous);
  const int blocks[2] = {1, 1}, places[2] = {1, 0};
  MPI_Type_indexed(2, blocks, places, MPI_INT, &swapped);
  MPI_Type_commit(&swapped);
  int strided[14 * 3], packed[7 * 3];
  for (int i = 0; i < 42; ++i) strided[i] = rank == 0 ? i : -1;
  MUST(tutti_bcast(strided, 3, resized, 0, comm));
  for (int i = 0; i < 42; ++i)
    CHECK(strided[i] == (rank == 0 || i % 2 == 0 ? i : -1),
          "bcast of a strided type: element %d is %d", i, strided[i]);
  /* types may differ between ranks if they describe the same bytes */
  for (int i = 0; i < 21; ++i) packed[i] = -1;
  if (rank == 0)
    MUST(tutti_bcast(strided, 3, resized, 0, comm));
  else
    MUST(tutti_bcast(packed, 3, contiguous, 0, comm));
  for (int i = 0; rank != 0 && i < 21; ++i)
    CHECK(packed[i] == 2 * i, "bcast between different types: element %d is %d", i, packed[i]);
  /* data travel in the order of the type map */
  int pair[2] = {rank == 0 ? 10 : 0, rank == 0 ? 11 : 0};
  MUST(tutti_bcast(pair, rank == 0 ? 1 : 2, rank == 0 ? swapped : MPI_INT, 0, comm));
  if (rank != 0)
    CHECK(pair[0] == 11 && pair[1] == 10, "a permuting type came as %d %d", pair[0], pair[1]);

  int *all = malloc((size_t)size * 14 * sizeof(int)), mine[7];
  for (int i = 0; i < 7; ++i) mine[i] = rank * 100 + i;
  for (int i = 0; i < size * 14; ++i) all[i] = -1;
  MUST(tutti_allgather(mine, 7, MPI_INT, all, 1, resized, comm));
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < 7; ++i)
      CHECK(all[r * 14 + 2 * i] == r * 100 + i && all[r * 14 + 2 * i + 1] == -1,
            "allgather into a strided type: block %d, element %d", r, i);
  for (int i = 0; i < size * 14; ++i)
    if (i / 14 != rank) all[i] = -1;
  MUST(tutti_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, resized, comm));
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < 7; ++i)
      CHECK(all[r * 14 + 2 * i] == r * 100 + i,
            "allgather in place of a strided type: block %d, element %d", r, i);
  free(all);
  MPI_Type_free(&vector);
  MPI_Type_free(&resized);
  MPI_Type_free(&contiguous);
  MPI_Type_free(&swapped);
}

static void check_communicator(MPI_Comm mpi, const size_t* sizes, int count) {
  int rank, size;
  MPI_Comm_rank(mpi, &rank);
  MPI_Comm_size(mpi, &size);
  tutti_comm comm;
  MUST(tutti_comm_create(mpi, &comm));
  check_barrier(comm, rank, size);
  for (int s = 0; s < count; ++s) {
    const int step = sizes[s] > 65536 && size > 2 ? size - 1 : 1;
    for (int root = 0; root < size; root += step) check_bcast(comm, rank, root, sizes[s], s);
    check_allgather(comm, rank, size, sizes[s], 0, s);
    check_allgather(comm, rank, size, sizes[s], 1, s + 1);
  }
  check_types(comm, rank, size);
  MUST(tutti_comm_free(&comm));
  CHECK(comm == TUTTI_COMM_NULL, "tutti_comm_free leaves the handle");
}

/* Two communicators in turn, collectives drawn by a common seed, one-way floods that fill every
 * ring. */
static void check_mixture(unsigned seed) {
  MPI_Comm reversed_mpi;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -job_rank, &reversed_mpi);
  tutti_comm comms[2];
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comms[0]));
  MUST(tutti_comm_create(reversed_mpi, &comms[1]));
  MPI_Comm_free(&reversed_mpi);
  const int ranks[2] = {job_rank, job_size - 1 - job_rank};
  for (int i = 0; i < 400; ++i) {
    seed = seed * 1103515245u + 12345u;
    const int which = seed >> 16 & 1, kind = (int)(seed >> 17) % 5,
              root = (int)(seed >> 20) % job_size;
    const size_t n = (seed >> 8) % (kind == 4 ? 40000 : 300);
    if (kind == 0) MUST(tutti_barrier(comms[which]));
    if (kind == 1 || kind == 4) check_bcast(comms[which], ranks[which], root, n, i);
    if (kind == 2) check_allgather(comms[which], ranks[which], job_size, n, i & 1, i);
    if (kind == 3)
      for (int j = 0; j < 100; ++j) check_bcast(comms[which], ranks[which], root, n % 64, j);
  }
  MUST(tutti_comm_free(&comms[1]));
  MUST(tutti_comm_free(&comms[0]));
}

/* A buffer is freed, and the next one gets its address with other pages behind it: a stale
 * registration would lose data. */
static void check_reused_address(void) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  const size_t n = 300000;
  for (int round = 0; round < 6; ++round)
    check_allgather(comm, job_rank, job_size, n, round & 1, round); /* malloc maps these */
  for (int round = 0; round < 6; ++round) check_bcast(comm, job_rank, 0, n, round);
  MUST(tutti_comm_free(&comm));
}

static void check_huge(void) {
  const size_t n = ((size_t)1 << 31) + 4097;
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  unsigned char* buffer = malloc(n);
  CHECK(buffer, "no memory for %zu bytes", n);
  memset(buffer, job_rank == 0 ? 7 : 0, n);
  if (job_rank == 0) buffer[n - 1] = buffer[(size_t)1 << 31] = 9;
  MUST(tutti_bcast(buffer, (MPI_Count)n, MPI_BYTE, 0, comm));
  CHECK(buffer[0] == 7 && buffer[n - 1] == 9 && buffer[(size_t)1 << 31] == 9 && buffer[n - 2] == 7,
        "bcast of %zu bytes is wrong", n);
  free(buffer);
  MUST(tutti_comm_free(&comm));
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  const size_t usual[] = {0,    1,    7,    40,    41,    64,    255,    256,
                          1000, 1001, 4096, 16383, 16385, 65537, 1 << 20};
  const size_t large[] = {0, 1, 1 << 20, 16 << 20};
  const size_t few[] = {0, 1, 41, 5000, 70001};
  MUST(tutti_init(NULL));
  int huge = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--large")) check_communicator(MPI_COMM_WORLD, large, 4);
    if (!strcmp(argv[i], "--huge")) huge = 1;
  }
  if (huge) {
    check_huge();
  } else if (argc == 1) {
    check_communicator(MPI_COMM_WORLD, usual, sizeof usual / sizeof *usual);
    check_communicator(MPI_COMM_SELF, few, 5);
    MPI_Comm half, reversed;
    MPI_Comm_split(MPI_COMM_WORLD, job_rank % 2, job_rank, &half);
    check_communicator(half, few, 5);
    MPI_Comm_free(&half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -job_rank, &reversed);
    check_communicator(reversed, few, 5);
    MPI_Comm_free(&reversed);
    check_mixture(4711);
    check_reused_address();
    MUST(tutti_finalize()); /* and all over again */
    MUST(tutti_init(NULL));
    check_communicator(MPI_COMM_WORLD, few, 5);
  }
  job_end("collectives");
  return 0;
}
