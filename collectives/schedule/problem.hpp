// What a collective is asked to do, as data: who takes part, how many bytes go where. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "collectives/schedule/blocks.hpp"

namespace tutti::collectives {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  scatter,
  gather,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  scan,
  exscan,
};
inline constexpr std::size_t kCollectives = 11;

std::span<const std::string_view> names_of_collectives() noexcept;  // in the order above
std::string_view name_of(Collective collective) noexcept;
std::optional<Collective> collective_named(std::string_view name) noexcept;

constexpr bool is_rooted(Collective c) noexcept {
  return c == Collective::bcast || c == Collective::scatter || c == Collective::gather ||
         c == Collective::reduce;
}
constexpr bool reduces(Collective c) noexcept { return c >= Collective::reduce; }
// Its data are blocks, one a rank, whose lengths may differ (the v-forms of MPI).
constexpr bool has_blocks(Collective c) noexcept {
  return c == Collective::scatter || c == Collective::gather || c == Collective::allgather ||
         c == Collective::alltoall || c == Collective::reduce_scatter;
}
constexpr bool may_be_in_place(Collective c) noexcept {
  return c != Collective::barrier && c != Collective::bcast;
}

// What one call asks for, comparable: the facts that decide, with the communicator, which schedule
// runs. Who makes such a call passes these, and a schedule that was made for equal ones can run
// again.
struct Task {
  Collective collective = Collective::barrier;
  Rank root = 0;    // of the rooted ones
  Bytes bytes = 0;  // one rank's block where there are blocks; else the whole message; barrier: 0
  bool in_place =
      false;  // of rooted ones the root's alone: its own block lies at its place, and is not moved

  // The v-forms. Lengths of the blocks by rank, equal on all ranks; empty: each has `bytes`.
  // alltoall: what this rank sends to each.
  std::vector<Bytes> counts{};
  std::vector<Bytes> receive_counts{};  // alltoall: what this rank receives from each
  // false: only the root knows the counts (scatterv and gatherv as MPI defines them); of the
  // others' entries only the own one counts.
  bool counts_known = true;

  Bytes element = 1;        // reductions: data are never cut within an element
  bool commutative = true;  // the reduction; if not, operands keep the order of the ranks
  bool left_fold = false;   // ((x0 op x1) op x2) …: the same bits whatever the algorithm

  friend bool operator==(const Task&, const Task&) = default;
};

// A task, and what the communicator adds: all that an algorithm sees.
struct Problem : Task {
  int P = 1;
  Rank rank = 0;
  bool datagrams = true;    // unreliable messages to all ranks at once can be had
  std::vector<int> node{};  // of each rank, numbered from 0 in order of first appearance; empty:
                            // all ranks are on one
};

// What the caller's buffers of problem.rank look like.
//   bcast: the one buffer is the output. scatter: the root's input has P blocks, each output one.
//   gather: the other way round. In place: the root of a scatter has no output, all others have
//   their input within the output. scan, exscan, allreduce: input and output alike; reduce: an
//   output at the root only; reduce_scatter: an input of P blocks (in place: the output is as long
//   as that, and the result stands at its beginning).
UserBuffers user_buffers(const Problem& problem);

// The blocks of all ranks, one after another, where a buffer holds them: of allgather, gather
// (root), alltoall in the output; of scatter (root), reduce_scatter, alltoall in the input.
Blocks blocks_in(Buffer buffer, const Problem& problem);
Bytes block_bytes(const Problem& problem, Rank rank) noexcept;
// blocks_in(buffer, problem)[rank].offset.
Bytes block_offset(Buffer buffer, const Problem& problem, Rank rank) noexcept;

}  // namespace tutti::collectives
