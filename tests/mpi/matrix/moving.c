#include "matrix.h"

static MPI_Count counts[kMostRanks], displacements[kMostRanks], counts2[kMostRanks],
    displacements2[kMostRanks];

void test_barrier(tutti_comm comm) { ran(tutti_barrier(comm), "barrier"), ++checks; }

void test_bcast(tutti_comm comm, MPI_Count n, int root) {
  clear((size_t)n + 1);
  if (job_rank == root) fill(receive_buffer, 0, (size_t)n);
  if (!ran(tutti_bcast(receive_buffer, n, MPI_UINT32_T, root, comm), "bcast")) return;
  for (size_t i = 0; i < (size_t)n; ++i)
    expect(receive_buffer[i], datum(root, i, round_number), "bcast", i);
  expect(receive_buffer[n], 0xEEEEEEEEu, "bcast: behind the buffer", (size_t)n);
}

void test_scatter(tutti_comm comm, MPI_Count n, int root, int in_place) {
  fill(send_buffer, 0, (size_t)n * (size_t)job_size);
  clear((size_t)n + 1);
  void* const to = in_place && job_rank == root ? MPI_IN_PLACE : (void*)receive_buffer;
  if (!ran(tutti_scatter(send_buffer, n, MPI_UINT32_T, to, n, MPI_UINT32_T, root, comm), "scatter"))
    return;
  if (to == MPI_IN_PLACE) return;
  for (size_t i = 0; i < (size_t)n; ++i)
    expect(receive_buffer[i], datum(root, (size_t)job_rank * (size_t)n + i, round_number),
           "scatter", i);
}

/* Lengths that differ, with zeros; blocks in falling order with gaps between them. */
static MPI_Count uneven(MPI_Count n, MPI_Count* c, MPI_Count* d, int seed) {
  MPI_Count at = 3;
  for (int i = job_size - 1; i >= 0; --i) {
    c[i] = (i + seed) % 3 == 0 ? 0 : n * ((i * 7 + seed) % 4 + 1) / 4;
    d[i] = at;
    at += c[i] + i % 2;
  }
  return at;
}

void test_scatterv(tutti_comm comm, MPI_Count n, int root, int in_place) {
  fill(send_buffer, 0, (size_t)uneven(n, counts, displacements, 1));
  clear((size_t)n + 1);
  void* const to = in_place && job_rank == root ? MPI_IN_PLACE : (void*)receive_buffer;
  const int knows = all_know || job_rank == root;
  if (!ran(tutti_scatterv(send_buffer, knows ? counts : NULL, knows ? displacements : NULL,
                          MPI_UINT32_T, to, counts[job_rank], MPI_UINT32_T, root, comm),
           "scatterv"))
    return;
  if (to == MPI_IN_PLACE) return;
  for (size_t i = 0; i < (size_t)counts[job_rank]; ++i)
    expect(receive_buffer[i], datum(root, (size_t)displacements[job_rank] + i, round_number),
           "scatterv", i);
}

void test_gather(tutti_comm comm, MPI_Count n, int root, int in_place) {
  const size_t own = (size_t)n * (size_t)job_rank;
  clear((size_t)n * (size_t)job_size + 1);
  fill(send_buffer, 0, (size_t)n);
  const int here = in_place && job_rank == root;
  if (here) fill(receive_buffer + own, 0, (size_t)n);
  if (!ran(tutti_gather(here ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T, receive_buffer,
                        n, MPI_UINT32_T, root, comm),
           "gather"))
    return;
  if (job_rank != root) return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i], datum(r, i, round_number), "gather", i);
}

void test_gatherv(tutti_comm comm, MPI_Count n, int root, int in_place) {
  const size_t all = (size_t)uneven(n, counts, displacements, 2);
  clear(all + 1);
  fill(send_buffer, 0, (size_t)counts[job_rank]);
  const int here = in_place && job_rank == root;
  if (here) fill(receive_buffer + displacements[job_rank], 0, (size_t)counts[job_rank]);
  const int knows = all_know || job_rank == root;
  if (!ran(tutti_gatherv(here ? MPI_IN_PLACE : (void*)send_buffer, counts[job_rank], MPI_UINT32_T,
                         receive_buffer, knows ? counts : NULL, knows ? displacements : NULL,
                         MPI_UINT32_T, root, comm),
           "gatherv"))
    return;
  if (job_rank != root) return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts[r]; ++i)
      expect(receive_buffer[(size_t)displacements[r] + i], datum(r, i, round_number), "gatherv", i);
  expect(receive_buffer[0], 0xEEEEEEEEu, "gatherv: a gap", 0);
}

void test_allgather(tutti_comm comm, MPI_Count n, int in_place) {
  clear((size_t)n * (size_t)job_size + 1);
  fill(send_buffer, 0, (size_t)n);
  if (in_place) fill(receive_buffer + (size_t)n * (size_t)job_rank, 0, (size_t)n);
  if (!ran(tutti_allgather(in_place ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T,
                           receive_buffer, n, MPI_UINT32_T, comm),
           "allgather"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i], datum(r, i, round_number), "allgather", i);
  expect(receive_buffer[(size_t)n * (size_t)job_size], 0xEEEEEEEEu, "allgather: behind the buffer",
         0);
}

void test_allgatherv(tutti_comm comm, MPI_Count n, int in_place, int with_gaps) {
  size_t all = (size_t)uneven(n, counts, displacements, 3);
  if (!with_gaps) {
    all = 0;
    for (int r = 0; r < job_size; ++r) displacements[r] = (MPI_Count)all, all += (size_t)counts[r];
  }
  clear(all + 1);
  fill(send_buffer, 0, (size_t)counts[job_rank]);
  if (in_place) fill(receive_buffer + displacements[job_rank], 0, (size_t)counts[job_rank]);
  if (!ran(
          tutti_allgatherv(in_place ? MPI_IN_PLACE : (void*)send_buffer, counts[job_rank],
                           MPI_UINT32_T, receive_buffer, counts, displacements, MPI_UINT32_T, comm),
          "allgatherv"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts[r]; ++i)
      expect(receive_buffer[(size_t)displacements[r] + i], datum(r, i, round_number), "allgatherv",
             i);
}

void test_alltoall(tutti_comm comm, MPI_Count n, int in_place) {
  const size_t all = (size_t)n * (size_t)job_size;
  clear(all + 1);
  fill(send_buffer, 0, all);
  if (in_place) fill(receive_buffer, 0, all);
  if (!ran(tutti_alltoall(in_place ? MPI_IN_PLACE : (void*)send_buffer, n, MPI_UINT32_T,
                          receive_buffer, n, MPI_UINT32_T, comm),
           "alltoall"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)n; ++i)
      expect(receive_buffer[(size_t)r * (size_t)n + i],
             datum(r, (size_t)job_rank * (size_t)n + i, round_number), "alltoall", i);
}

/* Elements that rank `from` sends to `to`: how many, and where they begin in its buffer. */
static MPI_Count matrix_count(MPI_Count n, int from, int to, int symmetric) {
  const int kind = symmetric ? (from * to + from + to) % 5 : (from + 2 * to) % 4;
  return n * kind / 4;
}
static MPI_Count matrix_place(MPI_Count n, int from, int to, int symmetric) {
  MPI_Count at = 1;
  for (int i = 0; i < to; ++i) at += matrix_count(n, from, i, symmetric) + 1;
  return at;
}

void test_alltoallv(tutti_comm comm, MPI_Count n, int in_place) {
  MPI_Count received = 2;
  for (int r = 0; r < job_size; ++r) {
    counts[r] = matrix_count(n, job_rank, r, in_place);
    displacements[r] = matrix_place(n, job_rank, r, in_place);
    counts2[r] = matrix_count(n, r, job_rank, in_place);
    displacements2[r] = in_place ? displacements[r] : received;
    received += counts2[r] + 1;
  }
  const size_t all = (size_t)(received + matrix_place(n, job_rank, job_size, in_place));
  clear(all);
  fill(send_buffer, 0, all);
  if (in_place) fill(receive_buffer, 0, all);
  if (!ran(tutti_alltoallv(in_place ? MPI_IN_PLACE : (void*)send_buffer, counts, displacements,
                           MPI_UINT32_T, receive_buffer, counts2, displacements2, MPI_UINT32_T,
                           comm),
           "alltoallv"))
    return;
  for (int r = 0; r < job_size; ++r)
    for (size_t i = 0; i < (size_t)counts2[r]; ++i)
      expect(receive_buffer[(size_t)displacements2[r] + i],
             datum(r, (size_t)matrix_place(n, r, job_rank, in_place) + i, round_number),
             "alltoallv", i);
}

void test_neighbours(tutti_comm comm, MPI_Count n, int gathers) {
  const int before = (job_rank + job_size - 1) % job_size, after = (job_rank + 1) % job_size;
  const size_t block = (size_t)n;
  fill(send_buffer, 0, 2 * block);
  clear(2 * block + 1);
  const int code = gathers ? tutti_neighbor_allgather(send_buffer, n, MPI_UINT32_T, receive_buffer,
                                                      n, MPI_UINT32_T, comm)
                           : tutti_neighbor_alltoall(send_buffer, n, MPI_UINT32_T, receive_buffer,
                                                     n, MPI_UINT32_T, comm);
  if (!ran(code, gathers ? "neighbor_allgather" : "neighbor_alltoall")) return;
  /* The rank before has sent its block up, and the one after has sent its block down. */
  for (size_t i = 0; i < block; ++i) {
    expect(receive_buffer[i], datum(before, gathers ? i : block + i, round_number), "from below",
           i);
    expect(receive_buffer[block + i], datum(after, i, round_number), "from above", i);
  }
}
