/* Each rank's call is right by itself, but they do not match. */
#include "errors.h"

/* Ranks that pass different sizes are told, and nobody hangs. */
void mismatched_sizes(void) {
  if (job_size < 2) return;
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int data[64] = {0};
  const int code = tutti_bcast(data, job_rank == 0 ? 8 : 16, MPI_BYTE, 0, comm);
  if (job_rank != 0) CHECK(code != TUTTI_SUCCESS, "a broadcast of other sizes passes");
  /* the root learns of it at the latest when it waits for the others */
  GIVES(tutti_barrier(comm), TUTTI_ERR_CALLS_DIFFER);
  GIVES(tutti_barrier(comm), TUTTI_ERR_CALLS_DIFFER);
  MUST(tutti_comm_free(&comm));
}

/* The message has both calls on all ranks, and the same words from the first one on. */
static int same_on_all(const char* text, const char* other) {
  char mine[600] = {0}, first[600];
  snprintf(mine, sizeof mine, "%s", text);
  memcpy(first, mine, sizeof first);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  /* the last: a side is missing, and how to know it */
  int same = strcmp(mine, first) == 0 && strstr(text, "bcast") && strstr(text, other) &&
             !strstr(text, "TUTTI_CHECK");
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return same;
}

/* All ranks are told both calls in the same words, whatever differs between them. The first error
 * waits a moment for members that are late; if they are later, the next ones have their words. */
void named_calls(tutti_comm good) {
  enum { SAME, OTHER_COLLECTIVE, OTHER_SIZE, OTHER_ROOT, CASES };
  static const char* const odd_words[CASES] = {"", "allreduce", "16", "root 1"};
  if (job_size < 2) return;
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  for (int which = OTHER_COLLECTIVE; which < CASES; ++which) {
    char in[16] = {0}, out[16] = {0};
    tutti_comm comm;
    MUST(tutti_comm_create(solver, &comm));
    MUST(tutti_barrier(comm));
    MPI_Barrier(MPI_COMM_WORLD); /* or the error of the next call could reach a rank in this one */
    const int odd = job_rank == job_size - 1 ? which : SAME;
    const char* const other = odd_words[which];
    watch("case %d of named calls", which);
    int code = odd == OTHER_COLLECTIVE ? tutti_allreduce(in, out, 8, MPI_BYTE, MPI_BOR, comm)
                                       : tutti_bcast(out, odd == OTHER_SIZE ? 16 : 8, MPI_BYTE,
                                                     odd == OTHER_ROOT ? 1 : 0, comm);
    while (code == 0) code = tutti_barrier(comm);
    watch("case %d of named calls: %s", which, tutti_last_error_message());
    do {
      const char* const text = tutti_last_error_message();
      CHECK(code == TUTTI_ERR_CALLS_DIFFER, "case %d gives %d (%s)", which, code, text);
      CHECK(strstr(text, "call 2 of communicator `solver` is "), "case %d: %s", which, text);
      /* the error of a communicator that has failed comes at once: no rank waits in it */
    } while (!same_on_all(tutti_last_error_message(), other) &&
             (code = tutti_barrier(comm)) != TUTTI_SUCCESS);
    CHECK(code != TUTTI_SUCCESS, "case %d: a communicator that has failed works", which);
    MUST(tutti_comm_free(&comm));
    unwatch();
  }
  MPI_Comm_free(&solver);
  works(good);
}

static void set_counts(arguments* a, MPI_Count count) {
  a->send.count = a->recv.count = count;
  for (int r = 0; r < job_size; ++r) {
    a->send.counts[r] = a->recv.counts[r] = count;
    a->send.displs[r] = a->recv.displs[r] = r * count;
  }
}

/* One rank passes other counts than the rest, each rank's arguments being right by themselves:
   those who notice are told, nobody hangs, and in the end all know: no number of barriers is
   promised for that, and watch() sees that it is not without end. */
void mismatches(tutti_comm good) {
  static const struct {
    MPI_Count all, one;
  } sizes[] = {{N, N + 1},
               {N + 1, N},
               {N, 0},
               {0, N},
               {N, LONG},
               {LONG, N},
               {LONG, LONG - 1},
               {100, LONG / 2},
               /* whole pieces: what is expected is the beginning of what comes, or all of it is */
               {LONG / 2, LONG},
               {LONG, LONG / 2}};
  if (job_size < 2) return;
  for (kind k = 0; k < KINDS; ++k)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
      for (int wrong = 0; wrong < job_size; wrong += job_size - 1) {
        arguments a = right();
        set_counts(&a, job_rank == wrong ? sizes[i].one : sizes[i].all);
        tutti_comm comm;
        MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
        watch("%s, %d elements, and %d on rank %d", about[k].name, (int)sizes[i].all,
              (int)sizes[i].one, wrong);
        const int code = call(k, &a, comm);
        CHECK(code == TUTTI_SUCCESS || code == TUTTI_ERR_CALLS_DIFFER,
              "%s: %d elements, and %d on rank %d: gives %d (%s)", about[k].name, (int)sizes[i].all,
              (int)sizes[i].one, wrong, code, tutti_last_error_message());
        int next = code;
        while (next == 0) next = tutti_barrier(comm);
        CHECK(next == TUTTI_ERR_CALLS_DIFFER,
              "%s: %d elements, and %d on rank %d: gave %d, and then %d (%s)", about[k].name,
              (int)sizes[i].all, (int)sizes[i].one, wrong, code, next, tutti_last_error_message());
        MUST(tutti_comm_free(&comm));
      }
  unwatch();
  works(good);
}

/* Calls that do not match, by what `mine` is: whoever can end does, in the end all are told. */
static void calls_differ(const char* what, kind mine, const arguments* a) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  watch("%s", what);
  int code = call(mine, a, comm);
  while (code == 0) code = tutti_barrier(comm);
  CHECK(code == TUTTI_ERR_CALLS_DIFFER, "%s: gives %d (%s)", what, code,
        tutti_last_error_message());
  CHECK(strstr(tutti_last_error_message(), "ranks make different calls: call "), "%s: %s", what,
        tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
  unwatch();
}

void different_calls(tutti_comm good) {
  char what[200];
  if (job_size < 2) return;
  for (kind k = 0; k < KINDS; ++k)
    for (int wrong = 0; wrong < job_size; wrong += job_size - 1) {
      for (int shift = 2; shift < 9; ++shift) {
        const kind other = (k + shift) % KINDS;
        /* Forms of one collective match if their sizes do. */
        if (strncmp(about[k].name, about[other].name, strlen("alltoall")) == 0) continue;
        arguments a = right();
        snprintf(what, sizeof what, "%s, and %s on rank %d", about[k].name, about[other].name,
                 wrong);
        calls_differ(what, job_rank == wrong ? other : k, &a);
      }
      if (!about[k].rooted) continue;
      arguments a = right();
      if (job_rank == wrong) a.root = 1;
      snprintf(what, sizeof what, "%s, with another root on rank %d", about[k].name, wrong);
      calls_differ(what, k, &a);
    }
  works(good);
}

/* Calls that differ, where a rank that can end its call does not come back into Tutti: the others
 * find the mistake in its messages. With another root all may be able to end; and a rank that sends
 * to another root than the waiting one sends that one nothing that would show it the mistake. */
static int worst_code(kind k, const arguments* a, const char* what) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  watch("%s, and then MPI only", what);
  const int code = call(k, a, comm);
  CHECK(code == TUTTI_SUCCESS || code == TUTTI_ERR_CALLS_DIFFER, "%s: gives %d (%s)", what, code,
        tutti_last_error_message());
  int worst = 0;
  MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MUST(tutti_comm_free(&comm));
  unwatch();
  return worst;
}

void mismatches_left_to_mpi(tutti_comm good) {
  static const struct {
    MPI_Count all, one;
  } sizes[] = {{N, 4 * N}, {4 * N, N}, {N, LONG}, {LONG, N}};
  char what[200];
  if (job_size < 2) return;
  for (kind k = 0; k < KINDS; ++k)
    for (int wrong = 0; wrong < job_size; wrong += job_size - 1) {
      for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        arguments a = right();
        set_counts(&a, job_rank == wrong ? sizes[i].one : sizes[i].all);
        snprintf(what, sizeof what, "%s, %d elements, and %d on rank %d", about[k].name,
                 (int)sizes[i].all, (int)sizes[i].one, wrong);
        CHECK(worst_code(k, &a, what) == TUTTI_ERR_CALLS_DIFFER, "%s: passes", what);
      }
      if (!about[k].rooted || about[k].recv == AT_ROOT) continue;
      arguments a = right();
      if (job_rank == wrong) a.root = 1;
      snprintf(what, sizeof what, "%s, with another root on rank %d", about[k].name, wrong);
      worst_code(k, &a, what);
    }
  works(good);
}

/* One rank goes on, by many calls that wait for nobody, or has even freed the communicator, while
 * another waits for it. */
void left_alone(tutti_comm good) {
  static char data[20000];
  if (job_size < 2) return;
  for (int freed = 0; freed < 2; ++freed) {
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    const char* const what = freed ? "freed the communicator" : "gone on";
    watch("rank 0 has %s", what);
    int code = 0;
    if (!freed)
      for (int i = 0; code == 0 && i < 300; ++i)
        code = tutti_bcast(data, job_rank != 0 && i == 0 ? sizeof data : 8, MPI_CHAR, 0, comm);
    else if (job_rank != 0)
      code = tutti_barrier(comm);
    if (!freed || job_rank != 0)
      CHECK(code == TUTTI_ERR_CALLS_DIFFER, "rank 0 has %s: gives %d (%s)", what, code,
            tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
    unwatch();
    works(good);
  }
}

/* Messages to a rank that refused, and freed the communicator, do not take memory for ever. */
void refused_and_freed(tutti_comm good) {
  static char data[8000];
  if (job_size != 2) return;
  watch("refused messages are not thrown away");
  for (int i = 0; i < 2500; ++i) {
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    const int code =
        tutti_bcast(data, job_rank == 0 ? (MPI_Count)sizeof data : -1, MPI_CHAR, 0, comm);
    CHECK(code == (job_rank == 0 ? 0 : TUTTI_ERR_COUNT) || code == TUTTI_ERR_COUNT, "gives %d (%s)",
          code, tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
  }
  unwatch();
  works(good);
}
