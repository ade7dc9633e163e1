/*
 * Where ranks meet through MPI, in tutti_init and tutti_comm_create, a rank that waits for long
 * says so, once. The last rank comes late: when each other one has told it that it has said so.
 */
#include "job.h"

static const char* expected; /* part of this rank's next line */
static int told = 0;         /* lines that said it */

static int is_late(void) { return job_rank == job_size - 1; }

static void tell(void* context, const char* line) {
  (void)context;
  fprintf(stderr, "rank %d: %s\n", job_rank, line);
  if (is_late() || !strstr(line, expected)) return;
  ++told;
  MPI_Send(NULL, 0, MPI_BYTE, job_size - 1, 0, MPI_COMM_WORLD);
}

static void come_late(void) {
  for (int r = 0; is_late() && r < job_size - 1; ++r)
    MPI_Recv(NULL, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check_told(void) {
  CHECK(told == !is_late(), "%d lines say that it %s", told, expected);
  told = 0;
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(job_size > 1, "the test needs 2 ranks or more");
  const char* const settings[] = {"report_after=200", NULL};
  tutti_options options = {.size = sizeof options, .settings = settings, .log = tell};
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");

  expected = "has been in tutti_init for";
  come_late();
  MUST(tutti_init(&options));
  check_told();

  tutti_comm comm;
  expected = "has been in tutti_comm_create of communicator `solver` for";
  come_late();
  MUST(tutti_comm_create(solver, &comm));
  check_told();

  long long one = 1, sum = 0;
  MUST(tutti_allreduce(&one, &sum, 1, MPI_LONG_LONG, MPI_SUM, comm));
  CHECK(sum == job_size, "the sum is %lld", sum);
  MUST(tutti_comm_free(&comm));
  MPI_Comm_free(&solver);
  job_end("late");
  return 0;
}
