/* Communicators of all kinds, made and freed; and collectives in what MPI_Finalize calls. */
#include <malloc.h>
#include <sys/prctl.h>

#include "plain.h"

static long memory(void) {
  long pages = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void use(MPI_Comm comm) {
  int P, r, sum = -1;
  MPI_Comm_size(comm, &P);
  MPI_Comm_rank(comm, &r);
  MPI_Allreduce(&r, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == P * (P - 1) / 2, "the sum over %d ranks is %d", P, sum);
  MPI_Barrier(comm);
}
static void use_and_free(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  use(comm);
  MPI_Comm_free(&comm);
}

static void kinds(void) {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use_and_free(comm);
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  use_and_free(comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &comm);
  use_and_free(comm);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  use_and_free(comm);
  MPI_Group world, group;
  int first[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, size > 1 ? 1 : 0, first, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  use_and_free(comm);
  if (rank > 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
    use_and_free(comm);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  int dimensions[1] = {size}, periods[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 1, &comm);
  use_and_free(comm);
  int index[64], edges[64];
  for (int i = 0; i < size; ++i) {
    index[i] = i + 1;
    edges[i] = (i + 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  use_and_free(comm);
  if (size > 1) { /* an intercommunicator */
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? 0 : 1, 9, &inter);
    int one = 1, sum = 0, others = 0;
    MPI_Comm_remote_size(inter, &others);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK(sum == others, "%d of %d on the other side", sum, others);
    /* As many counts as there are ranks on the other side, which may be less than on this one. */
    int* const counts = calloc(2 * (size_t)others, sizeof *counts);
    MPI_Datatype* const types = malloc((size_t)others * sizeof *types);
    for (int i = 0; i < others; ++i) types[i] = MPI_INT;
    MPI_Alltoallw(NULL, counts, counts + others, types, NULL, counts, counts + others, types,
                  inter);
    MPI_Alltoallv(NULL, counts, counts + others, MPI_INT, NULL, counts, counts + others, MPI_INT,
                  inter);
    free(counts);
    free(types);
    MPI_Comm_dup(inter, &comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == others, "%d of %d on the other side of the duplicate", sum, others);
    MPI_Comm_free(&comm);
    MPI_Intercomm_merge(inter, rank % 2, &comm);
    use_and_free(comm);
    MPI_Comm_free(&inter);
    use_and_free(half);
  }
  use(MPI_COMM_SELF);
}

/* Duplicates of what was used, freed or not used yet; used in another order than they were made. */
static void copies(void) {
  enum { MANY = 40 };
  MPI_Comm half, first, second, third, many[MANY];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_dup(half, &first);
  use_and_free(first); /* nobody has used the original yet */
  use(half);
  MPI_Comm_dup(half, &first);
  MPI_Comm_dup(first, &second);
  MPI_Comm_free(&first);
  MPI_Comm_dup(second, &third);
  use_and_free(third);
  use(half);
  use_and_free(second);
  MPI_Request requests[2]; /* two at once, of different originals */
  MPI_Comm_idup(half, &first, &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &second, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  use_and_free(second);
  use_and_free(first);
  use_and_free(half);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &first);
  MPI_Win window = MPI_WIN_NULL; /* MPIs duplicate its communicator */
  /* Without a device that carries windows, Open MPI makes none of one rank. */
  if (size > 1) MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, first, &window);
  MPI_Comm_dup(first, &second);
  if (size > 1) MPI_Win_free(&window);
  use_and_free(first);
  use_and_free(second);
  MPI_Comm_dup(MPI_COMM_SELF, &first);
  use_and_free(first);
  for (int i = 0; i < MANY; ++i) MPI_Comm_dup(i % 3 == 0 ? MPI_COMM_WORLD : many[i - 1], &many[i]);
  for (int i = MANY - 1; i >= 0; --i) {
    if (i % 4 != 0) use(many[i]);
    if (i % 5 == 0) use_and_free(many[i]);
  }
  for (int i = 0; i < MANY; ++i)
    if (i % 5 != 0) use_and_free(many[i]);
}

/* Uses a communicator that loses its attributes: what MPICH had for one of them is an attribute of
 * MPI_COMM_WORLD by then, and leads to the others there. */
static void use_bare(MPI_Comm comm) {
  int key, P, one = 1, ones = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
  MPI_Comm_size(comm, &P);
  MPI_Allreduce(&one, &ones, 1, MPI_INT, MPI_SUM, comm);
  CHECK(ones == P, "%d of %d ranks", ones, P);
  use(comm);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

/* A function that hears of the end of a communicator uses it, and another one that it frees. */
static MPI_Comm within = MPI_COMM_NULL;
static int use_at_end(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)extra;
  use_bare(comm);
  if (within != MPI_COMM_NULL && !value) MPI_Comm_free(&within);
  use_bare(comm);
  return MPI_SUCCESS;
}
static void ends(void) {
  int key;
  MPI_Comm comm;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_at_end, &key, NULL);
  for (int uses = 0; uses < 4; ++uses)
    for (int order = 0; order < 2; ++order) {
      MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &within);
      MPI_Comm_set_attr(within, key, &key);
      MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
      if (order == 0) MPI_Comm_set_attr(comm, key, NULL);
      for (int i = 0; i < uses; ++i) {
        use(comm);
        use(within);
      }
      if (order == 1) MPI_Comm_set_attr(comm, key, NULL);
      if (uses == 3)
        MPI_Comm_disconnect(&comm);
      else
        MPI_Comm_free(&comm);
      CHECK(comm == MPI_COMM_NULL && within == MPI_COMM_NULL, "they are not freed");
      MPI_Comm_dup(MPI_COMM_WORLD, &comm); /* perhaps with the same handle */
      use(comm);
      use_and_free(comm);
    }
  MPI_Comm_free_keyval(&key);
}

/* Bytes of the heap that are in use. */
static long heap(void) {
  const struct mallinfo2 now = mallinfo2();
  return (long)(now.uordblks + now.hblkhd);
}

/* Many that are made and freed; fails if they leave memory behind. */
static void many(int times, void (*use_one)(MPI_Comm comm)) {
  long before = 0, used = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use_one(comm);
    MPI_Comm_free(&comm);
    if (i == times / 2) {
      before = memory();
      used = heap();
    }
  }
  /* An allocation of the MPI for itself counts among few communicators, not among many. */
  const long each = (heap() - used) / (times - times / 2);
  CHECK(times < 1000 || each < 16, "a freed communicator leaves %ld bytes of the heap", each);
  const long grown = memory() - before;
  CHECK(times < 1000 || grown < 1 << 20, "%d communicators leave %ld bytes", times / 2, grown);
}

static int other; /* key of the program's attribute */
static void look_and_use(MPI_Comm comm) {
  char* value = NULL;
  int flag = 0;
  MPI_Comm_get_attr(comm, other, &value, &flag);
  CHECK(flag, "the program's attributes are copied");
  use(comm);
}
static void use_world(MPI_Comm comm) {
  (void)comm;
  use(MPI_COMM_WORLD);
}

static int called;
static int at_end(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  ++called;
  use(MPI_COMM_WORLD);
  use_bare(MPI_COMM_SELF);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 200;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* or a process may grow by huge pages at any time */
  begin(&argc, &argv);
  int key, flag = 0;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, other, &flag);
  MPI_Comm early;
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  use(MPI_COMM_WORLD);
  use_and_free(early);
  kinds();
  copies();
  ends();
  many(times, look_and_use);
  many(times, use_world);
  kinds();
  MPI_Finalize();
  CHECK(called == 1, "MPI_Finalize has called the program %d times", called);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (rank == 0 && finalized) printf("plain_life: ok with %d ranks\n", size);
  return 0;
}
