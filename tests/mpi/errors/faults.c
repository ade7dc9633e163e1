#include "faults.h"

const char* const fault_names[FAULTS] = {"root too high",
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

MPI_Datatype raw_type;

static void set_count(end* e, int array, MPI_Count value) {
  if (array)
    e->counts[job_size - 1] = value;
  else
    e->count = value;
}

int spoil(kind k, fault f, arguments* a) {
  const int is_root = job_rank == ROOT;
  const int sends = about[k].send == AT_ALL || (about[k].send == AT_ROOT && is_root);
  const int receives = (about[k].recv == AT_ALL && !(k == EXSCAN && job_rank == 0)) ||
                       (about[k].recv == AT_ROOT && is_root);
  const int has_send = about[k].send != NOBODY, own_send = has_send && !about[k].one;
  const int allgathers = k == ALLGATHER || k == ALLGATHERV,
            exchanges = k == ALLTOALL || k == ALLTOALLV || k == ALLTOALLW;
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
