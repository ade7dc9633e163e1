#include "calls.h"

#include <signal.h>
#include <stdarg.h>

const struct about about[KINDS] = {
    {"bcast", NOBODY, AT_ALL, 1, 0, 1, 0, 0},
    {"scatter", AT_ROOT, AT_ALL, 1, 0, 0, 0, 0},
    {"scatterv", AT_ROOT, AT_ALL, 1, 0, 0, 1, 0},
    {"gather", AT_ALL, AT_ROOT, 1, 0, 0, 0, 0},
    {"gatherv", AT_ALL, AT_ROOT, 1, 0, 0, 0, 1},
    {"allgather", AT_ALL, AT_ALL, 0, 0, 0, 0, 0},
    {"allgatherv", AT_ALL, AT_ALL, 0, 0, 0, 0, 1},
    {"alltoall", AT_ALL, AT_ALL, 0, 0, 0, 0, 0},
    {"alltoallv", AT_ALL, AT_ALL, 0, 0, 0, 1, 1},
    {"alltoallw", AT_ALL, AT_ALL, 0, 0, 0, 1, 1},
    {"reduce", AT_ALL, AT_ROOT, 1, 1, 1, 0, 0},
    {"allreduce", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"reduce_scatter_block", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"reduce_scatter", AT_ALL, AT_ALL, 0, 1, 1, 0, 1},
    {"scan", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
    {"exscan", AT_ALL, AT_ALL, 0, 1, 1, 0, 0},
};

/* The same blocks: one type for all of them, and places in bytes. */
static int alltoallw(const end* s, const end* r, tutti_comm comm) {
  MPI_Count places[2][MOST];
  MPI_Datatype types[2][MOST];
  for (int i = 0; i < job_size; ++i) {
    types[0][i] = s->type;
    types[1][i] = r->type;
    places[0][i] = s->displs[i] * (MPI_Count)sizeof(int);
    places[1][i] = r->displs[i] * (MPI_Count)sizeof(int);
  }
  return tutti_alltoallw(s->buffer, s->counts, places[0], types[0], r->buffer, r->counts, places[1],
                         types[1], comm);
}

int call(kind k, const arguments* a, tutti_comm comm) {
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
    case ALLTOALLW: return alltoallw(s, r, comm);
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

arguments right(void) {
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

void works(tutti_comm comm) {
  int value = job_rank, all[64];
  MUST(tutti_allgather(&value, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < job_size; ++i)
    CHECK(all[i] == i, "after errors, allgather gives %d for rank %d", all[i], i);
  MUST(tutti_barrier(comm));
}

static char text[256];

static void on_alarm(int signal) {
  (void)signal;
  const ssize_t written = write(2, text, strlen(text));
  (void)written;
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void watch(const char* format, ...) {
  va_list values;
  const int length = snprintf(text, sizeof text, "hangs on rank %d: ", job_rank);
  va_start(values, format);
  vsnprintf(text + length, sizeof text - (size_t)length - 1, format, values);
  va_end(values);
  strcat(text, "\n");
  signal(SIGALRM, on_alarm);
  alarm(100);
}

void unwatch(void) { alarm(0); }
