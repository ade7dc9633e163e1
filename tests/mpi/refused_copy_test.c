/*
 * A connection between two living ranks that fails at one end: both ends learn it, with the cause,
 * though both compute on with others, and no living rank is said to have failed.
 *
 *   refused_copy_test EPERM|ENOMEM|EIO    for 3 ranks of one node, with a single copy
 *
 * The kernel refuses rank 0 one copy between its memory and that of rank 1. The program takes the
 * place of the functions that ask for it.
 */
#include "job.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/uio.h>

enum { kBytes = 1 << 20, kCalls = 200 };

static int refusal; /* the errno of the next copy; 0: it is made */
static unsigned char in[kBytes], out[2 * kBytes];

typedef ssize_t Copy(pid_t, const struct iovec*, unsigned long, const struct iovec*, unsigned long,
                     unsigned long);

static ssize_t copy(const char* name, pid_t process, const struct iovec* here, unsigned long heres,
                    const struct iovec* there, unsigned long theres, unsigned long flags) {
  if (refusal != 0) {
    errno = refusal;
    refusal = 0;
    return -1;
  }
  Copy* real;
  *(void**)&real = dlsym(RTLD_NEXT, name);
  return real(process, here, heres, there, theres, flags);
}
ssize_t process_vm_readv(pid_t process, const struct iovec* here, unsigned long heres,
                         const struct iovec* there, unsigned long theres, unsigned long flags) {
  return copy("process_vm_readv", process, here, heres, there, theres, flags);
}
ssize_t process_vm_writev(pid_t process, const struct iovec* here, unsigned long heres,
                          const struct iovec* there, unsigned long theres, unsigned long flags) {
  return copy("process_vm_writev", process, here, heres, there, theres, flags);
}

/* A communicator of two ranks; null on the third. */
static tutti_comm pair_of(int a, int b) {
  tutti_comm comm = TUTTI_COMM_NULL;
  MPI_Comm pair;
  const int member = job_rank == a || job_rank == b;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, job_rank, &pair);
  if (!member) return comm;
  MUST(tutti_comm_create(pair, &comm));
  MPI_Comm_free(&pair);
  return comm;
}

/* Each sends the other a long message. */
static int exchange(tutti_comm comm) {
  return tutti_allgather(in, kBytes, MPI_BYTE, out, kBytes, MPI_BYTE, comm);
}

static void compute_on(tutti_comm comm, int other) {
  if (comm == TUTTI_COMM_NULL) return;
  const int mine = job_rank < other ? 0 : 1;
  for (int call = 0; call < kCalls; ++call) {
    memset(out, 0, sizeof out);
    MUST(call % 20 ? tutti_barrier(comm) : exchange(comm));
    for (size_t i = 0; i < kBytes && call % 20 == 0; ++i)
      CHECK(out[(size_t)(1 - mine) * kBytes + i] == pattern(i, other, 0),
            "call %d: byte %zu of rank %d is wrong", call, i, other);
  }
}

/* The call has failed for that cause, which is no rank's death. */
static void expect(int code, int expected, const char* what) {
  const char* const text = tutti_last_error_message();
  CHECK(code == expected, "%s gives %d (%s), not %d", what, code, text, expected);
  CHECK(!strstr(text, " has failed, says") && !strstr(text, "node) has failed") &&
            !strstr(text, "rank -1"),
        "%s: nobody has died, but: %s", what, text);
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size == 3 && argc == 2, "usage: refused_copy_test EPERM|ENOMEM|EIO, 3 ranks");
  const int error = !strcmp(argv[1], "EPERM") ? EPERM : !strcmp(argv[1], "EIO") ? EIO : ENOMEM;
  const int expected = error == ENOMEM ? TUTTI_ERR_NO_MEMORY : TUTTI_ERR_TRANSPORT;
  for (size_t i = 0; i < kBytes; ++i) in[i] = pattern(i, job_rank, 0);
  MUST(tutti_init(NULL));
  tutti_comm world;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &world));
  const tutti_comm first = pair_of(0, 1), second = pair_of(0, 2), third = pair_of(1, 2);
  MUST(tutti_barrier(world));
  compute_on(first, 1 - job_rank);
  MPI_Barrier(MPI_COMM_WORLD);

  if (job_rank == 0) refusal = error;
  if (first != TUTTI_COMM_NULL) {
    expect(exchange(first), expected, "the exchange");
    CHECK(job_rank != 0 || refusal == 0, "no copy was made: nothing was tested");
    CHECK(job_rank == 0 || strstr(tutti_last_error_message(), "rank 0"), "rank 0 is not named: %s",
          tutti_last_error_message());
  }
  compute_on(second, 2 - job_rank);
  compute_on(third, 3 - job_rank);
  expect(tutti_barrier(world), expected, "a barrier of all");
  compute_on(second, 2 - job_rank);
  compute_on(third, 3 - job_rank);

  MPI_Barrier(MPI_COMM_WORLD);
  tutti_comm all[] = {world, first, second, third};
  for (int i = 0; i < 4; ++i)
    if (all[i] != TUTTI_COMM_NULL) MUST(tutti_comm_free(&all[i]));
  job_end("refused_copy_test");
  return 0;
}
