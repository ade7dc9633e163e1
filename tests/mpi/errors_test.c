/* Every bad input gives its own code and a message, on the rank that is wrong, and nothing is lost:
   the library works after. One program, though long: what is right for every collective, and what
   of it can be wrong, is written once, as tables. */
#include <signal.h>
#include <unistd.h>

#include "job.h"

static int init_with(const char* setting) {
  const char* settings[2] = {setting, NULL};
  tutti_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.settings = settings;
  const int code = tutti_init(&options);
  if (code == TUTTI_SUCCESS) MUST(tutti_finalize());
  return code;
}

static void without_init(void) {
  tutti_comm comm = TUTTI_COMM_NULL;
  GIVES(tutti_barrier(comm), TUTTI_ERR_NOT_INITIALIZED);
  GIVES(tutti_comm_create(MPI_COMM_WORLD, &comm), TUTTI_ERR_NOT_INITIALIZED);
  GIVES(tutti_finalize(), TUTTI_ERR_NOT_INITIALIZED);
}

static void bad_configuration(void) {
  GIVES(init_with("transport=pigeon"), TUTTI_ERR_CONFIGURATION);
  CHECK(strstr(tutti_last_error_message(), "pigeon") && strstr(tutti_last_error_message(), "shm"),
        "the message names neither the value nor what is allowed: %s", tutti_last_error_message());
  GIVES(init_with("no_such_setting=1"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("eager_limit=many"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("eager_limit=99999999999999999999"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("line_slots=3"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("verbs_retry=7"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("just words"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("algorithm=allgather=magic"), TUTTI_ERR_UNKNOWN_ALGORITHM);
  CHECK(strstr(tutti_last_error_message(), "bruck"),
        "the message does not say which algorithms there are: %s", tutti_last_error_message());
  GIVES(init_with("algorithm=allgather=bruck(k=0)"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("algorithm=everything=ring"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("table=/nonexistent/table.json"), TUTTI_ERR_CONFIGURATION);
  CHECK(strstr(tutti_last_error_message(), "/nonexistent/table.json"),
        "the message does not name the file: %s", tutti_last_error_message());
  GIVES(init_with("table=/"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("table=/dev/null"), TUTTI_ERR_CONFIGURATION);
  setenv("TUTTI_CONFIG", "/nonexistent/tutti.conf", 1);
  GIVES(init_with("log=off"), TUTTI_ERR_CONFIGURATION);
  unsetenv("TUTTI_CONFIG");
  setenv("TUTTI_PORT", "x", 1);
  GIVES(init_with("log=off"), TUTTI_ERR_CONFIGURATION);
  unsetenv("TUTTI_PORT");
  tutti_options options;
  memset(&options, 0, sizeof options);
  GIVES(tutti_init(&options), TUTTI_ERR_CONFIGURATION);
}

static void bad_communicators(tutti_comm comm) {
  tutti_comm other = TUTTI_COMM_NULL;
  GIVES(tutti_init(NULL), TUTTI_ERR_ALREADY_INITIALIZED);
  GIVES(tutti_barrier(TUTTI_COMM_NULL), TUTTI_ERR_COMM);
  GIVES(tutti_comm_create(MPI_COMM_NULL, &other), TUTTI_ERR_COMM);
  GIVES(tutti_comm_create(MPI_COMM_WORLD, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_comm_free(NULL), TUTTI_ERR_COMM);
  GIVES(tutti_comm_free(&other), TUTTI_ERR_COMM);
  MUST(tutti_comm_create(MPI_COMM_SELF, &other));
  tutti_comm copy = other;
  MUST(tutti_comm_free(&other));
  GIVES(tutti_barrier(copy), TUTTI_ERR_COMM);
  GIVES(tutti_comm_free(&copy), TUTTI_ERR_COMM);
  /* One rank has no place for it: nobody gets one. */
  GIVES(tutti_comm_create(MPI_COMM_WORLD, job_rank == job_size - 1 ? NULL : &other),
        job_rank == job_size - 1 ? TUTTI_ERR_BUFFER : TUTTI_ERR_BOOTSTRAP);
  CHECK(other == TUTTI_COMM_NULL, "a communicator that could not be made on all ranks");
#ifdef MPICH_VERSION /* elsewhere a handle is a pointer, and a freed one cannot be looked at */
  MPI_Comm freed, copy_of_freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  copy_of_freed = freed;
  MPI_Comm_free(&freed);
  GIVES(tutti_comm_create(copy_of_freed, &other), TUTTI_ERR_COMM);
#endif
  if (job_size >= 2) {
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, job_rank % 2, job_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, job_rank % 2 ? 0 : 1, 5, &inter);
    GIVES(tutti_comm_create(inter, &other), TUTTI_ERR_COMM);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
  }
  (void)comm;
}

static void bad_arguments(tutti_comm comm) {
  int data[8] = {0}, all[8 * 64] = {0};
  GIVES(tutti_bcast(NULL, 1, MPI_INT, 0, comm), TUTTI_ERR_BUFFER);
  GIVES(tutti_bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), TUTTI_ERR_BUFFER);
  GIVES(tutti_bcast(data, -1, MPI_INT, 0, comm), TUTTI_ERR_COUNT);
  GIVES(tutti_bcast(data, (MPI_Count)1 << 62, MPI_INT, 0, comm), TUTTI_ERR_COUNT);
  GIVES(tutti_bcast(data, 1, MPI_DATATYPE_NULL, 0, comm), TUTTI_ERR_TYPE);
  GIVES(tutti_bcast(data, 1, MPI_INT, -1, comm), TUTTI_ERR_ROOT);
  GIVES(tutti_bcast(data, 1, MPI_INT, job_size, comm), TUTTI_ERR_ROOT);
  MPI_Datatype raw;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  GIVES(tutti_bcast(data, 1, raw, 0, comm), TUTTI_ERR_TYPE_NOT_COMMITTED);
  MPI_Type_free(&raw);
  MPI_Type_contiguous(2, MPI_INT, &raw);
  GIVES(tutti_bcast(data, 1, raw, 0, comm), TUTTI_ERR_TYPE_NOT_COMMITTED);
  MPI_Type_free(&raw);
  GIVES(tutti_allgather(NULL, 1, MPI_INT, all, 1, MPI_INT, comm), TUTTI_ERR_BUFFER);
  GIVES(tutti_allgather(data, 1, MPI_INT, NULL, 1, MPI_INT, comm), TUTTI_ERR_BUFFER);
  GIVES(tutti_allgather(data, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), TUTTI_ERR_BUFFER);
  GIVES(tutti_allgather(data, -1, MPI_INT, all, 1, MPI_INT, comm), TUTTI_ERR_COUNT);
  GIVES(tutti_allgather(data, 1, MPI_INT, all, -1, MPI_INT, comm), TUTTI_ERR_COUNT);
  GIVES(tutti_allgather(data, 2, MPI_INT, all, 1, MPI_INT, comm), TUTTI_ERR_SIZE_MISMATCH);
  GIVES(tutti_allgather(all, 1, MPI_INT, all, 1, MPI_INT, comm), TUTTI_ERR_OVERLAP);
  GIVES(tutti_allgather(data, 1, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm), TUTTI_ERR_TYPE);
  GIVES(tutti_describe(comm, NULL, 5, NULL), TUTTI_ERR_BUFFER);
}

/* Ranks that pass different sizes are told, and nobody hangs. */
static void mismatched_sizes(void) {
  if (job_size < 2) return;
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int data[64] = {0};
  const int code = tutti_bcast(data, job_rank == 0 ? 8 : 16, MPI_BYTE, 0, comm);
  if (job_rank != 0) CHECK(code != TUTTI_SUCCESS, "a broadcast of other sizes passes");
  /* the root learns of it at the latest when it waits for the others */
  GIVES(tutti_barrier(comm), TUTTI_ERR_SIZE_MISMATCH);
  GIVES(tutti_barrier(comm), TUTTI_ERR_SIZE_MISMATCH);
  MUST(tutti_comm_free(&comm));
}

static void works(tutti_comm comm) {
  int value = job_rank, all[64];
  MUST(tutti_allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < job_size; ++i)
    CHECK(all[i] == i, "after errors, allgather gives %d for rank %d", all[i], i);
  MUST(tutti_barrier(comm));
}

/* --- one wrong rank, in every collective ---------------------------------------------------- */

enum { MOST = 8, N = 5, LONG = 5000, ROOT = 0 };

/* Who a side of a collective counts for. */
enum side { NOBODY, AT_ROOT, AT_ALL };

typedef enum {
  BCAST,
  SCATTER,
  SCATTERV,
  GATHER,
  GATHERV,
  ALLGATHER,
  ALLGATHERV,
  ALLTOALL,
  ALLTOALLV,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER_BLOCK,
  REDUCE_SCATTER,
  SCAN,
  EXSCAN,
  KINDS
} kind;

/* What differs between them. One: count and type are given once, for both sides (in recv). */
static const struct {
  const char* name;
  enum side send, recv;
  int rooted, reduces, one, send_counts, recv_counts;
} about[KINDS] = {
    {"bcast", NOBODY, AT_ALL, 1, 0, 1, 0, 0},
    {"scatter", AT_ROOT, AT_ALL, 1, 0, 0, 0, 0},
    {"scatterv", AT_ROOT, AT_ALL, 1, 0, 0, 1, 0},
    {"gather", AT_ALL, AT_ROOT, 1, 0, 0, 0, 0},
    {"gatherv", AT_ALL, AT_ROOT, 1, 0, 0, 0, 1},
    {"allgather", AT_ALL, AT_ALL, 0, 0, 0, 0, 0},
    {"allgatherv", AT_ALL, AT_ALL, 0, 0, 0, 0, 1},
    {"alltoall", AT_ALL, AT_ALL, 0, 0, 0, 0, 0},
    {"alltoallv", AT_ALL, AT_ALL, 0, 0, 0, 1, 1},
    {"reduce", AT_ALL, AT_ROOT, 1, 1, 1, 0, 0},
    {"allreduce", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"reduce_scatter_block", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"reduce_scatter", AT_ALL, AT_ALL, 0, 1, 1, 0, 1},
    {"scan", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"exscan", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
};

typedef struct {
  void* buffer;
  MPI_Count count, *counts, *displs;
  MPI_Datatype type;
} end;
typedef struct {
  end send, recv;
  MPI_Op op;
  int root;
} arguments;

static int call(kind k, const arguments* a, tutti_comm comm) {
  const end *s = &a->send, *r = &a->recv;
  switch (k) {
    case BCAST: return tutti_bcast(r->buffer, r->count, r->type, a->root, comm);
    case SCATTER:
      return tutti_scatter(s->buffer, s->count, s->type, r->buffer, r->count, r->type, a->root,
                           comm);
    case SCATTERV:
      return tutti_scatterv(s->buffer, s->counts, s->displs, s->type, r->buffer, r->count, r->type,
                            a->root, comm);
    case GATHER:
      return tutti_gather(s->buffer, s->count, s->type, r->buffer, r->count, r->type, a->root,
                          comm);
    case GATHERV:
      return tutti_gatherv(s->buffer, s->count, s->type, r->buffer, r->counts, r->displs, r->type,
                           a->root, comm);
    case ALLGATHER:
      return tutti_allgather(s->buffer, s->count, s->type, r->buffer, r->count, r->type, comm);
    case ALLGATHERV:
      return tutti_allgatherv(s->buffer, s->count, s->type, r->buffer, r->counts, r->displs,
                              r->type, comm);
    case ALLTOALL:
      return tutti_alltoall(s->buffer, s->count, s->type, r->buffer, r->count, r->type, comm);
    case ALLTOALLV:
      return tutti_alltoallv(s->buffer, s->counts, s->displs, s->type, r->buffer, r->counts,
                             r->displs, r->type, comm);
    case REDUCE: return tutti_reduce(s->buffer, r->buffer, r->count, r->type, a->op, a->root, comm);
    case ALLREDUCE: return tutti_allreduce(s->buffer, r->buffer, r->count, r->type, a->op, comm);
    case REDUCE_SCATTER_BLOCK:
      return tutti_reduce_scatter_block(s->buffer, r->buffer, r->count, r->type, a->op, comm);
    case REDUCE_SCATTER:
      return tutti_reduce_scatter(s->buffer, r->buffer, r->counts, r->type, a->op, comm);
    case SCAN: return tutti_scan(s->buffer, r->buffer, r->count, r->type, a->op, comm);
    case EXSCAN: return tutti_exscan(s->buffer, r->buffer, r->count, r->type, a->op, comm);
    case KINDS: break;
  }
  return -1;
}

/* Arguments that are right. Before the buffers there is room for as many blocks again. */
static arguments right(void) {
  static int from[MOST * (LONG + N)], to[MOST * (LONG + N)];
  static MPI_Count counts[2][MOST], displs[2][MOST];
  arguments a = {{from + MOST * N, N, counts[0], displs[0], MPI_INT},
                 {to + MOST * N, N, counts[1], displs[1], MPI_INT},
                 MPI_SUM,
                 ROOT};
  for (int i = 0; i < 2 * MOST; ++i)
    counts[i / MOST][i % MOST] = N, displs[i / MOST][i % MOST] = i % MOST * N;
  return a;
}

typedef enum {
  ROOT_TOO_HIGH,
  ROOT_NEGATIVE,
  SEND_NULL,
  RECV_NULL,
  SEND_IN_PLACE,
  RECV_IN_PLACE,
  SAME_BUFFER,
  SEND_COUNTS_NULL,
  RECV_COUNTS_NULL,
  SEND_COUNT_NEGATIVE,
  RECV_COUNT_NEGATIVE,
  SEND_COUNT_HUGE,
  RECV_COUNT_HUGE,
  SEND_TYPE_NULL,
  RECV_TYPE_NULL,
  SEND_TYPE_RAW,
  RECV_TYPE_RAW,
  BLOCKS_OVERLAP,
  BLOCKS_BEFORE_BUFFER,
  OTHER_SIZE,
  OP_IS_NULL,
  OP_OF_INTEGERS,
  OP_OF_PAIRS,
  OP_ON_CHARACTERS,
  OP_FOR_WINDOWS,
  FAULTS
} fault;

static const char* const fault_names[FAULTS] = {"root too high",
                                                "root negative",
                                                "send buffer NULL",
                                                "receive buffer NULL",
                                                "send buffer in place",
                                                "receive buffer in place",
                                                "one buffer for both",
                                                "send counts NULL",
                                                "receive counts NULL",
                                                "send count negative",
                                                "receive count negative",
                                                "send count huge",
                                                "receive count huge",
                                                "send type null",
                                                "receive type null",
                                                "send type not committed",
                                                "receive type not committed",
                                                "receive blocks overlap",
                                                "receive blocks before the buffer",
                                                "other size sent",
                                                "null operation",
                                                "MPI_BAND of doubles",
                                                "MPI_MINLOC of integers",
                                                "MPI_SUM of characters",
                                                "MPI_REPLACE"};

static MPI_Datatype raw_type;

static void set_count(end* e, int array, MPI_Count value) {
  if (array)
    e->counts[job_size - 1] = value;
  else
    e->count = value;
}

/* Makes `a` wrong, and says what the call must give here: a code, or -1 if this fault cannot be
 * made in this collective. */
static int spoil(kind k, fault f, arguments* a) {
  const int is_root = job_rank == ROOT;
  const int sends = about[k].send == AT_ALL || (about[k].send == AT_ROOT && is_root);
  const int receives = (about[k].recv == AT_ALL && !(k == EXSCAN && job_rank == 0)) ||
                       (about[k].recv == AT_ROOT && is_root);
  const int has_send = about[k].send != NOBODY, own_send = has_send && !about[k].one;
  const int allgathers = k == ALLGATHER || k == ALLGATHERV,
            exchanges = k == ALLTOALL || k == ALLTOALLV;
  switch (f) {
    case ROOT_TOO_HIGH: a->root = job_size; return about[k].rooted ? TUTTI_ERR_ROOT : -1;
    case ROOT_NEGATIVE: a->root = -1; return about[k].rooted ? TUTTI_ERR_ROOT : -1;
    case SEND_NULL: a->send.buffer = NULL; return !has_send ? -1 : sends ? TUTTI_ERR_BUFFER : 0;
    case RECV_NULL: a->recv.buffer = NULL; return receives ? TUTTI_ERR_BUFFER : 0;
    case SEND_IN_PLACE:
      a->send.buffer = MPI_IN_PLACE;
      if (!has_send || allgathers || exchanges || (about[k].reduces && k != REDUCE))
        return -1; /* allowed, if all do it */
      return k == SCATTER || k == SCATTERV ? (is_root ? TUTTI_ERR_BUFFER : 0)
             : is_root                     ? 0
                                           : TUTTI_ERR_BUFFER;
    case RECV_IN_PLACE:
      a->recv.buffer = MPI_IN_PLACE;
      return !receives || ((k == SCATTER || k == SCATTERV) && is_root) ? 0 : TUTTI_ERR_BUFFER;
    case SAME_BUFFER:
      a->send.buffer = a->recv.buffer;
      return !has_send ? -1 : sends && receives ? TUTTI_ERR_OVERLAP : 0;
    case SEND_COUNTS_NULL:
      a->send.counts = NULL;
      return !about[k].send_counts ? -1 : sends ? TUTTI_ERR_BUFFER : 0;
    case RECV_COUNTS_NULL:
      a->recv.counts = NULL;
      return !about[k].recv_counts ? -1 : receives ? TUTTI_ERR_BUFFER : 0;
    case SEND_COUNT_NEGATIVE:
      set_count(&a->send, about[k].send_counts, -1);
      return !own_send ? -1 : sends ? TUTTI_ERR_COUNT : 0;
    case SEND_COUNT_HUGE:
      set_count(&a->send, about[k].send_counts, (MPI_Count)1 << 62);
      return !own_send ? -1 : sends ? TUTTI_ERR_COUNT : 0;
    case RECV_COUNT_NEGATIVE:
      set_count(&a->recv, about[k].recv_counts, -1);
      return receives || about[k].one ? TUTTI_ERR_COUNT : 0;
    case RECV_COUNT_HUGE:
      set_count(&a->recv, about[k].recv_counts, (MPI_Count)1 << 62);
      return receives || about[k].one ? TUTTI_ERR_COUNT : 0;
    case SEND_TYPE_NULL:
      a->send.type = MPI_DATATYPE_NULL;
      return !own_send ? -1 : sends ? TUTTI_ERR_TYPE : 0;
    case RECV_TYPE_NULL:
      a->recv.type = MPI_DATATYPE_NULL;
      return receives || about[k].one ? TUTTI_ERR_TYPE : 0;
    case SEND_TYPE_RAW:
      a->send.type = raw_type;
      return !own_send ? -1 : sends ? TUTTI_ERR_TYPE_NOT_COMMITTED : 0;
    case RECV_TYPE_RAW:
      a->recv.type = raw_type;
      return receives || about[k].one ? TUTTI_ERR_TYPE_NOT_COMMITTED : 0;
    case BLOCKS_OVERLAP:
      a->recv.displs[job_size - 1] -= 1;
      return !about[k].recv_counts || about[k].reduces || job_size == 1 ? -1
             : receives                                                 ? TUTTI_ERR_DISPLACEMENT
                                                                        : 0;
    case BLOCKS_BEFORE_BUFFER:
      for (int i = 0; i < job_size; ++i) a->recv.displs[i] = -N * (i + 1);
      return !about[k].recv_counts || about[k].reduces ? -1 : 0;
    case OTHER_SIZE:
      if (!own_send || !(sends && receives)) return -1; /* the peers' business: see mismatches() */
      if (about[k].send_counts)
        a->send.counts[job_rank] = N - 1;
      else
        a->send.count = N - 1;
      return TUTTI_ERR_SIZE_MISMATCH;
    case OP_IS_NULL: a->op = MPI_OP_NULL; break;
    case OP_OF_INTEGERS: a->op = MPI_BAND, a->recv.type = MPI_DOUBLE; break;
    case OP_OF_PAIRS: a->op = MPI_MINLOC; break;
    case OP_ON_CHARACTERS: a->recv.type = MPI_CHAR; break;
    case OP_FOR_WINDOWS: a->op = MPI_REPLACE; break;
    case FAULTS: break;
  }
  return about[k].reduces ? TUTTI_ERR_OP : -1;
}

/* Can rank `who` not have its result without rank `wrong`? */
static int needs(kind k, int who, int wrong) {
  switch (k) {
    case BCAST:
    case SCATTER:
    case SCATTERV: return wrong == ROOT;
    case GATHER:
    case GATHERV:
    case REDUCE: return who == ROOT;
    case SCAN:
    case EXSCAN: return who > wrong;
    default: return 1;
  }
}

/* What is being done, for whoever finds it hanging. */
static char doing[256];
static void on_alarm(int signal) {
  (void)signal;
  const ssize_t written = write(2, doing, strlen(doing));
  (void)written;
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One rank has a wrong argument. It is told so; whoever needs it gets the same code; nobody hangs,
   in this call or the next; and other communicators go on. */
static void one_wrong_rank(tutti_comm good) {
  int cases = 0;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw_type);
  for (kind k = 0; k < KINDS; ++k)
    for (fault f = 0; f < FAULTS; ++f)
      for (int wrong = 0; wrong<job_size; wrong += job_size> 1 ? job_size - 1 : 1) {
        arguments a = right();
        int expected = job_rank == wrong ? spoil(k, f, &a) : 0;
        MPI_Bcast(&expected, 1, MPI_INT, wrong, MPI_COMM_WORLD);
        if (expected < 0) continue;
        tutti_comm comm;
        MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
        ++cases;
        snprintf(doing, sizeof doing, "hangs on rank %d: %s, %s on rank %d\n", job_rank,
                 about[k].name, fault_names[f], wrong);
        alarm(100); /* long: cores may be shared */
        if (cases % 3 == (job_rank == wrong))
          usleep(1000); /* either comes first, or both at once */
        const int code = call(k, &a, comm);
        const char* const text = tutti_last_error_message();
        if (job_rank == wrong)
          CHECK(code == expected, "%s, %s: gives %d (%s), not %d", about[k].name, fault_names[f],
                code, text, expected);
        else
          CHECK((code == TUTTI_SUCCESS && !(expected && needs(k, job_rank, wrong))) ||
                    code == expected,
                "%s, %s on rank %d: gives %d (%s), the wrong rank has %d", about[k].name,
                fault_names[f], wrong, code, text, expected);
        if (code) CHECK(strlen(text) > 10, "%s, %s: no message", about[k].name, fault_names[f]);
        int next = cases % 4
                       ? tutti_barrier(comm)
                       : expected; /* freed at once, or told to all in the calls that follow */
        for (int i = 0; next == 0 && expected && job_size > 1 && i < 1000; ++i)
          next = tutti_barrier(comm);
        if (cases % 4)
          CHECK(next == (job_size > 1 ? expected : 0),
                "%s, %s on rank %d: gave %d, and the next calls give %d, not %d", about[k].name,
                fault_names[f], wrong, code, next, expected);
        MUST(tutti_comm_free(&comm));
        if (cases % 16 == 0) works(good);
      }
  alarm(0);
  MPI_Type_free(&raw_type);
  CHECK(cases > 200, "only %d cases", cases);
}

/* One rank passes other counts than the rest, each rank's arguments being right by themselves:
   those who notice are told, nobody hangs, and in the end all know. */
static void mismatches(tutti_comm good) {
  static const struct {
    MPI_Count all, one;
  } sizes[] = {{N, N + 1}, {N + 1, N}, {N, 0},           {0, N},
               {N, LONG},  {LONG, N},  {LONG, LONG - 1}, {100, LONG / 2}};
  if (job_size < 2) return;
  for (kind k = 0; k < KINDS; ++k)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
      for (int wrong = 0; wrong < job_size; wrong += job_size - 1) {
        arguments a = right();
        const MPI_Count count = job_rank == wrong ? sizes[i].one : sizes[i].all;
        a.send.count = a.recv.count = count;
        for (int r = 0; r < job_size; ++r) {
          a.send.counts[r] = a.recv.counts[r] = count;
          a.send.displs[r] = a.recv.displs[r] = r * count;
        }
        tutti_comm comm;
        MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
        snprintf(doing, sizeof doing, "hangs on rank %d: %s, %d elements, and %d on rank %d\n",
                 job_rank, about[k].name, (int)sizes[i].all, (int)sizes[i].one, wrong);
        alarm(100); /* long: cores may be shared */
        const int code = call(k, &a, comm);
        CHECK(code == TUTTI_SUCCESS || code == TUTTI_ERR_SIZE_MISMATCH,
              "%s: %d elements, and %d on rank %d: gives %d (%s)", about[k].name, (int)sizes[i].all,
              (int)sizes[i].one, wrong, code, tutti_last_error_message());
        int next = code;
        for (int tries = 0; next == 0 && tries < 1000; ++tries) next = tutti_barrier(comm);
        CHECK(next == TUTTI_ERR_SIZE_MISMATCH,
              "%s: %d elements, and %d on rank %d: gave %d, and then %d (%s)", about[k].name,
              (int)sizes[i].all, (int)sizes[i].one, wrong, code, next, tutti_last_error_message());
        MUST(tutti_comm_free(&comm));
      }
  alarm(0);
  works(good);
}

/* Calls that do not match, by what `mine` is: whoever can end does, in the end all are told. */
static void calls_differ(const char* what, kind mine, const arguments* a) {
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  snprintf(doing, sizeof doing, "hangs on rank %d: %s\n", job_rank, what);
  alarm(100); /* long: cores may be shared */
  int code = call(mine, a, comm);
  for (int tries = 0; code == 0 && tries < 1000; ++tries) code = tutti_barrier(comm);
  CHECK(code == TUTTI_ERR_SIZE_MISMATCH, "%s: gives %d (%s)", what, code,
        tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
  alarm(0);
}

static void different_calls(tutti_comm good) {
  char what[200];
  if (job_size < 2) return;
  for (kind k = 0; k < KINDS; ++k)
    for (int wrong = 0; wrong < job_size; wrong += job_size - 1) {
      for (int shift = 2; shift < 9; ++shift) {
        const kind other = (k + shift) % KINDS;
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

/* One rank goes on, by many calls that wait for nobody, or has even freed the communicator, while
 * another waits for it. */
static void left_alone(tutti_comm good) {
  static char data[20000];
  if (job_size < 2) return;
  for (int freed = 0; freed < 2; ++freed) {
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    snprintf(doing, sizeof doing, "hangs on rank %d: rank 0 has %s\n", job_rank,
             freed ? "freed the communicator" : "gone on");
    alarm(100);
    int code = 0;
    if (!freed)
      for (int i = 0; code == 0 && i < 300; ++i)
        code = tutti_bcast(data, job_rank != 0 && i == 0 ? sizeof data : 8, MPI_CHAR, 0, comm);
    else if (job_rank != 0)
      code = tutti_barrier(comm);
    if (!freed || job_rank != 0)
      CHECK(code == TUTTI_ERR_SIZE_MISMATCH, "%s: gives %d (%s)", doing, code,
            tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
    alarm(0);
    works(good);
  }
}

/* What was sent to a rank that refused, and freed the communicator, takes no memory for ever. */
static void refused_and_freed(tutti_comm good) {
  static char data[8000];
  if (job_size != 2) return;
  snprintf(doing, sizeof doing, "hangs on rank %d: refused messages are not thrown away\n",
           job_rank);
  alarm(40);
  for (int i = 0; i < 2500; ++i) {
    tutti_comm comm;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    const int code =
        tutti_bcast(data, job_rank == 0 ? (MPI_Count)sizeof data : -1, MPI_CHAR, 0, comm);
    CHECK(code == (job_rank == 0 ? 0 : TUTTI_ERR_COUNT) || code == TUTTI_ERR_COUNT, "gives %d (%s)",
          code, tutti_last_error_message());
    MUST(tutti_comm_free(&comm));
  }
  alarm(0);
  works(good);
}

/* A rank that has no memory for its part tells the others, and goes on. */
static void out_of_memory(tutti_comm good) {
  MPI_Datatype gaps;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int data[8] = {0};
  snprintf(doing, sizeof doing, "hangs on rank %d: rank %d is out of memory\n", job_rank,
           job_size - 1);
  alarm(100);
  const int lacks = job_rank == job_size - 1; /* room for 2^45 bytes, out of place */
  const int code = tutti_bcast(data, lacks ? (MPI_Count)1 << 42 : 1, gaps, 0, comm);
  CHECK(lacks ? code == TUTTI_ERR_NO_MEMORY : code == 0 || code == TUTTI_ERR_NO_MEMORY,
        "gives %d (%s)", code, tutti_last_error_message());
  int next = 0;
  for (int tries = 0; next == 0 && job_size > 1 && tries < 1000; ++tries)
    next = tutti_barrier(comm);
  CHECK(next == (job_size > 1 ? TUTTI_ERR_NO_MEMORY : 0), "gave %d, and then %d (%s)", code, next,
        tutti_last_error_message());
  alarm(0);
  MUST(tutti_comm_free(&comm));
  MPI_Type_free(&gaps);
  works(good);
}

/* An operation that writes what it may only read does no harm. */
static void scribbling_sum(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) {
    ((int*)inout)[i] += ((int*)in)[i];
    ((int*)in)[i] = -1;
  }
}

static void scribbling_operation(tutti_comm comm) {
  MPI_Op op;
  MPI_Op_create(scribbling_sum, 1, &op);
  for (kind k = REDUCE; k <= EXSCAN; ++k) {
    arguments a = right();
    int* const from = a.send.buffer;
    for (int i = 0; i < MOST * N; ++i) from[i] = job_rank + i;
    a.op = op;
    MUST(call(k, &a, comm));
    for (int i = 0; i < MOST * N; ++i)
      CHECK(from[i] == job_rank + i, "%s writes its send buffer", about[k].name);
    const int ranks = k == SCAN                         ? job_rank + 1
                      : k == EXSCAN                     ? job_rank
                      : k == REDUCE && job_rank != ROOT ? 0
                                                        : job_size;
    const int first = k == REDUCE_SCATTER || k == REDUCE_SCATTER_BLOCK ? job_rank * N : 0;
    for (int i = 0; i < N && ranks > 0; ++i) {
      const int sum = ranks * (ranks - 1) / 2 + ranks * (first + i);
      CHECK(((int*)a.recv.buffer)[i] == sum, "%s: %d, not %d", about[k].name,
            ((int*)a.recv.buffer)[i], sum);
    }
  }
  MPI_Op_free(&op);
}

/* Every code that the header names has a text of its own, and no other number has one. The codes
   are read there, so that a new one is not forgotten. */
static void texts(void) {
  FILE* const header = fopen(TUTTI_HEADER, "r");
  CHECK(header, "cannot read %s", TUTTI_HEADER);
  char line[512], name[64];
  int codes = 1 /* TUTTI_SUCCESS */, code;
  while (fgets(line, sizeof line, header))
    if (sscanf(line, " TUTTI_ERR_%63[A-Z0-9_] = %d", name, &code) == 2) {
      CHECK(code == codes, "TUTTI_ERR_%s is %d, and the code before it %d", name, code, codes - 1);
      ++codes;
      CHECK(strstr(tutti_error_string(code), "not an error code") == NULL,
            "TUTTI_ERR_%s has no text", name);
      for (int other = 0; other < code; ++other)
        CHECK(strcmp(tutti_error_string(other), tutti_error_string(code)) != 0,
              "the codes %d and %d have one text", other, code);
    }
  fclose(header);
  CHECK(codes > 30, "only %d codes found in %s", codes, TUTTI_HEADER);
  const int none[] = {-1, codes, 9999};
  for (int i = 0; i < 3; ++i)
    CHECK(strstr(tutti_error_string(none[i]), "not an error code") != NULL,
          "%d is no code and has a text", none[i]);
}

int main(int argc, char** argv) {
  CHECK(tutti_init(NULL) == TUTTI_ERR_MPI_NOT_INITIALIZED, "tutti_init before MPI_Init passes");
  job_begin(&argc, &argv);
  without_init();
  bad_configuration();
  texts();
  if (!getenv("JOB_HAS_DEVICE")) {
    GIVES(init_with("transport=verbs"), TUTTI_ERR_NO_DEVICE);
  } else {
    const char* none[] = {"transport=verbs", "device=no_such_device0", NULL};
    tutti_options options = {sizeof options, none, NULL, NULL};
    GIVES(tutti_init(&options), TUTTI_ERR_NO_DEVICE);
    const char* port[] = {"transport=verbs", "port=7", NULL};
    options.settings = port;
    GIVES(tutti_init(&options), TUTTI_ERR_CONFIGURATION);
    const char* gid[] = {"transport=verbs", "gid_index=200", NULL};
    options.settings = gid;
    GIVES(tutti_init(&options), TUTTI_ERR_CONFIGURATION);
  }
  signal(SIGALRM, on_alarm);
  const char* const quick[] = {
      "probe_interval=10",
      NULL}; /* who waits in another call than its peer is told at the next probe */
  const tutti_options options = {sizeof options, quick, NULL, NULL};
  MUST(tutti_init(&options));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  bad_communicators(comm);
  bad_arguments(comm);
  works(comm);
  one_wrong_rank(comm);
  mismatched_sizes();
  mismatches(comm);
  different_calls(comm);
  left_alone(comm);
  refused_and_freed(comm);
  out_of_memory(comm);
  scribbling_operation(comm);
  works(comm);
  MUST(tutti_comm_free(&comm));
  job_end("errors");
  return 0;
}
