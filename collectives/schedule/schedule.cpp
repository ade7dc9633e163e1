// Fingerprint and edges of a schedule. Pure.
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {
namespace {

// FNV-1a over 64-bit words, with a final mix: neither padding nor byte order can enter.
class Fingerprint {
 public:
  void add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x100000001b3ULL + (state_ >> 29);
  }
  void add(const Slice& slice) noexcept {
    add(static_cast<std::uint64_t>(slice.buffer));
    add(static_cast<std::uint64_t>(slice.offset));
    add(static_cast<std::uint64_t>(slice.length));
  }
  std::uint64_t value() const noexcept {
    const std::uint64_t mixed = (state_ ^ (state_ >> 33)) * 0xff51afd7ed558ccdULL;
    return mixed ^ (mixed >> 33);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t Schedule::digest() const noexcept {
  Fingerprint print;
  print.add(static_cast<std::uint64_t>(P));
  print.add(static_cast<std::uint64_t>(rank));
  print.add(static_cast<std::uint64_t>(input_bytes));
  print.add(static_cast<std::uint64_t>(output_bytes));
  print.add(static_cast<std::uint64_t>(scratch_bytes));
  print.add((in_place ? 1U : 0U) | (datagrams ? 2U : 0U));
  for (const Step& step : steps) {
    print.add(static_cast<std::uint64_t>(step.kind) | (step.reversed ? 256U : 0U));
    print.add(static_cast<std::uint64_t>(step.peer));
    print.add(step.ordinal);
    print.add(step.source);
    print.add(step.target);
    print.add(step.predecessors);
    print.add(step.successor_count);
  }
  for (StepId id : successors) print.add(id);
  return print.value();
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
  // Counting sort: edges that come in order of `after` give ascending successors, which Cursor's
  // order rests on.
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
