/* Persistent collectives whose requests meet every function of MPI's that takes one: alone, among
 * others, before and after their end. */
#include "plain.h"
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define ALLREDUCE_INIT MPIX_Allreduce_init
#else
#define ALLREDUCE_INIT MPI_Allreduce_init
#endif

#define MUST(call) CHECK((call) == MPI_SUCCESS, "%s", #call)

enum { ROUNDS = 6 };
static int in[2], sums[2], got;
static MPI_Request sum_requests[2], receive;

static void start_sums(int count, int round) {
  for (int i = 0; i < count; ++i) {
    in[i] = rank + 10 * i + round;
    sums[i] = -1;
  }
  if (round % 2)
    for (int i = 0; i < count; ++i) MUST(MPI_Start(&sum_requests[i]));
  else
    MUST(MPI_Startall(count, sum_requests));
}

static void check_sums(int count, int round) {
  for (int i = 0; i < count; ++i) {
    const int sum = size * (size - 1) / 2 + size * (10 * i + round);
    CHECK(sums[i] == sum, "round %d: sum %d is %d, not %d", round, i, sums[i], sum);
    CHECK(sum_requests[i] != MPI_REQUEST_NULL, "request %d is gone", i);
  }
}

static void check_status(const MPI_Status* status) {
  int count = -1, cancelled = -1;
  MUST(MPI_Get_count(status, MPI_BYTE, &count));
  MUST(MPI_Test_cancelled(status, &cancelled));
  CHECK(count == 0 && cancelled == 0, "%d bytes, cancelled: %d", count, cancelled);
  CHECK(status->MPI_SOURCE == 0 && status->MPI_TAG >= 0, "from %d, tag %d", status->MPI_SOURCE,
        status->MPI_TAG);
}

static void spoil(MPI_Status* statuses, int count) {
  memset(statuses, 0x55, (size_t)count * sizeof *statuses);
}

static void single(int round) {
  MPI_Status status;
  int flag = 0;
  spoil(&status, 1);
  start_sums(1, round);
  MUST(MPI_Wait(&sum_requests[0], &status));
  check_status(&status);
  check_sums(1, round);
  start_sums(1, round);
  do {
    MUST(MPI_Test(&sum_requests[0], &flag, &status));
  } while (!flag);
  check_status(&status);
  check_sums(1, round);
  start_sums(1, round);
  do {
    MUST(MPI_Request_get_status(sum_requests[0], &flag, &status));
  } while (!flag);
  check_status(&status);
  check_sums(1, round);
  MUST(MPI_Wait(&sum_requests[0], &status));
  check_status(&status);
  flag = 0; /* it is inactive now */
  MUST(MPI_Test(&sum_requests[0], &flag, &status));
  CHECK(flag && status.MPI_SOURCE == MPI_ANY_SOURCE, "the status is not empty");
}

/* Nothing ends before rank 0 has started its calls. */
static void not_before(int round) {
  MPI_Status statuses[2];
  int flag = 0, tested = 0, index = 0, indices[2];
  if (rank == 0) MUST(MPI_Recv(&got, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, statuses));
  start_sums(2, round);
  if (rank == size - 1) {
    for (int i = 0; i < 100; ++i) {
      MUST(MPI_Test(&sum_requests[0], &flag, statuses));
      tested += flag;
    }
    MUST(MPI_Testany(1, &sum_requests[1], &index, &flag, statuses));
    tested += flag;
    MUST(MPI_Testall(2, sum_requests, &flag, statuses));
    tested += flag;
    MUST(MPI_Request_get_status(sum_requests[round % 2], &flag, statuses));
    tested += flag;
    MUST(MPI_Testsome(2, sum_requests, &flag, indices, statuses));
    tested += flag;
    CHECK(tested == 0, "%d ended though rank 0 has not started", tested);
    MUST(MPI_Send(&round, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
  }
  MUST(MPI_Waitall(2, sum_requests, statuses));
  for (int i = 0; i < 2; ++i) check_status(&statuses[i]);
  check_sums(2, round);
}

/* Sends the message of `mixed`, when the rank that receives it says that its collectives ended:
 * they may end here before they end there. */
static void let_send(int round) {
  int ended = -1;
  MUST(MPI_Sendrecv(&round, 1, MPI_INT, (rank + 1) % size, 4, &ended, 1, MPI_INT,
                    (rank + size - 1) % size, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHECK(ended == round, "round %d, not %d", ended, round);
  MUST(MPI_Send(&round, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD));
}

/* With a receive, whose message comes in the last way when this rank's collectives have ended. */
static void mixed(int way, int round) {
  MPI_Request all[3];
  MPI_Status statuses[3];
  int done = 0, flag = 0, index = 0, count = 0, indices[3];
  got = -1;
  MUST(MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &receive));
  start_sums(2, round);
  if (way == 4) MUST(MPI_Wait(&sum_requests[1], &statuses[2])); /* the other one may have ended */
  all[0] = sum_requests[0], all[1] = receive, all[2] = sum_requests[1];
  if (way < 4) MUST(MPI_Send(&round, 1, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD));
  spoil(statuses, 3);
  if (way == 0) {
    MUST(MPI_Waitall(3, all, statuses));
    check_status(&statuses[0]);
    check_status(&statuses[2]);
  }
  while (way == 1 && done < 3) {
    MUST(MPI_Waitany(3, all, &index, statuses));
    CHECK(index >= 0 && index < 3, "index %d", index);
    if (index != 1) check_status(statuses);
    ++done;
  }
  while (way == 2 && done < 3) {
    MUST(MPI_Waitsome(3, all, &count, indices, statuses));
    CHECK(count > 0, "%d ended", count);
    for (int i = 0; i < count; ++i)
      if (indices[i] != 1) check_status(&statuses[i]);
    done += count;
  }
  while (way == 3 && !flag) MUST(MPI_Testall(3, all, &flag, statuses));
  if (way == 4) {
    MUST(MPI_Waitany(3, all, &index, statuses));
    CHECK(index == 0, "index %d", index);
    check_status(statuses);
    let_send(round);
    MUST(MPI_Wait(&all[1], statuses));
  }
  CHECK(got == round && all[1] == MPI_REQUEST_NULL, "the message is %d, not %d", got, round);
  check_sums(2, round);
}

/* Sent before the collective, received after it is started: a rank that waits for the collective
 * must let its message go. */
static void message_goes_on(int round) {
  enum { LONG = 1 << 20 };
  static int out[LONG], into[LONG];
  MPI_Request sent;
  MUST(MPI_Isend(out, LONG, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &sent));
  if (rank == 0) {
    start_sums(1, round);
    MUST(MPI_Wait(&sum_requests[0], MPI_STATUS_IGNORE));
  }
  MUST(MPI_Recv(into, LONG, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE));
  if (rank != 0) {
    start_sums(1, round);
    MUST(MPI_Wait(&sum_requests[0], MPI_STATUS_IGNORE));
  }
  MUST(MPI_Wait(&sent, MPI_STATUS_IGNORE));
  check_sums(1, round);
}

/* An error, and the first start goes on. */
static void started_twice(void) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  start_sums(1, 1);
  CHECK(MPI_Start(&sum_requests[0]) != MPI_SUCCESS, "it was started twice");
  MUST(MPI_Wait(&sum_requests[0], MPI_STATUS_IGNORE));
  check_sums(1, 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  single(2);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MUST(MPI_Barrier(MPI_COMM_WORLD)); /* the drop-in looks at a communicator in a blocking call */
  for (int i = 0; i < 2; ++i)
    MUST(ALLREDUCE_INIT(&in[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &sum_requests[i]));
  for (int round = 0; round < ROUNDS; ++round) {
    single(round);
    not_before(round);
    for (int way = 0; way < 5; ++way) mixed(way, round);
    message_goes_on(round);
  }
  started_twice();
  start_sums(2, 0); /* MPI forbids to free it now; then it is waited for */
  for (int i = 0; i < 2; ++i) {
    MUST(MPI_Request_free(&sum_requests[i]));
    CHECK(sum_requests[i] == MPI_REQUEST_NULL, "it is not freed");
  }
  finish("plain_started");
  return 0;
}
