// The collectives that combine data, in their plain and their large-count forms.
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

// Nothing is combined where there are no elements: then type and operation do not matter.
struct Meaning {
  MPI_Datatype type;
  MPI_Op op;
};
template <class Count>
Meaning meaning_of(Count count, MPI_Datatype type, MPI_Op op) noexcept {
  return count == 0 ? Meaning{MPI_INT, MPI_SUM} : Meaning{type, op};
}

template <class Count>
int reduce(const void* in, void* out, Count count, MPI_Datatype type, MPI_Op op, int root,
           MPI_Comm comm) {
  return take(
      TUTTI_CALL_Reduce, comm,
      [&](Communicator& c) {
        const Meaning m = meaning_of(count, type, op);
        return tutti_reduce(in, out, count, m.type, m.op, root, c.tutti);
      },
      TUTTI_BENEATH(Reduce, Count, in, out, count, type, op, root, comm),
      [&](const Communicator&) { return count * size_of(type); }, op);
}

// The reductions whose arguments are alike. A rank gives `count` elements `parts` times.
#define TUTTI_REDUCTION(function, Name, parts)                                                 \
  template <class Count>                                                                       \
  int function(const void* in, void* out, Count count, MPI_Datatype type, MPI_Op op,           \
               MPI_Comm comm) {                                                                \
    return take(                                                                               \
        TUTTI_CALL_##Name, comm,                                                               \
        [&](Communicator& c) {                                                                 \
          const Meaning m = meaning_of(count, type, op);                                       \
          return tutti_##function(in, out, count, m.type, m.op, c.tutti);                      \
        },                                                                                     \
        TUTTI_BENEATH(Name, Count, in, out, count, type, op, comm),                            \
        [&]([[maybe_unused]] const Communicator& c) { return size_of(type) * count * parts; }, \
        op);                                                                                   \
  }
TUTTI_REDUCTION(allreduce, Allreduce, 1)
TUTTI_REDUCTION(reduce_scatter_block, Reduce_scatter_block, c.size)
TUTTI_REDUCTION(scan, Scan, 1)
TUTTI_REDUCTION(exscan, Exscan, 1)

template <class Count>
int reduce_scatter(const void* in, void* out, const Count* counts, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  return take(
      TUTTI_CALL_Reduce_scatter, comm,
      [&](Communicator& c) {
        return tutti_reduce_scatter(in, out, widened(c, 0, counts), type, op, c.tutti);
      },
      TUTTI_BENEATH(Reduce_scatter, Count, in, out, counts, type, op, comm),
      [&](const Communicator& c) { return sum_of(c, counts) * size_of(type); }, op);
}

}  // namespace

void add_reductions(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Reduce, reduce<int>);
  TUTTI_PUT(Allreduce, allreduce<int>);
  TUTTI_PUT(Reduce_scatter_block, reduce_scatter_block<int>);
  TUTTI_PUT(Reduce_scatter, reduce_scatter<int>);
  TUTTI_PUT(Scan, scan<int>);
  TUTTI_PUT(Exscan, exscan<int>);
#if MPI_VERSION >= 4
  TUTTI_PUT(Reduce_c, reduce<MPI_Count>);
  TUTTI_PUT(Allreduce_c, allreduce<MPI_Count>);
  TUTTI_PUT(Reduce_scatter_block_c, reduce_scatter_block<MPI_Count>);
  TUTTI_PUT(Reduce_scatter_c, reduce_scatter<MPI_Count>);
  TUTTI_PUT(Scan_c, scan<MPI_Count>);
  TUTTI_PUT(Exscan_c, exscan<MPI_Count>);
#endif
}

}  // namespace tutti::drop_in
