/* Persistent requests, and what may be freed while calls need it. */
#include "requests.h"

void started_again(void) {
  enum { kRounds = 6 };
  for (int count = 1; count <= kInts; count += kInts - 1) {
    int *send = ints(job_size * count), *receive = ints(job_size * count), *sum = ints(count);
    MPI_Count* const counts = malloc((size_t)job_size * sizeof *counts);
    MPI_Count* const places = malloc((size_t)job_size * sizeof *places);
    CHECK(counts && places, "no memory for the test");
    for (int r = 0; r < job_size; ++r) counts[r] = count, places[r] = r * (MPI_Count)count;
    tutti_request requests[3];
    MUST(tutti_allgatherv_init(send, count, MPI_INT, receive, counts, places, MPI_INT, world,
                               &requests[0]));
    MUST(tutti_allreduce_init(send, sum, count, MPI_INT, MPI_SUM, world, &requests[1]));
    MUST(tutti_barrier_init(world, &requests[2]));
    for (int round = 0; round < kRounds; ++round) {
      fill(send, count, job_rank, round);
      if (round % 2 == 0)
        MUST(tutti_startall(3, requests));
      else
        for (int i = 0; i < 3; ++i) MUST(tutti_start(&requests[i]));
      for (int i = 2; i >= 0; --i) MUST(tutti_wait(&requests[i]));
      for (int r = 0; r < job_size; ++r)
        holds_block("allgatherv_init", receive + r * count, count, r, round);
      holds_sum("allreduce_init", sum, count, round);
      for (int i = 0; i < 3; ++i) CHECK(requests[i] != TUTTI_REQUEST_NULL, "it is gone");
    }
    for (int i = 0; i < 3; ++i) MUST(tutti_request_free(&requests[i]));
    free(counts);
    free(places);
    free(send);
    free(receive);
    free(sum);
  }
}

static void add_first(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[2 * i] += ((int*)in)[2 * i];
}

/* The program frees a datatype while calls need it, and makes others, which get its handle. */
void freed_datatypes(void) {
  enum { kElements = 500 };
  int send[2 * kElements], receive[2 * kElements];
  MPI_Op op;
  MPI_Op_create(add_first, 1, &op);
  for (int kind = 0; kind < 2; ++kind) { /* with a gap; too irregular for loops of Tutti's own */
    MPI_Datatype type, others[3];
    if (kind == 0) {
      MPI_Type_create_resized(MPI_INT, 0, 8, &type);
    } else {
      int lengths[1] = {1}, darray_sizes[1] = {1}, distribution[1] = {MPI_DISTRIBUTE_BLOCK};
      int argument[1] = {MPI_DISTRIBUTE_DFLT_DARG};
      MPI_Aint zero[1] = {0};
      MPI_Datatype inner;
      MPI_Type_create_darray(1, 0, 1, lengths, distribution, argument, darray_sizes, MPI_ORDER_C,
                             MPI_INT, &inner);
      MPI_Datatype struct_of[1] = {inner};
      MPI_Type_create_struct(1, lengths, zero, struct_of, &type);
      MPI_Type_free(&inner);
      MPI_Type_create_resized(type, 0, 8, &inner);
      MPI_Type_free(&type);
      type = inner;
    }
    MPI_Type_commit(&type);
    tutti_request bcast, sum, later;
    for (int i = 0; i < 2 * kElements; ++i) {
      send[i] = value(job_rank, kind, i);
      receive[i] = job_rank == 0 ? value(0, kind, i) : -1;
    }
    int total[2 * kElements];
    memset(total, 0, sizeof total);
    MUST(tutti_ibcast(receive, kElements, type, 0, world, &bcast));
    MUST(tutti_iallreduce(send, total, kElements, type, op, world, &sum));
    int again[2 * kElements];
    memset(again, 0, sizeof again);
    MUST(tutti_bcast_init(again, kElements, type, 0, world, &later));
    MPI_Type_free(&type);
    for (int i = 0; i < 3; ++i) {
      MPI_Type_vector(1 + i, 1, 3, MPI_DOUBLE, &others[i]);
      MPI_Type_commit(&others[i]);
    }
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 2 * kElements; ++i) again[i] = job_rank == 0 ? value(0, round, i) : -1;
      MUST(tutti_start(&later));
      MUST(tutti_wait(&later));
      for (int i = 0; i < 2 * kElements; ++i)
        CHECK(again[i] == (job_rank == 0 || i % 2 == 0 ? value(0, round, i) : -1),
              "type %d, round %d: element %d is %d", kind, round, i, again[i]);
    }
    MUST(tutti_request_free(&later));
    MUST(tutti_wait(&sum));
    MUST(tutti_wait(&bcast));
    for (int i = 0; i < 2 * kElements; ++i) {
      const int gap = i % 2;
      CHECK(receive[i] == (job_rank == 0 || !gap ? value(0, kind, i) : -1), "type %d: %d is %d",
            kind, i, receive[i]);
      CHECK(total[i] == (gap ? 0 : sum_of_ranks * 1000003 + job_size * (kind * 101 + i)),
            "type %d: sum %d is %d", kind, i, total[i]);
    }
    for (int i = 0; i < 3; ++i) MPI_Type_free(&others[i]);
  }
  MPI_Op_free(&op);
}

/* A communicator is freed while its calls are under way, and while a persistent request needs it.
 */
void freed_communicators(void) {
  for (int round = 0; round < 3; ++round) {
    tutti_comm comm;
    tutti_request begun, kept, unused;
    int mine = job_rank + round, sum = -1, later = -1;
    MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
    MUST(tutti_allreduce_init(&mine, &later, 1, MPI_INT, MPI_SUM, comm, &kept));
    MUST(tutti_barrier_init(comm, &unused));
    MUST(tutti_iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm, &begun));
    MUST(tutti_comm_free(&comm));
    GIVES(tutti_ibarrier(comm, &unused), TUTTI_ERR_COMM);
    MUST(tutti_wait(&begun));
    CHECK(sum == sum_of_ranks + round * job_size, "the sum is %d", sum);
    for (int again = 0; again < 2; ++again) {
      mine = job_rank + again;
      MUST(tutti_start(&kept));
      MUST(tutti_wait(&kept));
      CHECK(later == sum_of_ranks + again * job_size, "the sum is %d", later);
    }
    MUST(tutti_request_free(&kept));
  }
}
