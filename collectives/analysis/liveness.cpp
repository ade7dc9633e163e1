// Runs all ranks over the strictest channels, one step after another, without a clock.
#include "collectives/analysis/liveness.hpp"

#include <fmt/format.h>

#include <vector>

#include "collectives/analysis/form.hpp"
#include "collectives/analysis/knowledge.hpp"

namespace tutti::collectives {
namespace {

// The state of either channel: which ends of messages are ready and wait.
class Wire {
 protected:
  explicit Wire(World& world) : world_(world), posted_(world.steps()) { world.reset(); }

  char& posted(Place place) { return posted_[world_.number(place)]; }

  // Some end that waits; nothing if all ranks have finished.
  Verdict verdict() {
    for (Rank rank = 0; rank < world_.P() && !world_.finished(); ++rank) {
      for (StepId id = 0; id < world_.schedule(rank).steps.size(); ++id) {
        if (posted({rank, id}))
          return {Violation::deadlock,
                  fmt::format("{} waits for ever for {}", describe(world_.schedule(rank), id),
                              blocker({rank, id}))};
      }
    }
    return {};
  }

  World& world_;

 private:
  std::string blocker(Place place) {
    const Place other = world_.partner(place);
    return describe(world_.schedule(other.rank), other.id) +
           (posted(other) ? ", the slot between them being full" : ", which does not get ready");
  }

  std::vector<char> posted_;  // by step
};

class Rendezvous : Wire {
 public:
  Rendezvous(World& world, std::span<const Problem> problems)
      : Wire(world), knowledge_(world, problems) {}

  Verdict run() {
    for (Rank rank = 0; rank < world_.P(); ++rank) pending_.push_back(rank);
    while (!pending_.empty()) {
      const Rank rank = pending_.back();
      pending_.pop_back();
      world_.take_ready(rank, [&](Place place) { serve(place); });
    }
    Verdict stuck = verdict();
    return stuck.ok() ? knowledge_.verdict() : stuck;
  }

 private:
  void serve(Place place) {
    const StepKind kind = world_.step(place).kind;
    if (!is_message(kind)) {
      knowledge_.local(place);
      complete(place);
      return;
    }
    const Place other = world_.partner(place);
    if (!posted(other)) {
      posted(place) = 1;
      return;
    }
    posted(other) = 0;
    const bool sends = kind == StepKind::send;
    knowledge_.message(sends ? place : other, sends ? other : place);
    complete(place);
    complete(other);
    pending_.push_back(other.rank);
  }

  void complete(Place place) {
    knowledge_.done(place);
    world_.done(place);
  }

  Knowledge knowledge_;
  std::vector<Rank> pending_;  // ranks that may have ready steps
};

class Eager : Wire {
 public:
  Eager(World& world, bool newest_first)
      : Wire(world),
        newest_first_(newest_first),
        slots_(world.pairs()),
        after_(world.steps(), kNoStep) {}

  Verdict run() {
    for (Rank rank = 0; rank < world_.P(); ++rank) pending_.push_back(rank);
    for (std::size_t oldest = 0; oldest < pending_.size();) {
      const Rank rank = newest_first_ ? pending_.back() : pending_[oldest];
      if (newest_first_)
        pending_.pop_back();
      else
        ++oldest;
      world_.take_ready(rank, [&](Place place) { serve(place); });
    }
    return verdict();
  }

 private:
  // Sends that wait for the slot are a list through after_.
  struct Slot {
    StepId message = kNoStep;  // the send whose message lies in the slot
    StepId first_waiting = kNoStep, last_waiting = kNoStep;
  };

  void serve(Place place) {
    const Step& step = world_.step(place);
    if (!is_message(step.kind)) {
      world_.done(place);
      return;
    }
    posted(place) = 1;
    Slot& slot = slots_[world_.pair(place)];
    if (step.kind == StepKind::send) {
      wait(slot, place);
      move(slot, place.rank);
    } else {
      move(slot, step.peer);
    }
  }

  // Fills and empties the slot as long as anything moves.
  void move(Slot& slot, Rank sender) {
    for (;;) {
      if (slot.message == kNoStep) {
        if (slot.first_waiting == kNoStep) return;
        slot.message = slot.first_waiting;
        slot.first_waiting = after({sender, slot.message});
        finish({sender, slot.message});
      }
      const Place receive = world_.partner({sender, slot.message});
      if (!posted(receive)) return;
      slot.message = kNoStep;
      finish(receive);
    }
  }

  StepId& after(Place send) { return after_[world_.number(send)]; }

  void wait(Slot& slot, Place send) {
    if (slot.first_waiting == kNoStep) {
      slot.first_waiting = slot.last_waiting = send.id;
    } else if (newest_first_) {
      after(send) = slot.first_waiting;
      slot.first_waiting = send.id;
    } else {
      after({send.rank, slot.last_waiting}) = send.id;
      slot.last_waiting = send.id;
    }
  }

  void finish(Place place) {
    posted(place) = 0;
    world_.done(place);
    pending_.push_back(place.rank);
  }

  const bool newest_first_;
  std::vector<Slot> slots_;    // by pair of ranks
  std::vector<StepId> after_;  // by step
  std::vector<Rank> pending_;  // ranks that may have ready steps
};

}  // namespace

Verdict run_rendezvous(World& world, std::span<const Problem> problems) {
  return Rendezvous{world, problems}.run();
}

Verdict run_eager(World& world, bool newest_first) { return Eager{world, newest_first}.run(); }

}  // namespace tutti::collectives
