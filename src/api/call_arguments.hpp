// The arguments of a collective as its caller wrote them. The C functions fill this in by
// name, whatever form the call has; prepare() gives it a meaning.
#pragma once

#include <mpi.h>

#include "collectives/schedule/problem.hpp"

namespace tutti {

// The send or the receive side of a call. Members that a collective lacks stay as they are here.
struct Side {
  const void* buffer = nullptr;
  MPI_Count count = 0;  // elements of a block, or of the message
  MPI_Datatype type{};
  const MPI_Count* counts = nullptr;         // elements of each rank's block
  const MPI_Count* displacements = nullptr;  // in extents of the type; null: one after another
  const MPI_Datatype* types = nullptr;       // each block's own, where Arguments says so
};

// A broadcast has a receive side only; a reduction has its count and type on the send side.
struct Arguments {
  collectives::Collective collective;
  bool by_rank = false;    // some side has counts by rank, which may be null where MPI ignores them
  bool own_types = false;  // both have types by rank, too, and displacements in bytes
  Side send{}, receive{};
  int root = 0;
  MPI_Op operation{};

  bool in_place() const noexcept {
    return send.buffer == MPI_IN_PLACE || receive.buffer == MPI_IN_PLACE;
  }
  // The counts by rank that are the same on all ranks. Null: there are no such ones.
  const MPI_Count* common_counts() const noexcept {
    const bool common = collective == collectives::Collective::allgather ||
                        collective == collectives::Collective::reduce_scatter;
    return common ? receive.counts : nullptr;
  }
};

// Whether two calls without counts by rank are the same, argument by argument.
inline bool are_equal(const Arguments& a, const Arguments& b) noexcept {
  const auto same_side = [](const Side& x, const Side& y) {
    return x.buffer == y.buffer && x.count == y.count && x.type == y.type;
  };
  return a.collective == b.collective && a.root == b.root && same_side(a.send, b.send) &&
         same_side(a.receive, b.receive) && a.operation == b.operation;
}

}  // namespace tutti
