/* Many calls in flight at once, among as many messages: more than Tutti has under way, than the
 * rings have slots, and than the MPI looks at together. */
#include "plain.h"

enum { CALLS = 400, KINDS = 3 };

static int in[CALLS], out[CALLS], sent[CALLS], got[CALLS];
static MPI_Request requests[3 * CALLS];
static MPI_Status statuses[3 * CALLS];
static MPI_Comm comms[2];
static MPI_Op op;

static void add(void* from, void* to, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}

/* The last requests are messages: MPICH 4.0 takes all for such then, if statuses are ignored. */
static void begin_all(int round) {
  for (int i = 0; i < CALLS; ++i) {
    in[i] = rank + i + round;
    sent[i] = rank * CALLS + i;
    out[i] = got[i] = -1;
    MPI_Irecv(&got[i], 1, MPI_INT, (rank + size - 1) % size, i, comms[0], &requests[i]);
  }
  for (int i = 0; i < CALLS; ++i) {
    MPI_Request* const request = &requests[CALLS + i];
    MPI_Comm comm = comms[i / 100 % 2];
    switch (i % KINDS) {
      case 0: MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, request); break;
      case 1: MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, op, comm, request); break;
      default: out[i] = in[i]; MPI_Ibcast(&out[i], 1, MPI_INT, i % size, comm, request);
    }
  }
  for (int i = 0; i < CALLS; ++i)
    MPI_Isend(&sent[i], 1, MPI_INT, (rank + 1) % size, i, comms[0], &requests[2 * CALLS + i]);
}

static void check_all(int round, const char* how) {
  const int left = (rank + size - 1) % size;
  for (int i = 0; i < CALLS; ++i) {
    const int wanted =
        i % KINDS == 2 ? i % size + i + round : size * (size - 1) / 2 + size * (i + round);
    CHECK(out[i] == wanted, "%s: call %d gave %d instead of %d", how, i, out[i], wanted);
    CHECK(got[i] == left * CALLS + i, "%s: message %d is %d", how, i, got[i]);
  }
}

/* A member is late for calls that the others cannot end without it, and so are those begun after
 * them, whatever peers have said meanwhile: they are held back, and nobody has made another call.
 */
static void behind_late_calls(int way) {
  static int all[CALLS][32];
  int x = rank == 0 ? 42 : -1;
  MPI_Request request;
  if (rank == size - 1) sleep(1);
  for (int i = 0; i < 80; ++i)
    MPI_Igather(&rank, 1, MPI_INT, all[i], 1, MPI_INT, 1 % size, comms[0], &requests[i]);
  if (way == 0) {
    MPI_Bcast(&x, 1, MPI_INT, 0, comms[0]);
  } else {
    MPI_Ibcast(&x, 1, MPI_INT, 0, comms[0], &request);
    for (int flag = way == 1; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK(x == 42, "behind late calls: the broadcast gave %d", x);
  MPI_Waitall(80, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; rank == 1 % size && i < 80; ++i)
    for (int p = 0; p < size; ++p)
      CHECK(all[i][p] == p, "behind late calls: gather %d has %d of rank %d", i, all[i][p], p);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  CHECK(size <= 32, "the test has room for 32 ranks");
  MPI_Op_create(add, 1, &op);
  for (int c = 0; c < 2; ++c) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    MPI_Barrier(comms[c]);
    MPI_Barrier(comms[c]); /* from here on the communicator is Tutti's */
  }
  for (int round = 0; round < 5; ++round) {
    begin_all(round);
    MPI_Waitall(3 * CALLS, requests, MPI_STATUSES_IGNORE);
    check_all(round, "all at once");

    begin_all(round);
    if (rank == 0) usleep(10000); /* the others come to the end of what goes without it */
    for (int flag = 0; !flag;) MPI_Testall(3 * CALLS, requests, &flag, statuses);
    check_all(round, "tested");

    begin_all(round);
    MPI_Barrier(comms[0]); /* it ends before those that were begun earlier, or after */
    for (int i = 3 * CALLS - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    check_all(round, "from the last to the first");

    begin_all(round);
    for (int left = 3 * CALLS; left > 0; --left) {
      int index = -1;
      MPI_Waitany(3 * CALLS, requests, &index, MPI_STATUS_IGNORE);
      CHECK(index >= 0, "%d requests are missing", left);
    }
    check_all(round, "one after the other");
  }
  for (int way = 0; way < 3; ++way) behind_late_calls(way);
  for (int c = 0; c < 2; ++c) MPI_Comm_free(&comms[c]);
  MPI_Op_free(&op);
  finish("plain_many");
  return 0;
}
