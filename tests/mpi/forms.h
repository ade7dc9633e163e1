/* The other forms of a collective, for programs that were written for the blocking one: with
 * JOB_FORM=nonblocking in the environment each call is begun and waited for, with
 * JOB_FORM=persistent it is prepared, started, waited for and freed. */
#ifndef TUTTI_TESTS_FORMS_H
#define TUTTI_TESTS_FORMS_H

#include <tutti/tutti.h>

typedef enum { kBlocking, kNonBlocking, kPersistent } job_form;

/* Which of them this process wants. */
job_form job_form_wanted(void);
/* Waits for what was begun, tests now and then, or starts what was prepared and frees it. */
int job_complete(int code, tutti_request* request);
int job_run(int code, tutti_request* request);

#define IN_FORM(name, ...)                                                                     \
  __extension__({                                                                              \
    tutti_request request_;                                                                    \
    const job_form form_ = job_form_wanted();                                                  \
    form_ == kBlocking      ? (tutti_##name)(__VA_ARGS__)                                      \
    : form_ == kNonBlocking ? job_complete(tutti_i##name(__VA_ARGS__, &request_), &request_)   \
                            : job_run(tutti_##name##_init(__VA_ARGS__, &request_), &request_); \
  })
#define tutti_barrier(...) IN_FORM(barrier, __VA_ARGS__)
#define tutti_bcast(...) IN_FORM(bcast, __VA_ARGS__)
#define tutti_scatter(...) IN_FORM(scatter, __VA_ARGS__)
#define tutti_scatterv(...) IN_FORM(scatterv, __VA_ARGS__)
#define tutti_gather(...) IN_FORM(gather, __VA_ARGS__)
#define tutti_gatherv(...) IN_FORM(gatherv, __VA_ARGS__)
#define tutti_allgather(...) IN_FORM(allgather, __VA_ARGS__)
#define tutti_allgatherv(...) IN_FORM(allgatherv, __VA_ARGS__)
#define tutti_alltoall(...) IN_FORM(alltoall, __VA_ARGS__)
#define tutti_alltoallv(...) IN_FORM(alltoallv, __VA_ARGS__)
#define tutti_alltoallw(...) IN_FORM(alltoallw, __VA_ARGS__)
#define tutti_neighbor_allgather(...) IN_FORM(neighbor_allgather, __VA_ARGS__)
#define tutti_neighbor_allgatherv(...) IN_FORM(neighbor_allgatherv, __VA_ARGS__)
#define tutti_neighbor_alltoall(...) IN_FORM(neighbor_alltoall, __VA_ARGS__)
#define tutti_neighbor_alltoallv(...) IN_FORM(neighbor_alltoallv, __VA_ARGS__)
#define tutti_neighbor_alltoallw(...) IN_FORM(neighbor_alltoallw, __VA_ARGS__)
#define tutti_reduce(...) IN_FORM(reduce, __VA_ARGS__)
#define tutti_allreduce(...) IN_FORM(allreduce, __VA_ARGS__)
#define tutti_reduce_scatter_block(...) IN_FORM(reduce_scatter_block, __VA_ARGS__)
#define tutti_reduce_scatter(...) IN_FORM(reduce_scatter, __VA_ARGS__)
#define tutti_scan(...) IN_FORM(scan, __VA_ARGS__)
#define tutti_exscan(...) IN_FORM(exscan, __VA_ARGS__)

#endif
