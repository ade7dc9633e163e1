/* Requests of no call, and what is wrong to do with one. */
#include "requests.h"

void nothing_to_wait_for(void) {
  tutti_request requests[2] = {TUTTI_REQUEST_NULL, TUTTI_REQUEST_NULL};
  int flag = 0, index = 0, count = 0, indices[2];
  MUST(tutti_barrier_init(world, &requests[1]));
  MUST(tutti_wait(&requests[0]));
  MUST(tutti_wait(&requests[1]));
  MUST(tutti_waitall(2, requests));
  MUST(tutti_waitall(0, NULL));
  MUST(tutti_waitany(2, requests, &index));
  CHECK(index == MPI_UNDEFINED, "index %d", index);
  MUST(tutti_waitsome(2, requests, &count, indices));
  CHECK(count == MPI_UNDEFINED, "outcount %d", count);
  MUST(tutti_test(&requests[0], &flag));
  CHECK(flag, "a null request is not complete");
  flag = 0;
  MUST(tutti_test(&requests[1], &flag));
  CHECK(flag, "an inactive request is not complete");
  flag = 0;
  MUST(tutti_testall(2, requests, &flag));
  CHECK(flag, "inactive requests are not complete");
  flag = index = 0;
  MUST(tutti_testany(2, requests, &index, &flag));
  CHECK(flag && index == MPI_UNDEFINED, "flag %d, index %d", flag, index);
  MUST(tutti_testsome(2, requests, &count, indices));
  CHECK(count == MPI_UNDEFINED, "outcount %d", count);
  MUST(tutti_request_free(&requests[1]));
}

/* Wrong on all ranks, and without a message: everything goes on. */
void wrong_requests(void) {
  tutti_request request, copy, twice[2], none = TUTTI_REQUEST_NULL;
  tutti_request wild = (tutti_request)(size_t)0x7fff12345678;
  int flag = 0, index = 0;
  GIVES(tutti_start(NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_start(&none), TUTTI_ERR_REQUEST);
  GIVES(tutti_wait(NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_wait(&wild), TUTTI_ERR_REQUEST);
  GIVES(tutti_test(&none, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_waitany(1, &none, NULL), TUTTI_ERR_BUFFER);
  GIVES(tutti_waitall(-1, &none), TUTTI_ERR_COUNT);
  GIVES(tutti_waitall(1, NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&none), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(NULL), TUTTI_ERR_REQUEST);

  MUST(tutti_ibarrier(world, &request));
  copy = request;
  GIVES(tutti_start(&request), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&request), TUTTI_ERR_REQUEST);
  twice[0] = twice[1] = request;
  GIVES(tutti_waitall(2, twice), TUTTI_ERR_REQUEST);
  GIVES(tutti_testany(2, twice, &index, &flag), TUTTI_ERR_REQUEST);
  MUST(tutti_wait(&request));
  GIVES(tutti_wait(&copy), TUTTI_ERR_REQUEST); /* it has been completed */
  GIVES(tutti_test(&copy, &flag), TUTTI_ERR_REQUEST);

  MUST(tutti_barrier_init(world, &request));
  MUST(tutti_start(&request));
  GIVES(tutti_start(&request), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&request), TUTTI_ERR_REQUEST);
  MUST(tutti_wait(&request));
  copy = request;
  MUST(tutti_request_free(&request));
  GIVES(tutti_start(&copy), TUTTI_ERR_REQUEST);
  GIVES(tutti_request_free(&copy), TUTTI_ERR_REQUEST);
  GIVES(tutti_barrier_init(TUTTI_COMM_NULL, &request), TUTTI_ERR_COMM);
  GIVES(tutti_ibarrier(TUTTI_COMM_NULL, &request), TUTTI_ERR_COMM);
  CHECK(request == TUTTI_REQUEST_NULL, "a request is left after an error");
}

/* Wrong arguments, all ranks alike: the call uses up a number, and the communicator goes on. */
void wrong_arguments(void) {
  tutti_request request;
  int x = 0;
  GIVES(tutti_ibcast(&x, -1, MPI_INT, 0, world, &request), TUTTI_ERR_COUNT);
  CHECK(request == TUTTI_REQUEST_NULL, "a request is left after an error");
  GIVES(tutti_ibcast(&x, 1, MPI_DATATYPE_NULL, 0, world, &request), TUTTI_ERR_TYPE);
  GIVES(tutti_ibarrier(world, NULL), TUTTI_ERR_REQUEST);
  GIVES(tutti_bcast_init(&x, 1, MPI_INT, job_size, world, &request), TUTTI_ERR_ROOT);
  CHECK(request == TUTTI_REQUEST_NULL, "a request is left after an error");
  int* const all = calloc((size_t)job_size, sizeof *all);
  MPI_Count* const counts = calloc((size_t)job_size, sizeof *counts);
  MPI_Count* const displs = calloc((size_t)job_size, sizeof *displs);
  CHECK(all && counts && displs, "no memory");
  for (int r = 0; r < job_size; ++r) counts[r] = 1, displs[r] = r;
  MUST(tutti_allgatherv_init(&x, 1, MPI_INT, all, counts, displs, MPI_INT, world, &request));
  counts[0] = -1; /* which the program may not do */
  GIVES(tutti_start(&request), TUTTI_ERR_COUNT);
  GIVES(tutti_startall(1, &request), TUTTI_ERR_COUNT);
  MUST(tutti_wait(&request)); /* it is inactive */
  MUST(tutti_request_free(&request));
  free(all);
  free(counts);
  free(displs);
  MUST(tutti_barrier(world));
}

/* One rank's calls come in another order: all get an error, and other communicators go on. */
void another_order(void) {
  if (job_size < 2) return;
  tutti_comm comm;
  int a[4] = {0}, sum[4];
  tutti_request requests[2];
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  int codes[2] = {TUTTI_SUCCESS, TUTTI_SUCCESS};
  for (int i = 0; i < 2; ++i)
    codes[i] = (job_rank == 0) == (i == 0)
                   ? tutti_iallreduce(a, sum, 4, MPI_INT, MPI_SUM, comm, &requests[i])
                   : tutti_ibarrier(comm, &requests[i]);
  for (int i = 0; i < 2; ++i)
    if (codes[i] == TUTTI_SUCCESS) codes[i] = tutti_wait(&requests[i]);
  int code = codes[0] != TUTTI_SUCCESS ? codes[0] : codes[1];
  for (int i = 0; i < 1000 && code == TUTTI_SUCCESS; ++i) code = tutti_barrier(comm);
  CHECK(code == TUTTI_ERR_CALLS_DIFFER, "calls in another order give %d: %s", code,
        tutti_last_error_message());
  MUST(tutti_comm_free(&comm));
  MUST(tutti_barrier(world));
}
