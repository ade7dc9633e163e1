/*
 * Functions of the program that are called in the middle of a call, and call Tutti.
 *   called_back_test [threads]
 * Functions that Tutti calls (the operation of a reduction, the log) get an error, and their calls
 * go on. Functions that MPI calls work.
 */
#include "job.h"

static tutti_comm world, other;

/* --- what Tutti calls ----------------------------------------------------------------------- */

static int codes[8], calls, log_calls;

static void try_all(void) {
  char text[8];
  tutti_comm comm = TUTTI_COMM_NULL;
  int one = 1, sum = 0, at = 0;
  codes[at++] = tutti_barrier(other);
  codes[at++] = tutti_allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  codes[at++] = tutti_comm_create(MPI_COMM_WORLD, &comm);
  codes[at++] = tutti_comm_free(&other);
  codes[at++] = tutti_describe(other, text, sizeof text, NULL);
  codes[at++] = tutti_init(NULL);
  codes[at++] = tutti_finalize();
}

static void must_have_failed(const char* where) {
  for (int i = 0; i < 7; ++i)
    CHECK(codes[i] == TUTTI_ERR_UNSUPPORTED, "in %s call %d gives %d", where, i, codes[i]);
  memset(codes, 0, sizeof codes);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
  if (calls++ == 0) try_all();
}

static void take_line(void* context, const char* line) {
  (void)context, (void)line;
  if (log_calls++ == 0) try_all();
}

static void within_an_operation(void) {
  enum { kInts = 50000 };
  static int mine[kInts], sums[kInts];
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  for (int i = 0; i < kInts; ++i) mine[i] = i + job_rank;
  MUST(tutti_allreduce(mine, sums, kInts, MPI_INT, op, world));
  for (int i = 0; i < kInts; ++i)
    CHECK(sums[i] == job_size * i + job_size * (job_size - 1) / 2, "element %d is %d", i, sums[i]);
  CHECK(calls > 0, "the operation was not called");
  must_have_failed("an operation");
  MPI_Op_free(&op);
}

/* --- what MPI calls -------------------------------------------------------------------------- */

/* A communicator of Tutti belongs to one of MPI, and goes with it. */
static int free_with(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  MUST(tutti_barrier(*(tutti_comm*)value));
  MUST(tutti_comm_free(value));
  return MPI_SUCCESS;
}

static void within_an_attribute(void) {
  int keyval;
  tutti_comm ours;
  MPI_Comm theirs;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_with, &keyval, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &theirs);
  MUST(tutti_comm_create(theirs, &ours));
  MPI_Comm_set_attr(theirs, keyval, &ours);
  MPI_Comm_free(&theirs);
  CHECK(ours == TUTTI_COMM_NULL, "the function of the attribute was not called");
  MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
  const char* settings[] = {"log=info", NULL};
  const tutti_options options = {sizeof options, settings, take_line, NULL};
  alarm(100); /* it would hang */
  MUST(tutti_init(&options));
  CHECK(log_calls > 0, "nothing was logged");
  CHECK(codes[5] == TUTTI_ERR_UNSUPPORTED, "tutti_init in its own log gives %d", codes[5]);
  MUST(tutti_comm_create(MPI_COMM_WORLD, &world));
  MUST(tutti_comm_create(MPI_COMM_WORLD, &other));
  log_calls = 0;
  MUST(tutti_barrier(world)); /* says what algorithm was chosen */
  CHECK(log_calls > 0, "nothing was logged");
  must_have_failed("the log");
  within_an_operation();
  within_an_attribute();
  MUST(tutti_barrier(other));
  job_end("called_back");
  return 0;
}
