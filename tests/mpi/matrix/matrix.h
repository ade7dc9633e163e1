/* The data, the counts and the calls that the parts of matrix_test share. */
#ifndef TUTTI_TESTS_MATRIX_H
#define TUTTI_TESTS_MATRIX_H

#include <stdint.h>

#include "../job.h"

enum { kMostRanks = 64, kLongest = 20000 };

extern const char* algorithm;
extern unsigned round_number;
extern long checks, calls, not_applicable;
extern int all_know; /* the counts of scatterv and gatherv */
extern MPI_Op user_op;
extern uint32_t *send_buffer, *receive_buffer;

/* Element `i` of what rank `rank` contributes in round `round`. */
static inline uint32_t datum(int rank, size_t i, unsigned round) {
  uint64_t x =
      (uint64_t)rank * 0x9E3779B97F4A7C15u + i * 0xBF58476D1CE4E5B9u + round * 0x94D049BB133111EBu;
  x ^= x >> 29;
  x *= 0xD6E8FEB86659FD93u;
  return (uint32_t)(x >> 32);
}

static inline void fill(uint32_t* buffer, size_t from, size_t n) {
  for (size_t i = 0; i < n; ++i) buffer[i] = datum(job_rank, from + i, round_number);
}
static inline void clear(size_t n) { memset(receive_buffer, 0xEE, n * sizeof *receive_buffer); }

/* Whether the call was run, and not refused as not applicable. */
static inline int ran(int code, const char* what) {
  if (code == TUTTI_ERR_NOT_APPLICABLE) {
    ++not_applicable;
    return 0;
  }
  ++calls;
  CHECK(code == TUTTI_SUCCESS, "%s with %s gives %d: %s", what, algorithm, code,
        tutti_last_error_message());
  return 1;
}

static inline void expect(uint32_t got, uint32_t want, const char* what, size_t i) {
  ++checks;
  CHECK(got == want, "%s with %s, %d ranks: element %zu is %08x, not %08x", what, algorithm,
        job_size, i, got, want);
}

/* Calls that move data: of `n` elements a rank, in place or not. */
void test_barrier(tutti_comm comm);
void test_bcast(tutti_comm comm, MPI_Count n, int root);
void test_scatter(tutti_comm comm, MPI_Count n, int root, int in_place);
void test_scatterv(tutti_comm comm, MPI_Count n, int root, int in_place);
void test_gather(tutti_comm comm, MPI_Count n, int root, int in_place);
void test_gatherv(tutti_comm comm, MPI_Count n, int root, int in_place);
void test_allgather(tutti_comm comm, MPI_Count n, int in_place);
void test_allgatherv(tutti_comm comm, MPI_Count n, int in_place, int with_gaps);
void test_alltoall(tutti_comm comm, MPI_Count n, int in_place);
void test_alltoallv(tutti_comm comm, MPI_Count n, int in_place);
/* The ranks are a ring. */
void test_neighbours(tutti_comm comm, MPI_Count n, int gathers);

/* Calls that reduce, by their names; with a sum, or with the operation user_op, which does not
 * commute and applies compose_op. */
void test_reduction(tutti_comm comm, const char* name, MPI_Count n, int root, int in_place,
                    int commutes);
void compose_op(void* in, void* inout, int* count, MPI_Datatype* type);

#endif
