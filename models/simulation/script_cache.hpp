// Keeps one copy of the schedules of ranks that do the same: the same steps, with peers at the same
// distance, whatever the rank. In a regular algorithm all ranks share a few scripts, so 100,000
// ranks need the memory of a few. Whether two schedules are alike is compared, not assumed. Pure.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/cursor.hpp"

namespace tutti::models {

// How a peer is written, so that ranks can share it: as (peer − rank) mod P, or as peer ^ rank.
enum class Distance : std::uint8_t { difference, exclusive_or };

struct Script {
  // Peers are distances; slices have lengths, and no places.
  collectives::Schedule schedule;
  // The steps that send and those that receive, in ascending order of (peer, ordinal).
  struct Message {
    Rank peer;
    Ordinal ordinal;
    collectives::StepId step;
  };
  std::vector<Message> sends, receives;
  Distance distance = Distance::difference;
  std::shared_ptr<const collectives::Cursor::Shape> shape;  // of `schedule`

  Rank peer_of(Rank rank, const collectives::Step& step) const noexcept;
  // The step that receives from (sends to) `peer` the message of this ordinal; kNoStep: none does.
  collectives::StepId receive(Rank rank, Rank peer, Ordinal ordinal) const noexcept;
  collectives::StepId send(Rank rank, Rank peer, Ordinal ordinal) const noexcept;
  // Calls visit(to) once for each rank that `rank` sends to.
  template <class Visit>
  void each_destination(Rank rank, Visit&& visit) const {
    const Message* before = nullptr;
    for (const Message& send : sends) {  // those to one rank follow each other
      if (!before || before->peer != send.peer) visit(peer_of(rank, schedule.steps[send.step]));
      before = &send;
    }
  }
};

class ScriptCache {
 public:
  // If copies are free, how long they are does not tell schedules apart: in a script they are
  // joins.
  explicit ScriptCache(bool free_copies = false) : free_copies_(free_copies) {}
  // The script of this schedule, which others may have. Throws Error{internal}: a peer is no rank.
  std::shared_ptr<const Script> script_of(collectives::Schedule schedule);
  std::size_t scripts() const noexcept { return made_; }

 private:
  struct Known {
    std::unordered_multimap<std::uint64_t, std::shared_ptr<const Script>> by_digest;
    int misses_in_a_row = 0;
  };
  bool free_copies_;
  Known known_[2];  // by distance
  std::size_t made_ = 0;
};

}  // namespace tutti::models
