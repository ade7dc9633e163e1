/* Every bad input gives its own code and a message, on the rank that is wrong, and nothing is lost:
   the library works after. Here what is wrong on all ranks alike; the folder errors/ has the rest.
 */
#include "errors/errors.h"

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
  GIVES(init_with("transport=shm\nverbs"), TUTTI_ERR_CONFIGURATION);
  CHECK(!strchr(tutti_last_error_message(), '\n') && strstr(tutti_last_error_message(), "shm\\n"),
        "the message is not one line: %s", tutti_last_error_message());
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
  /* Rank 0 reads, and the others are told. */
  GIVES(init_with(job_rank == 0 ? "model=/nonexistent/model.json" : "model="),
        TUTTI_ERR_CONFIGURATION);
  CHECK(strstr(tutti_last_error_message(), "/nonexistent/model.json"),
        "the message does not name the file: %s", tutti_last_error_message());
  GIVES(init_with("model=/"), TUTTI_ERR_CONFIGURATION);
  GIVES(init_with("model=/dev/null"), TUTTI_ERR_CONFIGURATION);
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

/* A call is prepared only if it can be started: the message says which function was wrong. */
static void bad_arguments_prepared(tutti_comm comm) {
  int data[8] = {0}, all[8 * 64] = {0};
  tutti_request request;
#define KEEPS_NOTHING(call, expected)                                    \
  do {                                                                   \
    request = (tutti_request)data;                                       \
    GIVES(call, expected);                                               \
    CHECK(request == TUTTI_REQUEST_NULL, "%s leaves a request", #call);  \
    CHECK(strstr(tutti_last_error_message(), "_init)"), "%s: %s", #call, \
          tutti_last_error_message());                                   \
  } while (0)
  KEEPS_NOTHING(tutti_bcast_init(data, 1, MPI_INT, job_size, comm, &request), TUTTI_ERR_ROOT);
  KEEPS_NOTHING(tutti_bcast_init(NULL, 1, MPI_INT, 0, comm, &request), TUTTI_ERR_BUFFER);
  KEEPS_NOTHING(tutti_allgather_init(data, -1, MPI_INT, all, 1, MPI_INT, comm, &request),
                TUTTI_ERR_COUNT);
  KEEPS_NOTHING(tutti_alltoall_init(data, 1, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm, &request),
                TUTTI_ERR_TYPE);
  KEEPS_NOTHING(tutti_allreduce_init(data, all, 1, MPI_INT, MPI_OP_NULL, comm, &request),
                TUTTI_ERR_OP);
  MPI_Datatype raw;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  KEEPS_NOTHING(tutti_bcast_init(data, 1, raw, 0, comm, &request), TUTTI_ERR_TYPE_NOT_COMMITTED);
  MPI_Type_free(&raw);
  MUST(tutti_barrier(comm));
}

/* An error in a type names the argument, in each form of the call. */
static void bad_types(tutti_comm comm) {
  int data[8] = {0};
  int* const all = calloc(8 * (size_t)job_size, sizeof *all);
  MPI_Count counts[64], places[64];
  MPI_Datatype raw, far, overlapping, types[64];
  tutti_request request;
  CHECK(all && job_size <= 64, "no memory for %d ranks", job_size);
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  MPI_Type_create_hvector(2, 1, (MPI_Aint)1 << 60, MPI_INT, &far);
  MPI_Type_vector(2, 2, 1, MPI_INT, &overlapping);
  MPI_Type_commit(&far);
  MPI_Type_commit(&overlapping);
#define NAMES(call, code, argument)                                                       \
  do {                                                                                    \
    GIVES(call, code);                                                                    \
    CHECK(strstr(tutti_last_error_message(), argument), "%s does not name %s: %s", #call, \
          argument, tutti_last_error_message());                                          \
  } while (0)
#define NAMES_IN_ALL_FORMS(arguments, code, argument)                       \
  do {                                                                      \
    NAMES(tutti_allgather(arguments, comm), code, argument);                \
    NAMES(tutti_iallgather(arguments, comm, &request), code, argument);     \
    NAMES(tutti_allgather_init(arguments, comm, &request), code, argument); \
  } while (0)
#define SEND(type) data, 1, type, all, 1, MPI_INT
#define RECEIVE(type) data, 4, MPI_INT, all, 1, type
  NAMES_IN_ALL_FORMS(SEND(MPI_DATATYPE_NULL), TUTTI_ERR_TYPE, "`sendtype`");
  NAMES_IN_ALL_FORMS(SEND(raw), TUTTI_ERR_TYPE_NOT_COMMITTED, "`sendtype`");
  NAMES_IN_ALL_FORMS(SEND(far), TUTTI_ERR_BUFFER, "`sendbuf`");
  NAMES_IN_ALL_FORMS(RECEIVE(MPI_DATATYPE_NULL), TUTTI_ERR_TYPE, "`recvtype`");
  NAMES_IN_ALL_FORMS(RECEIVE(raw), TUTTI_ERR_TYPE_NOT_COMMITTED, "`recvtype`");
  NAMES_IN_ALL_FORMS(RECEIVE(far), TUTTI_ERR_BUFFER, "`recvbuf`");
  NAMES_IN_ALL_FORMS(RECEIVE(overlapping), TUTTI_ERR_TYPE, "`recvtype`");
  for (int i = 0; i < job_size; ++i) {
    counts[i] = 1;
    places[i] = 0;
    types[i] = MPI_INT;
  }
  types[job_size - 1] = raw;
  char last[32];
  snprintf(last, sizeof last, "`recvtypes[%d]`", job_size - 1);
  NAMES(tutti_alltoallw(data, counts, places, types, all, counts, places, types, comm),
        TUTTI_ERR_TYPE_NOT_COMMITTED, "`sendtypes[");
  NAMES(tutti_alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, places, types, comm),
        TUTTI_ERR_TYPE_NOT_COMMITTED, last);
  if (job_size > 1)
    NAMES(tutti_allgatherv(data, 1, MPI_INT, all, counts, places, MPI_INT, comm),
          TUTTI_ERR_DISPLACEMENT, "`recvbuf`");
  MPI_Type_free(&raw);
  MPI_Type_free(&far);
  MPI_Type_free(&overlapping);
  free(all);
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
  GIVES(tutti_explain(comm, "bcast", 8, NULL, 5, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_explain(comm, "cast", 8, NULL, 0, NULL), TUTTI_ERR_CONFIGURATION);
  GIVES(tutti_explain(comm, NULL, 8, NULL, 0, NULL), TUTTI_ERR_CONFIGURATION);
  GIVES(tutti_explain(comm, "bcast", -1, NULL, 0, NULL), TUTTI_ERR_COUNT);
  GIVES(tutti_explain(TUTTI_COMM_NULL, "bcast", 8, NULL, 0, NULL), TUTTI_ERR_COMM);
  MUST(tutti_explain(comm, "bcast", 8, NULL, 0, NULL));
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
  const char* const quick[] = {
      "probe_interval=2",
      NULL}; /* a rank that waits in another call than its peer learns it at the next probe */
  const tutti_options options = {sizeof options, quick, NULL, NULL};
  MUST(tutti_init(&options));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  bad_communicators(comm);
  bad_types(comm);
  bad_arguments(comm);
  bad_arguments_prepared(comm);
  works(comm);
  one_wrong_rank(comm);
  mismatched_sizes();
  named_calls(comm);
  mismatches(comm);
  different_calls(comm);
  mismatches_left_to_mpi(comm);
  left_alone(comm);
  refused_and_freed(comm);
  out_of_memory(comm);
  scribbling_operation(comm);
  works(comm);
  MUST(tutti_comm_free(&comm));
  job_end("errors");
  return 0;
}
