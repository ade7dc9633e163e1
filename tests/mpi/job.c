#include "job.h"

int job_rank, job_size;

void job_begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job_size);
}

long long job_describes(tutti_comm comm, const char* member) {
  char text[16384], key[128];
  size_t needed = 0;
  MUST(tutti_describe(comm, text, sizeof text, &needed));
  CHECK(needed < sizeof text, "tutti_describe needs %zu bytes", needed);
  snprintf(key, sizeof key, "\"%s\":", member);
  const char* const at = strstr(text, key);
  CHECK(at, "tutti_describe has no member %s", member);
  return strtoll(at + strlen(key), NULL, 10);
}

job_form job_form_wanted(void) {
  const char* const form = getenv("JOB_FORM");
  if (!form) return kBlocking;
  const int known = strcmp(form, "nonblocking") == 0 || strcmp(form, "persistent") == 0;
  CHECK(known, "JOB_FORM=%s", form);
  return form[0] == 'n' ? kNonBlocking : kPersistent;
}

int job_complete(int code, tutti_request* request) {
  if (code != TUTTI_SUCCESS) {
    CHECK(*request == TUTTI_REQUEST_NULL, "a request is left after an error");
    return code;
  }
  static unsigned turn;
  if (++turn % 2 == 0)
    code = tutti_wait(request);
  else
    for (int done = 0; !done && code == TUTTI_SUCCESS;) code = tutti_test(request, &done);
  CHECK(*request == TUTTI_REQUEST_NULL, "a request is left of a call that is complete");
  return code;
}

int job_run(int code, tutti_request* request) {
  if (code != TUTTI_SUCCESS) return code;
  code = tutti_start(request);
  const int waited = tutti_wait(request);
  const int freed = tutti_request_free(request);
  CHECK(freed == TUTTI_SUCCESS && *request == TUTTI_REQUEST_NULL, "tutti_request_free gives %d",
        freed);
  return code != TUTTI_SUCCESS ? code : waited;
}

void job_end(const char* name) {
  MUST(tutti_finalize());
  MPI_Finalize();
  if (job_rank == 0) printf("%s: ok with %d ranks\n", name, job_size);
}
