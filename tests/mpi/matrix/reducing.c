#include "matrix.h"

/* Two numbers of 16 bits are the map x -> ax + b; the left operand is applied last. Associative,
 * not commutative. */
static uint32_t compose(uint32_t left, uint32_t right) {
  const uint32_t a = (left & 0xffff) * (right & 0xffff),
                 b = (left & 0xffff) * (right >> 16) + (left >> 16);
  return (a & 0xffff) | b << 16;
}
void compose_op(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    ((uint32_t*)inout)[i] = compose(((uint32_t*)in)[i], ((uint32_t*)inout)[i]);
}

static uint32_t reduced(int first, int end, size_t i, int commutes) {
  uint32_t value = datum(first, i, round_number);
  for (int r = first + 1; r < end; ++r)
    value =
        commutes ? value + datum(r, i, round_number) : compose(value, datum(r, i, round_number));
  return value;
}

void test_reduction(tutti_comm comm, const char* name, MPI_Count n, int root, int in_place,
                    int commutes) {
  const MPI_Op op = commutes ? MPI_SUM : user_op;
  static MPI_Count counts[kMostRanks];
  const int scatters = strncmp(name, "reduce_scatter", 14) == 0,
            rooted = strcmp(name, "reduce") == 0;
  const int v = strcmp(name, "reduce_scatterv") == 0, exclusive = strcmp(name, "exscan") == 0,
            scan = strcmp(name, "scan") == 0 || exclusive;
  size_t whole = (size_t)n, first = 0, own = (size_t)n;
  if (scatters) {
    whole = 0;
    for (int r = 0; r < job_size; ++r) {
      counts[r] = v ? ((r + 1) % 3 == 0 ? 0 : n * (r % 4 + 1) / 4) : n;
      if (r == job_rank) first = whole, own = (size_t)counts[r];
      whole += (size_t)counts[r];
    }
  }
  const int here = in_place && (!rooted || job_rank == root);
  clear(whole + 1);
  fill(send_buffer, 0, whole);
  if (here) fill(receive_buffer, 0, whole);
  void* const from = here ? MPI_IN_PLACE : (void*)send_buffer;
  const MPI_Datatype t = MPI_UINT32_T;
  const int code = rooted ? tutti_reduce(from, receive_buffer, n, t, op, root, comm)
                   : strcmp(name, "allreduce") == 0
                       ? tutti_allreduce(from, receive_buffer, n, t, op, comm)
                   : strcmp(name, "scan") == 0 ? tutti_scan(from, receive_buffer, n, t, op, comm)
                   : exclusive                 ? tutti_exscan(from, receive_buffer, n, t, op, comm)
                   : v ? tutti_reduce_scatter(from, receive_buffer, counts, t, op, comm)
                       : tutti_reduce_scatter_block(from, receive_buffer, n, t, op, comm);
  if (!ran(code, name)) return;
  if (rooted && job_rank != root) return;
  if (exclusive && job_rank == 0) {
    for (size_t i = 0; i < whole && !here; ++i)
      expect(receive_buffer[i], 0xEEEEEEEEu, "exscan: rank 0's buffer", i);
    return;
  }
  const int end = !scan ? job_size : exclusive ? job_rank : job_rank + 1;
  for (size_t i = 0; i < own; ++i)
    expect(receive_buffer[i], reduced(0, end, first + i, commutes), name, i);
}
