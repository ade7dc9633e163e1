// All ranks of one collective together: their schedules, which send meets which receive, and how
// far each rank is. A World knows nothing of what a message needs in order to pass (its receive, a
// free slot, a round, time): whoever drives it decides that. So the verifier, the counting of
// rounds, tests and simulators are loops over ready(), partner() and done(). Pure.
//
// Memory is linear in the steps of all ranks: nothing is kept for pairs of ranks without messages.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "collectives/analysis/verdict.hpp"
#include "collectives/schedule/cursor.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// A step of a rank.
struct Place {
  Rank rank;
  StepId id;
  friend bool operator==(const Place&, const Place&) = default;
};

// Numbers the steps of all ranks: rank by rank, in the order of ids. For tables with a row a step.
using StepNumber = std::uint32_t;

class World {
 public:
  // The schedules of ranks 0, 1, …, P − 1, each well formed (check_form()). Borrowed: they must
  // outlive the World and stay as they are.
  explicit World(std::span<const Schedule> schedules);
  // Makes the schedules one after the other, and keeps them.
  World(int P, const std::function<Schedule(Rank)>& schedule_of);
  World(World&&) = default;

  int P() const noexcept { return static_cast<int>(schedules_.size()); }
  const Schedule& schedule(Rank rank) const noexcept { return schedules_[index(rank)]; }
  const Step& step(Place place) const noexcept { return schedule(place.rank).steps[place.id]; }
  StepNumber number(Place place) const noexcept { return first_[index(place.rank)] + place.id; }
  std::size_t steps() const noexcept { return first_.back(); }  // of all ranks

  // Do sends and receives pair off by (sender, receiver, ordinal), with equal lengths, and are all
  // peers among the ranks? If not, the rest of the class must not be used.
  const Verdict& messages() const noexcept { return messages_; }
  // The other end of a message.
  Place partner(Place message) const noexcept {
    return {step(message).peer, partner_[number(message)]};
  }
  // The number of a message's pair (sender, receiver) among the pairs with messages, from 0 on.
  std::uint32_t pair(Place message) const noexcept { return pair_[number(message)]; }
  std::size_t pairs() const noexcept { return pairs_; }

  // Nothing has been done, nothing taken.
  void reset() noexcept;
  // The steps of `rank` that could run and were not taken.
  std::span<const StepId> ready(Rank rank) const noexcept { return cursors_[index(rank)].ready(); }
  // Takes all steps of `rank` that are ready, and those that become so meanwhile, and calls
  // serve(Place) for each, which may call done() for this and for other steps.
  template <class Serve>
  void take_ready(Rank rank, Serve&& serve) {
    Cursor& cursor = cursors_[index(rank)];
    while (!cursor.ready().empty()) {
      const auto taken = cursor.ready();
      cursor.take_all();
      for (const StepId id : taken) serve(Place{rank, id});
    }
  }
  // A step that was taken is complete.
  void done(Place place) noexcept {
    Cursor& cursor = cursors_[index(place.rank)];
    cursor.done(place.id);
    unfinished_ -= cursor.finished() ? 1 : 0;
  }
  bool finished(Rank rank) const noexcept { return cursors_[index(rank)].finished(); }
  bool finished() const noexcept { return unfinished_ == 0; }

 private:
  struct Inbox;
  void prepare();
  Verdict match();
  Verdict pair_off(Rank to, Inbox& inbox);

  std::vector<Schedule> own_;
  std::span<const Schedule> schedules_;
  std::vector<StepNumber> first_;    // of each rank, and one past the end
  std::vector<StepId> partner_;      // by step: the other end's id; kNoStep: no message
  std::vector<std::uint32_t> pair_;  // by step
  std::uint32_t pairs_ = 0;
  Verdict messages_;
  std::vector<Cursor> cursors_;
  int unfinished_ = 0;  // ranks
};

}  // namespace tutti::collectives
