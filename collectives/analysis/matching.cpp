// Bounds of every schedule; then sends and receives pair off by (from, to, ordinal). Linear in the
// number of steps.
#include "collectives/analysis/matching.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::collectives {
namespace {

struct End {  // one end of a message, filed at the receiving rank
  Rank from;
  Ordinal ordinal;
  AnyStep step;
};

bool earlier(const End& a, const End& b) noexcept {
  return a.from != b.from ? a.from < b.from : a.ordinal < b.ordinal;
}

bool inside(const Schedule& schedule, const Slice& slice) noexcept {
  const Bytes size = slice.buffer == Buffer::input    ? schedule.input_bytes
                     : slice.buffer == Buffer::output ? schedule.output_bytes
                                                      : schedule.scratch_bytes;
  return slice.length >= 0 && slice.offset >= 0 && slice.offset <= size &&
         slice.length <= size - slice.offset;
}

// What is wrong with a step by itself; empty: nothing.
std::string fault(const Schedule& schedule, const Step& step) {
  if (is_message(step.kind) &&
      (step.peer < 0 || step.peer >= schedule.P || step.peer == schedule.rank)) {
    return fmt::format("its peer is {}", step.peer);
  }
  for (const auto& [used, slice] :
       {std::pair{reads_source(step.kind), step.source}, {writes_target(step.kind), step.target}}) {
    if (used && slice.length != 0 && !inside(schedule, slice)) {
      return fmt::format("bytes [{}, {}) of {} do not exist", slice.offset, slice.end(),
                         name_of(slice.buffer));
    }
  }
  if (writes_target(step.kind) && step.target.length != 0 && step.target.buffer == Buffer::input)
    return "it writes to the input";
  if (!is_message(step.kind) && step.source.length != step.target.length)
    return "source and target differ in length";
  return {};
}

void sort_if_needed(std::vector<End>& ends) {
  if (!std::is_sorted(ends.begin(), ends.end(), earlier))
    std::sort(ends.begin(), ends.end(), earlier);
}

// Both ends of all messages to one rank.
struct Inbox {
  std::vector<End> sends, receives;
};

Verdict pair_off(std::span<const Schedule> all_ranks, Rank to, Inbox& inbox, Matching& matching) {
  sort_if_needed(inbox.sends);
  sort_if_needed(inbox.receives);
  const auto id = [&](const End& end, Rank rank) {
    return end.step - matching.first[static_cast<std::size_t>(rank)];
  };
  const auto describe_end = [&](const End& end, Rank rank) {
    return describe(all_ranks[static_cast<std::size_t>(rank)], id(end, rank));
  };
  for (std::size_t i = 0; i < std::max(inbox.sends.size(), inbox.receives.size()); ++i) {
    const bool no_send = i >= inbox.sends.size(), no_receive = i >= inbox.receives.size();
    if (no_receive || (!no_send && earlier(inbox.sends[i], inbox.receives[i]))) {
      return {Violation::unmatched_message,
              describe_end(inbox.sends[i], inbox.sends[i].from) + " is never received"};
    }
    const End& receive = inbox.receives[i];
    if (no_send || earlier(receive, inbox.sends[i])) {
      return {Violation::unmatched_message, describe_end(receive, to) + " is never sent"};
    }
    const End& send = inbox.sends[i];
    const Step& from_step =
        all_ranks[static_cast<std::size_t>(send.from)].steps[id(send, send.from)];
    const Step& to_step = all_ranks[static_cast<std::size_t>(to)].steps[id(receive, to)];
    if (length_of(from_step) != length_of(to_step)) {
      return {Violation::size_mismatch,
              fmt::format("{} sends {} bytes, {} expects {}", describe_end(send, send.from),
                          length_of(from_step), describe_end(receive, to), length_of(to_step))};
    }
    matching.partner[send.step] = receive.step;
    matching.partner[receive.step] = send.step;
    if (i == 0 || inbox.sends[i - 1].from != send.from) ++matching.channels;
    matching.channel[send.step] = matching.channel[receive.step] = matching.channels - 1;
  }
  return {};
}

}  // namespace

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

Verdict match(std::span<const Schedule> all_ranks, Matching& matching) {
  std::vector<Inbox> inboxes(all_ranks.size());
  AnyStep next = 0;
  for (const Schedule& schedule : all_ranks) {
    matching.first.push_back(next);
    for (const Step& step : schedule.steps) {
      if (step.kind == StepKind::send) {
        inboxes[static_cast<std::size_t>(step.peer)].sends.push_back(
            {schedule.rank, step.ordinal, next});
      } else if (receives(step.kind)) {
        inboxes[static_cast<std::size_t>(schedule.rank)].receives.push_back(
            {step.peer, step.ordinal, next});
      }
      ++next;
    }
  }
  matching.first.push_back(next);
  matching.partner.assign(next, kNoPartner);
  matching.channel.assign(next, 0);
  for (std::size_t to = 0; to < inboxes.size(); ++to) {
    Verdict verdict = pair_off(all_ranks, static_cast<Rank>(to), inboxes[to], matching);
    if (!verdict.ok()) return verdict;
    inboxes[to] = {};
  }
  return {};
}

}  // namespace tutti::collectives
