// The schedule: what one rank does in one collective, as data. Everything else reads it: the
// executor, the verifier, the simulator, the chart. It holds slices, never addresses; it knows no
// network, no MPI and no time. Pure data: no I/O, no transport.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "base/types.hpp"
#include "protocols/protocol_for.hpp"

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

// The closed set of things that a rank can do, and what each reads and writes:
//   send         reads source, and sends it to peer as one message
//   recv         writes one message from peer to target
//   recv_reduce  reads source, writes target, which may be the same bytes:
//                target = source op message
//   copy         reads source, writes target. With length 0 it is a join: it only gathers edges
//                (Builder makes one where many steps wait for many others)
//   reduce       reads source, reads and writes target: target = target op source
// With `reversed` the operands of op change places.
enum class StepKind : std::uint8_t { send, recv, recv_reduce, copy, reduce };

using StepId = std::uint32_t;
inline constexpr StepId kNoStep = ~StepId{0};

struct Step {
  StepKind kind = StepKind::copy;
  bool reversed = false;  // of recv_reduce, reduce
  Rank peer = -1;         // of send, recv, recv_reduce
  protocols::Use use{};   // of messages: what becomes of it; the same at both ends
  Ordinal ordinal = 0;    // of messages: counts those of one direction between the two ranks, in
                          // the order in which the author wrote them
  Slice source;           // of send, recv_reduce, copy, reduce
  Slice target;           // of recv, recv_reduce, copy, reduce
  std::uint32_t predecessors = 0;  // how many steps must be done before this one
  // Its successors, in ascending order: Schedule::successors[first_successor, + successor_count).
  std::uint32_t first_successor = 0;
  std::uint32_t successor_count = 0;
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

// Builder guarantees: every edge goes from a lower to a higher StepId, so the order of ids is one
// valid sequential execution; the ordinals of one direction between two ranks are 0, 1, 2, …; with
// in_place no step names Buffer::input (those bytes lie in Buffer::output), and input_bytes is
// 0.
struct Schedule {
  int P = 1;
  Rank rank = 0;
  Bytes input_bytes = 0;    // never written
  Bytes output_bytes = 0;   // bcast: the one user buffer, on every rank
  Bytes scratch_bytes = 0;  // aligned to a cache line; contents undefined before and after
  bool in_place = false;
  // A broadcast by datagrams. The steps are the tree over which ranks ask for lost data and get it
  // again; if all datagrams are lost, exactly these steps run, so what is proved of them holds.
  bool datagrams = false;
  std::vector<Step> steps;
  std::vector<StepId> successors;

  std::span<const StepId> successors_of(StepId id) const noexcept {
    const Step& step = steps[id];
    return {successors.data() + step.first_successor, step.successor_count};
  }

  // A hash of all of the above. Equal schedules have equal digests on every machine and in every
  // build, so a predicted and a measured row with the same digest speak of the same schedule.
  std::uint64_t digest() const noexcept;
};

struct Edge {
  StepId before;
  StepId after;
};

// Gives `schedule` exactly these edges, each pair once: fills `successors`, and in each step
// `predecessors`, `first_successor` and `successor_count`. Edges must come in ascending order of
// `after`.
void link(Schedule& schedule, std::span<const Edge> edges);

std::string_view name_of(Buffer buffer) noexcept;
std::string_view name_of(StepKind kind) noexcept;

}  // namespace tutti::collectives
