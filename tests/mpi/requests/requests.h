/* The parts of requests_test. Each is called on all ranks. */
#ifndef TUTTI_TESTS_REQUESTS_REQUESTS_H
#define TUTTI_TESTS_REQUESTS_REQUESTS_H

#include "job.h"

enum { kInts = 3000, kMany = 24 };
extern tutti_comm world, other;
extern int sum_of_ranks;

/* A block of a rank and a round; its elements differ from those of all others. */
int value(int rank, int round, int i);
void fill(int* place, int count, int rank, int round);
void holds_block(const char* what, const int* place, int count, int rank, int round);
/* The sum of such blocks of all ranks. */
void holds_sum(const char* what, const int* place, int count, int round);
/* Memory for so many, with other values in it. */
int* ints(int count);

/* Requests that are started again, and what may be freed meanwhile. */
void started_again(void);
void freed_datatypes(void);
void freed_communicators(void);

/* Nothing to wait for, and what is wrong. */
void nothing_to_wait_for(void);
void wrong_requests(void);
void wrong_arguments(void);
void another_order(void);

#endif
