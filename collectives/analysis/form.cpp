// Checks the bounds, peers and edges of one schedule. Pure.
#include "collectives/analysis/form.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace tutti::collectives {
namespace {

bool inside(const Schedule& schedule, const Slice& slice) noexcept {
  const Bytes size = slice.buffer == Buffer::input    ? schedule.input_bytes
                     : slice.buffer == Buffer::output ? schedule.output_bytes
                                                      : schedule.scratch_bytes;
  return slice.length >= 0 && slice.offset >= 0 && slice.offset <= size &&
         slice.length <= size - slice.offset;
}

// The fault of a step by itself; empty: the step is sound.
std::string fault(const Schedule& schedule, const Step& step) {
  if (is_message(step.kind) && step.peer == schedule.rank) return "its peer is the rank itself";
  for (const auto& [used, slice] :
       {std::pair{reads_source(step.kind), step.source}, {writes_target(step.kind), step.target}}) {
    if (used && slice.length != 0 && !inside(schedule, slice)) {
      return fmt::format("bytes [{}, {}) of {} do not exist", slice.offset, slice.end(),
                         name_of(slice.buffer));
    }
  }
  if (writes_target(step.kind) && step.target.length != 0 && step.target.buffer == Buffer::input)
    return "it writes to the input";
  if (reads_source(step.kind) && writes_target(step.kind) &&
      step.source.length != step.target.length)
    return "source and target differ in length";
  return {};
}

}  // namespace

Verdict check_peer(const Schedule& schedule, int P, StepId id) {
  const Step& step = schedule.steps[id];
  if (!is_message(step.kind) || (step.peer >= 0 && step.peer < P)) return {};
  return {
      Violation::out_of_bounds,
      fmt::format("rank {} {} rank {} of {} (step {})", schedule.rank,
                  step.kind == StepKind::send ? "sends to" : "receives from", step.peer, P, id)};
}

std::string describe(const Schedule& schedule, StepId id) {
  const Step& step = schedule.steps[id];
  if (!is_message(step.kind))
    return fmt::format("rank {} step {} ({})", schedule.rank, id, name_of(step.kind));
  return fmt::format("rank {} step {} ({} message {} {} rank {})", schedule.rank, id,
                     name_of(step.kind), step.ordinal, step.kind == StepKind::send ? "to" : "from",
                     step.peer);
}

Verdict check_form(const Schedule& schedule, int P, Rank rank) {
  if (schedule.P != P || schedule.rank != rank) {
    return {Violation::out_of_bounds,
            fmt::format("the schedule of rank {} of {} says rank {} of {}", rank, P, schedule.rank,
                        schedule.P)};
  }
  std::vector<std::uint32_t> waits(schedule.steps.size());
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    const Step& step = schedule.steps[id];
    if (Verdict verdict = check_peer(schedule, P, id); !verdict.ok()) return verdict;
    if (const std::string why = fault(schedule, step); !why.empty()) {
      return {Violation::out_of_bounds, fmt::format("{}: {}", describe(schedule, id), why)};
    }
    if (std::size_t{step.first_successor} + step.successor_count > schedule.successors.size()) {
      return {Violation::out_of_bounds, describe(schedule, id) + ": its successors do not exist"};
    }
    for (StepId next : schedule.successors_of(id)) {
      if (next >= schedule.steps.size())
        return {Violation::out_of_bounds, describe(schedule, id) + ": a successor does not exist"};
      ++waits[next];
    }
  }
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    if (waits[id] == schedule.steps[id].predecessors) continue;
    return {Violation::out_of_bounds,
            fmt::format("{}: it counts {} predecessors and has {}", describe(schedule, id),
                        schedule.steps[id].predecessors, waits[id])};
  }
  return {};
}

}  // namespace tutti::collectives
