// Scripts are found by the digest of what they say, and compared step by step. Pure.
#include "models/simulation/script_cache.hpp"

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "collectives/analysis/form.hpp"

namespace tutti::models {
namespace {

using collectives::kNoStep;
using collectives::Schedule;
using collectives::Step;
using collectives::StepId;

// A distance that no schedule of so many in a row has shared is not tried any more.
constexpr int kMostMisses = 256;

Rank distance_of(Distance distance, Rank rank, Rank peer, int P) noexcept {
  if (distance == Distance::exclusive_or) return peer ^ rank;
  return peer >= rank ? peer - rank : peer - rank + P;
}

Schedule written_by(Distance distance, Schedule schedule, bool free_copies) {
  for (Step& step : schedule.steps) {
    if (free_copies && step.kind == collectives::StepKind::copy) step.source = step.target = {};
    if (collectives::is_message(step.kind))
      step.peer = distance_of(distance, schedule.rank, step.peer, schedule.P);
    step.source = {.length = step.source.length};
    step.target = {.length = step.target.length};
  }
  schedule.rank = 0;
  schedule.input_bytes = schedule.output_bytes = schedule.scratch_bytes = 0;
  schedule.in_place = false;
  return schedule;
}

bool same(const Step& a, const Step& b) noexcept {
  const auto all = [](const Step& step) {
    return std::tuple(step.kind, step.peer, step.use, step.ordinal, step.source.length,
                      step.target.length, step.predecessors, step.first_successor,
                      step.successor_count);
  };
  return all(a) == all(b);
}

bool same(const Schedule& a, const Schedule& b) noexcept {
  return a.successors == b.successors &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [](const Step& x, const Step& y) { return same(x, y); });
}

bool earlier(const Script::Message& a, const Script::Message& b) noexcept {
  return a.peer != b.peer ? a.peer < b.peer : a.ordinal < b.ordinal;
}

std::shared_ptr<const Script> make(Distance distance, Schedule schedule) {
  auto script = std::make_shared<Script>();
  script->distance = distance;
  schedule.steps.shrink_to_fit();
  schedule.successors.shrink_to_fit();
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    const Step& step = schedule.steps[id];
    if (!collectives::is_message(step.kind)) continue;
    auto& list = collectives::receives(step.kind) ? script->receives : script->sends;
    list.push_back({step.peer, step.ordinal, id});
  }
  std::sort(script->sends.begin(), script->sends.end(), earlier);
  std::sort(script->receives.begin(), script->receives.end(), earlier);
  script->schedule = std::move(schedule);
  script->shape = std::make_shared<const collectives::Cursor::Shape>(script->schedule);
  return script;
}

StepId message_at(const std::vector<Script::Message>& list, Rank peer, Ordinal ordinal) noexcept {
  const Script::Message wanted{peer, ordinal, 0};
  const auto found = std::lower_bound(list.begin(), list.end(), wanted, earlier);
  return found == list.end() || earlier(wanted, *found) ? kNoStep : found->step;
}

}  // namespace

Rank Script::peer_of(Rank rank, const Step& step) const noexcept {
  if (distance == Distance::exclusive_or) return step.peer ^ rank;
  const Rank P = schedule.P;
  return step.peer < P - rank ? rank + step.peer : rank - (P - step.peer);
}

StepId Script::receive(Rank rank, Rank peer, Ordinal ordinal) const noexcept {
  return message_at(receives, distance_of(distance, rank, peer, schedule.P), ordinal);
}

StepId Script::send(Rank rank, Rank peer, Ordinal ordinal) const noexcept {
  return message_at(sends, distance_of(distance, rank, peer, schedule.P), ordinal);
}

std::shared_ptr<const Script> ScriptCache::script_of(Schedule schedule) {
  // As a distance a peer that is no rank would pass for one.
  for (StepId id = 0; id < schedule.steps.size(); ++id)
    if (const auto verdict = check_peer(schedule, schedule.P, id); !verdict.ok())
      throw Error(Code::internal, verdict.message);
  std::shared_ptr<const Script> made;
  for (const Distance distance : {Distance::difference, Distance::exclusive_or}) {
    Known& known = known_[index(distance)];
    if (known.misses_in_a_row >= kMostMisses) continue;
    Schedule mine = written_by(distance, schedule, free_copies_);
    const std::uint64_t digest = mine.digest();
    const auto [first, last] = known.by_digest.equal_range(digest);
    for (auto it = first; it != last; ++it)
      if (same(it->second->schedule, mine)) {
        known.misses_in_a_row = 0;
        return it->second;
      }
    if (++known.misses_in_a_row == kMostMisses) known.by_digest.clear();
    auto script = make(distance, std::move(mine));
    if (known.misses_in_a_row < kMostMisses) known.by_digest.emplace(digest, script);
    if (!made) made = std::move(script);
  }
  ++made_;
  if (made) return made;
  constexpr Distance distance = Distance::difference;
  return make(distance, written_by(distance, std::move(schedule), free_copies_));
}

}  // namespace tutti::models
