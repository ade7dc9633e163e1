// Digest and edges of a schedule. Pure.
#include "collectives/schedule/schedule.hpp"

#include "base/hash.hpp"

namespace tutti::collectives {
namespace {

Hash& add(Hash& hash, const Slice& slice) noexcept {
  return hash.add(static_cast<std::uint64_t>(slice.buffer))
      .add(static_cast<std::uint64_t>(slice.offset))
      .add(static_cast<std::uint64_t>(slice.length));
}

}  // namespace

std::uint64_t Schedule::digest() const noexcept {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(P));
  hash.add(static_cast<std::uint64_t>(rank));
  hash.add(static_cast<std::uint64_t>(input_bytes));
  hash.add(static_cast<std::uint64_t>(output_bytes));
  hash.add(static_cast<std::uint64_t>(scratch_bytes));
  hash.add((in_place ? 1U : 0U) | (datagrams ? 2U : 0U));
  for (const Step& step : steps) {
    hash.add(static_cast<std::uint64_t>(step.kind) | (step.reversed ? 256U : 0U) |
             static_cast<std::uint64_t>(step.use) << 9);
    hash.add(static_cast<std::uint64_t>(step.peer));
    hash.add(step.ordinal);
    add(hash, step.source);
    add(hash, step.target);
    hash.add(step.predecessors);
    hash.add(step.successor_count);
  }
  for (StepId id : successors) hash.add(id);
  return hash.value();
}

void link(Schedule& schedule, std::span<const Edge> edges) {
  for (Step& step : schedule.steps) step.predecessors = step.successor_count = 0;
  for (const Edge& edge : edges) {
    ++schedule.steps[edge.before].successor_count;
    ++schedule.steps[edge.after].predecessors;
  }
  std::uint32_t next = 0;
  std::vector<std::uint32_t> fill(schedule.steps.size());
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    schedule.steps[i].first_successor = fill[i] = next;
    next += schedule.steps[i].successor_count;
  }
  schedule.successors.resize(edges.size());
  // A counting sort keeps the order of `after`, so successors ascend; Cursor relies on that.
  for (const Edge& edge : edges) schedule.successors[fill[edge.before]++] = edge.after;
}

std::string_view name_of(Buffer buffer) noexcept {
  switch (buffer) {
    case Buffer::input: return "input";
    case Buffer::output: return "output";
    case Buffer::scratch: return "scratch";
  }
  return "?";
}

std::string_view name_of(StepKind kind) noexcept {
  switch (kind) {
    case StepKind::send: return "send";
    case StepKind::recv: return "recv";
    case StepKind::recv_reduce: return "recv_reduce";
    case StepKind::copy: return "copy";
    case StepKind::reduce: return "reduce";
  }
  return "?";
}

}  // namespace tutti::collectives
