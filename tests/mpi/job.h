/* Helpers of the MPI test programs: checks that say where they failed, and count. Plain C, on the
 * public API only. */
#ifndef TUTTI_TESTS_JOB_H
#define TUTTI_TESTS_JOB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tutti/tutti.h>
#include <unistd.h>

#include "forms.h"

extern int job_rank, job_size;

/* A failed check ends the job: the other ranks may wait for this one. */
#define CHECK(condition, ...)                                                       \
  do {                                                                              \
    if (!(condition)) {                                                             \
      char text_[8192]; /* one write: another rank's end must not cut it in two */  \
      snprintf(text_, sizeof text_, __VA_ARGS__);                                   \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, job_rank, text_); \
      sleep(1); /* mpiexec throws away what it has not passed on */                 \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
    }                                                                               \
  } while (0)

#define MUST(call)                                                      \
  do {                                                                  \
    const int code_ = (call);                                           \
    CHECK(code_ == TUTTI_SUCCESS, "%s gives %d: %s (%s)", #call, code_, \
          tutti_last_error_message(), tutti_error_string(code_));       \
  } while (0)

#define GIVES(call, expected)                                                      \
  do {                                                                             \
    const int code_ = (call);                                                      \
    CHECK(code_ == (expected), "%s gives %d (%s), not %s", #call, code_,           \
          tutti_last_error_message(), #expected);                                  \
    CHECK(strlen(tutti_last_error_message()) > 10, "%s leaves no message", #call); \
  } while (0)

static inline unsigned char pattern(size_t i, int rank, int round) {
  return (unsigned char)((i * 2654435761u >> 5) ^ (unsigned)(rank * 31 + round * 17 + 3));
}

void job_begin(int* argc, char*** argv);

/* The number that tutti_describe gives a member, such as world_size. */
long long job_describes(tutti_comm comm, const char* member);

/* Prints that the test has passed: its caller expects it. */
void job_end(const char* name);
#endif
