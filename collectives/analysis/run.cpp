// Simulation of all ranks with one Cursor each; no clock. Data is followed in the rendezvous run
// only: a schedule whose conflicting steps are ordered has the same result in every execution.
#include "collectives/analysis/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/cursor.hpp"
#include "collectives/analysis/knowledge.hpp"

namespace tutti::collectives {
namespace {

class Simulation {
 public:
  Simulation(std::span<const Schedule> all_ranks, const Matching& matching)
      : ranks_(all_ranks), matching_(matching), posted_(matching.partner.size()) {
    cursors_.reserve(all_ranks.size());
    for (const Schedule& schedule : all_ranks) cursors_.emplace_back(schedule);
  }

 protected:
  struct Place {
    std::size_t rank;
    StepId id;
  };

  const Step& step(Place place) const { return ranks_[place.rank].steps[place.id]; }
  AnyStep any(Place place) const { return matching_.first[place.rank] + place.id; }
  Place partner(Place place) const {
    const auto rank = static_cast<std::size_t>(step(place).peer);
    return {rank, matching_.partner[any(place)] - matching_.first[rank]};
  }

  // Some step that is ready and cannot complete.
  Verdict verdict() const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (cursors_[rank].finished()) continue;
      for (StepId id = 0; id < ranks_[rank].steps.size(); ++id) {
        if (!posted_[any({rank, id})]) continue;
        return {Violation::deadlock, fmt::format("{} waits for ever for {}",
                                                 describe(ranks_[rank], id), blocker({rank, id}))};
      }
    }
    return {};
  }

  std::span<const Schedule> ranks_;
  const Matching& matching_;
  std::vector<Cursor> cursors_;
  std::vector<char> posted_;  // by AnyStep: a message step is ready and not complete

 private:
  std::string blocker(Place place) const {
    const Place other = partner(place);
    const bool both = posted_[any(other)] != 0;
    return describe(ranks_[other.rank], other.id) +
           (both ? ", the slot between them being full" : ", which does not get ready");
  }
};

class Rendezvous : Simulation {
 public:
  Rendezvous(std::span<const Schedule> all_ranks, const Matching& matching,
             std::span<const Problem> problems)
      : Simulation(all_ranks, matching), knowledge_(all_ranks, matching, problems) {}

  Verdict run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) pending_.push_back(rank);
    while (!pending_.empty()) {
      const std::size_t rank = pending_.back();
      pending_.pop_back();
      advance(rank);
    }
    Verdict stuck = verdict();
    return stuck.ok() ? knowledge_.verdict() : stuck;
  }

 private:
  void advance(std::size_t rank) {
    while (!cursors_[rank].ready().empty()) {
      const auto ready = cursors_[rank].ready();
      cursors_[rank].take_all();
      for (StepId id : ready) serve({rank, id});
    }
  }

  void serve(Place place) {
    if (!is_message(step(place).kind)) {
      knowledge_.local(place.rank, place.id);
      complete(place);
      return;
    }
    const Place other = partner(place);
    if (!posted_[any(other)]) {
      posted_[any(place)] = 1;
      return;
    }
    posted_[any(other)] = 0;
    const bool sends = step(place).kind == StepKind::send;
    const Place from = sends ? place : other, to = sends ? other : place;
    knowledge_.message(from.rank, from.id, to.rank, to.id);
    complete(place);
    complete(other);
    pending_.push_back(other.rank);
  }

  void complete(Place place) {
    knowledge_.done(place.rank, place.id);
    cursors_[place.rank].done(place.id);
  }

  Knowledge knowledge_;
  std::vector<std::size_t> pending_;  // ranks that may have ready steps
};

class Eager : Simulation {
 public:
  Eager(std::span<const Schedule> all_ranks, const Matching& matching, bool newest_first)
      : Simulation(all_ranks, matching),
        newest_first_(newest_first),
        slots_(matching.channels),
        after_(matching.partner.size(), kNoPartner) {}

  Verdict run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) pending_.push_back(rank);
    std::size_t oldest = 0;
    while (oldest < pending_.size()) {
      std::size_t rank;
      if (newest_first_) {
        rank = pending_.back();
        pending_.pop_back();
      } else {
        rank = pending_[oldest++];
      }
      while (!cursors_[rank].ready().empty()) {
        const auto ready = cursors_[rank].ready();
        cursors_[rank].take_all();
        for (StepId id : ready) serve({rank, id});
      }
    }
    return verdict();
  }

 private:
  // Sends that wait for the slot are a list through after_.
  struct Slot {
    AnyStep message = kNoPartner;  // the send whose message lies in the slot
    AnyStep first_waiting = kNoPartner, last_waiting = kNoPartner;
  };

  void serve(Place place) {
    const Step& mine = step(place);
    if (!is_message(mine.kind)) {
      cursors_[place.rank].done(place.id);
      return;
    }
    posted_[any(place)] = 1;
    Slot& slot = slots_[matching_.channel[any(place)]];
    const bool sends = mine.kind == StepKind::send;
    if (sends) wait(slot, any(place));
    const auto peer = static_cast<std::size_t>(mine.peer);
    move(slot, sends ? place.rank : peer, sends ? peer : place.rank);
  }

  // Fills and empties the slot as long as anything moves.
  void move(Slot& slot, std::size_t from, std::size_t to) {
    for (;;) {
      if (slot.message == kNoPartner) {
        if (slot.first_waiting == kNoPartner) return;
        slot.message = slot.first_waiting;
        slot.first_waiting = after_[slot.message];
        finish({from, slot.message - matching_.first[from]});
      }
      const AnyStep receive = matching_.partner[slot.message];
      if (!posted_[receive]) return;
      slot.message = kNoPartner;
      finish({to, receive - matching_.first[to]});
    }
  }

  void wait(Slot& slot, AnyStep send) {
    if (slot.first_waiting == kNoPartner) {
      slot.first_waiting = slot.last_waiting = send;
    } else if (newest_first_) {
      after_[send] = slot.first_waiting;
      slot.first_waiting = send;
    } else {
      after_[slot.last_waiting] = send;
      slot.last_waiting = send;
    }
  }

  void finish(Place place) {
    posted_[any(place)] = 0;
    cursors_[place.rank].done(place.id);
    pending_.push_back(place.rank);
  }

  bool newest_first_;
  std::vector<Slot> slots_;
  std::vector<AnyStep> after_;
  std::vector<std::size_t> pending_;
};

}  // namespace

Verdict run_rendezvous(std::span<const Schedule> all_ranks, const Matching& matching,
                       std::span<const Problem> problems) {
  return Rendezvous{all_ranks, matching, problems}.run();
}

Verdict run_eager(std::span<const Schedule> all_ranks, const Matching& matching,
                  bool newest_first) {
  return Eager{all_ranks, matching, newest_first}.run();
}

}  // namespace tutti::collectives
