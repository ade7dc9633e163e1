// The problem that a collective solves, as data: who takes part, how many bytes go where. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "collectives/schedule/blocks.hpp"
#include "collectives/schedule/neighbourhood.hpp"
#include "collectives/schedule/nodes.hpp"

namespace tutti::collectives {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  scatter,
  gather,
  allgather,
  alltoall,
  neighbor_allgather,
  neighbor_alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
};
inline constexpr std::size_t kCollectives = 13;

std::span<const std::string_view> names_of_collectives() noexcept;  // in the order above
std::string_view name_of(Collective collective) noexcept;
std::optional<Collective> collective_named(std::string_view name) noexcept;

constexpr bool is_rooted(Collective c) noexcept {
  return c == Collective::bcast || c == Collective::scatter || c == Collective::gather ||
         c == Collective::reduce;
}
constexpr bool reduces(Collective c) noexcept { return c >= Collective::reduce; }
// Its data are blocks, one for each rank, whose lengths may differ (MPI's v-forms).
constexpr bool has_blocks(Collective c) noexcept {
  return c == Collective::scatter || c == Collective::gather || c == Collective::allgather ||
         c == Collective::alltoall || c == Collective::reduce_scatter;
}
constexpr bool is_of_neighbours(Collective c) noexcept {
  return c == Collective::neighbor_allgather || c == Collective::neighbor_alltoall;
}
constexpr bool may_be_in_place(Collective c) noexcept {
  return c != Collective::barrier && c != Collective::bcast && !is_of_neighbours(c);
}

// The task of one call: the facts which, together with the communicator, decide which schedule
// runs. Comparable, because a schedule that was made for an equal task can run again.
struct Task {
  Collective collective = Collective::barrier;
  Rank root = 0;    // of rooted collectives
  Bytes bytes = 0;  // of one rank's block if there are blocks; else of the message; barrier: 0
  // In rooted collectives true at the root only: its own block lies in its place already, and is
  // not moved.
  bool in_place = false;

  // The v-forms: the lengths of the blocks by rank, equal on all ranks; empty: each has `bytes`.
  // alltoall: what this rank sends to each rank, and what it receives from each. Neighbours: the
  // lengths of the blocks of the input, and of those of the output, which only this rank knows.
  std::vector<Bytes> counts{};
  std::vector<Bytes> receive_counts{};
  // false: only the root knows the counts (scatterv and gatherv as MPI defines them); another rank
  // knows its own entry only.
  bool counts_known = true;
  // This rank's, in collectives of neighbours; nothing: the ranks are a ring.
  std::optional<Neighbourhood> neighbours{};

  Bytes element = 1;        // reductions: data are never cut within an element
  bool commutative = true;  // reductions; if not, the operands keep the order of the ranks
  bool left_fold = false;   // ((x0 op x1) op x2) …: the same bits, whatever the algorithm

  friend bool operator==(const Task&, const Task&) = default;
};

// A task and what the communicator adds: all that an algorithm sees.
struct Problem : Task {
  int P = 1;
  Rank rank = 0;
  bool datagrams = true;  // there is a way to send unreliable messages to all ranks at once
  Nodes node{};           // empty: all ranks are on one node
  // Set for a part of a composed algorithm: the blocks are the even parts of this many bytes
  // (Blocks::even), which costs less than a count for each rank. Then `bytes` and `counts` mean
  // nothing.
  std::optional<Bytes> cut{};
};

// The use of a collective's messages, unless its algorithm is composed of others.
constexpr protocols::Use use_in(const Problem& problem) noexcept {
  using protocols::Use;
  const Collective c = problem.collective;
  // An exscan of two hands one block on as it is.
  if (reduces(c) && !(c == Collective::exscan && problem.P == 2)) return Use::combined;
  if (c == Collective::bcast || c == Collective::scatter) return Use::spread;
  return c == Collective::gather && problem.P > 2 ? Use::gathered : Use::stored;
}

// The shape of the buffers of problem.rank.
//   bcast           the one buffer is the output
//   scatter         the root's input has P blocks, each output one; in place the root has no output
//   gather          each input has one block, the root's output P
//   reduce          an input on each rank, an output at the root only
//   neighbor_…      an output of a block for each rank from which this one receives; the input has
//                   one block for each to which it sends, or in an allgather one for all of them
//   reduce_scatter  an input of P blocks, an output of one; in place the output has P blocks, and
//                   the result stands at its beginning
//   others          input and output on each rank
// In place the input lies within the output, except as said above.
UserBuffers user_buffers(const Problem& problem);

// The blocks of all ranks, one after another, in the buffer that holds them: the output of
// allgather, gather (at the root) and alltoall; the input of scatter (at the root), reduce_scatter
// and alltoall. In collectives of neighbours: the blocks of either buffer, by number.
Blocks blocks_in(Buffer buffer, const Problem& problem);
Bytes block_bytes(const Problem& problem, Rank rank) noexcept;  // not of neighbours
// blocks_in(buffer, problem)[rank].offset; not of neighbours.
Bytes block_offset(Buffer buffer, const Problem& problem, Rank rank) noexcept;

// The neighbourhood of problem.rank.
Neighbourhood neighbours_of(const Problem& problem);

}  // namespace tutti::collectives
