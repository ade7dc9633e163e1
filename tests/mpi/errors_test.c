/* Every bad input gives its own code and a message, on the rank that is wrong, and nothing is lost: the library works after. */
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
  CHECK(strstr(tutti_last_error_message(), "bruck"), "the message does not say which algorithms there are: %s", tutti_last_error_message());
  GIVES(init_with("algorithm=allgather=bruck(k=0)"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("algorithm=everything=ring"), TUTTI_ERR_CONFIGURATION);
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
  for (int i = 0; i < job_size; ++i) CHECK(all[i] == i, "after errors, allgather gives %d for rank %d", all[i], i);
  MUST(tutti_barrier(comm));
}

int main(int argc, char** argv) {
  CHECK(tutti_init(NULL) == TUTTI_ERR_MPI_NOT_INITIALIZED, "tutti_init before MPI_Init passes");
  job_begin(&argc, &argv);
  without_init();
  bad_configuration();
  for (int code = 0; code <= 27; ++code) CHECK(strstr(tutti_error_string(code), "not an error code") == NULL, "code %d has no text", code);
  CHECK(strstr(tutti_error_string(9999), "not an error code") != NULL, "an unknown code has a text");
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
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  bad_communicators(comm);
  bad_arguments(comm);
  works(comm);
  mismatched_sizes();
  works(comm);
  MUST(tutti_comm_free(&comm));
  job_end("errors");
  return 0;
}
