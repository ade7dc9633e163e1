// The schedule: what one rank does in one collective, as data.
// Everything else reads it (executor, verifier, simulator, chart). It holds slices, never
// addresses; it knows no network, no MPI and no time. Pure data: no I/O, no transport.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

enum class Buffer : std::uint8_t { input, output, scratch };

// `length` bytes at `offset` of one buffer. A length of 0 names no bytes at all.
struct Slice {
  Buffer buffer = Buffer::scratch;
  Bytes offset = 0;
  Bytes length = 0;
  Bytes end() const noexcept { return offset + length; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

// The closed set of things a rank can do. What it reads and writes:
//   send         reads source, and sends it as one message to peer
//   recv         writes one message from peer to target
//   recv_reduce  reads source, writes target (which may be the same bytes): target = source op
//   message copy         reads source, writes target. With length 0 it is a join: it only gathers
//   edges (Builder makes it where
//                many steps wait for many others)
//   reduce       reads source, reads and writes target: target = target op source
// With `reversed` the operands of op change places.
enum class StepKind : std::uint8_t { send, recv, recv_reduce, copy, reduce };

using StepId = std::uint32_t;
inline constexpr StepId kNoStep = ~StepId{0};

struct Step {
  StepKind kind = StepKind::copy;
  bool reversed = false;  // of recv_reduce, reduce
  Rank peer = -1;         // of send, recv, recv_reduce
  Ordinal ordinal =
      0;  // counts the messages of the same direction between the two ranks, in authoring order
  Slice source;                    // of send, recv_reduce, copy, reduce
  Slice target;                    // of recv, recv_reduce, copy, reduce
  std::uint32_t predecessors = 0;  // how many steps must be done before this one
  std::uint32_t first_successor =
      0;  // its successors are Schedule::successors[first_successor, + successor_count),
  std::uint32_t successor_count = 0;  // ascending
};

constexpr bool receives(StepKind kind) noexcept {
  return kind == StepKind::recv || kind == StepKind::recv_reduce;
}
constexpr bool is_message(StepKind kind) noexcept {
  return kind == StepKind::send || receives(kind);
}
constexpr bool reads_source(StepKind kind) noexcept { return kind != StepKind::recv; }
constexpr bool writes_target(StepKind kind) noexcept { return kind != StepKind::send; }
constexpr Bytes length_of(const Step& step) noexcept {
  return receives(step.kind) ? step.target.length : step.source.length;
}

// Invariants of a schedule from Builder: every edge goes from a lower to a higher StepId (so id
// order is one valid sequential execution); ordinals of one direction between two ranks are 0, 1,
// 2, …; with in_place no step names Buffer::input (its bytes lie in Buffer::output) and input_bytes
// is 0.
struct Schedule {
  int P = 1;
  Rank rank = 0;
  Bytes input_bytes = 0;    // never written
  Bytes output_bytes = 0;   // bcast: the one user buffer, on every rank
  Bytes scratch_bytes = 0;  // to be aligned to a cache line; contents undefined before and after
  bool in_place = false;
  // A broadcast by datagrams: the steps are the tree over which what was lost is asked for and sent
  // again. With all datagrams lost they are what happens, so what is proved of them holds.
  bool datagrams = false;
  std::vector<Step> steps;
  std::vector<StepId> successors;

  std::span<const StepId> successors_of(StepId id) const noexcept {
    const Step& step = steps[id];
    return {successors.data() + step.first_successor, step.successor_count};
  }

  // A fingerprint of all of the above. Equal schedules have equal digests on every machine and in
  // every build, so a predicted and a measured row that print the same digest speak of the same
  // program.
  std::uint64_t digest() const noexcept;
};

struct Edge {
  StepId before;
  StepId after;
};

// Gives `schedule` exactly these edges (each pair once): fills successors and the three counters of
// each step.
void link(Schedule& schedule, std::span<const Edge> edges);

std::string_view name_of(Buffer buffer) noexcept;
std::string_view name_of(StepKind kind) noexcept;

}  // namespace tutti::collectives
