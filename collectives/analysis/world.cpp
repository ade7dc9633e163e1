// Sends and receives pair off by (sender, receiver, ordinal). Near-linear in the number of steps.
#include "collectives/analysis/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "collectives/analysis/form.hpp"

namespace tutti::collectives {
namespace {

struct End {  // one end of a message, filed at the receiving rank
  Rank from;
  Ordinal ordinal;
  StepId id;  // of the sender's schedule, or of the receiver's
};

bool earlier(const End& a, const End& b) noexcept {
  return a.from != b.from ? a.from < b.from : a.ordinal < b.ordinal;
}

void sort_if_needed(std::vector<End>& ends) {
  if (!std::is_sorted(ends.begin(), ends.end(), earlier))
    std::sort(ends.begin(), ends.end(), earlier);
}

}  // namespace

// Both ends of all messages to one rank.
struct World::Inbox {
  std::vector<End> sends, receives;
};

World::World(std::span<const Schedule> schedules) : schedules_(schedules) { prepare(); }

World::World(int P, const std::function<Schedule(Rank)>& schedule_of) {
  own_.reserve(index(P));
  for (Rank rank = 0; rank < P; ++rank) own_.push_back(schedule_of(rank));
  schedules_ = own_;
  prepare();
}

void World::prepare() {
  std::size_t steps = 0;
  first_.reserve(schedules_.size() + 1);
  cursors_.reserve(schedules_.size());
  for (const Schedule& schedule : schedules_) {
    first_.push_back(static_cast<StepNumber>(steps));
    steps += schedule.steps.size();
    cursors_.emplace_back(schedule);
  }
  assert(steps <= std::numeric_limits<StepNumber>::max());
  first_.push_back(static_cast<StepNumber>(steps));
  messages_ = match();
  reset();
}

Verdict World::match() {
  std::vector<Inbox> inboxes(schedules_.size());
  for (Rank rank = 0; rank < P(); ++rank) {
    const Schedule& mine = schedule(rank);
    for (StepId id = 0; id < mine.steps.size(); ++id) {
      const Step& step = mine.steps[id];
      if (Verdict verdict = check_peer(mine, P(), id); !verdict.ok()) return verdict;
      if (step.kind == StepKind::send)
        inboxes[index(step.peer)].sends.push_back({rank, step.ordinal, id});
      else if (receives(step.kind))
        inboxes[index(rank)].receives.push_back({step.peer, step.ordinal, id});
    }
  }
  partner_.assign(steps(), kNoStep);
  pair_.assign(steps(), 0);
  for (Rank to = 0; to < P(); ++to) {
    if (Verdict verdict = pair_off(to, inboxes[index(to)]); !verdict.ok()) return verdict;
    inboxes[index(to)] = {};
  }
  return {};
}

Verdict World::pair_off(Rank to, Inbox& inbox) {
  auto& [sends, receives] = inbox;
  sort_if_needed(sends);
  sort_if_needed(receives);
  for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const bool no_send = i >= sends.size(), no_receive = i >= receives.size();
    if (no_receive || (!no_send && earlier(sends[i], receives[i])))
      return {Violation::unmatched_message,
              describe(schedule(sends[i].from), sends[i].id) + " is never received"};
    if (no_send || earlier(receives[i], sends[i]))
      return {Violation::unmatched_message,
              describe(schedule(to), receives[i].id) + " is never sent"};
    const Place send{sends[i].from, sends[i].id}, receive{to, receives[i].id};
    if (length_of(step(send)) != length_of(step(receive)))
      return {Violation::size_mismatch,
              fmt::format("{} sends {} bytes, {} expects {}",
                          describe(schedule(send.rank), send.id), length_of(step(send)),
                          describe(schedule(to), receive.id), length_of(step(receive)))};
    if (step(send).use != step(receive).use)
      return {
          Violation::use_mismatch,
          fmt::format("{} and {} differ in what becomes of the message",
                      describe(schedule(send.rank), send.id), describe(schedule(to), receive.id))};
    partner_[number(send)] = receive.id;
    partner_[number(receive)] = send.id;
    if (i == 0 || sends[i - 1].from != send.rank) ++pairs_;
    pair_[number(send)] = pair_[number(receive)] = pairs_ - 1;
  }
  return {};
}

void World::reset() noexcept {
  unfinished_ = 0;
  for (Cursor& cursor : cursors_) {
    cursor.reset();
    unfinished_ += cursor.finished() ? 0 : 1;
  }
}

}  // namespace tutti::collectives
