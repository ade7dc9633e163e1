// Identifiers: what this rank proposes as the identifier of a new communicator. All ranks that make
// it propose one, and the largest is agreed on.
//
// A number must differ from those of all communicators that any two members share, though threads
// make several at once. One vote is enough for that if no rank takes part in two at a time:
// * A rank proposes a number of the lower half for one communicator at a time, and none that is
//   less than one it has agreed on before. So the agreed number, which is no less than what any
//   member proposed, is greater than all earlier ones of the lower half on each of them.
// * Meanwhile its other threads propose numbers of the upper half. These are larger, so one such
//   proposal is enough: all ranks get a number of the upper half. It may be taken on some rank,
//   whose other threads agree on others meanwhile, so they ask for that in a second vote.
// No thread waits for another, which could wait for ranks that wait for this one.
//
// Identifiers do not come again: who would be beyond the last one gets an error, on all ranks.
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/types.hpp"

namespace tutti {

class Identifiers {
 public:
  using Proposal = std::int64_t;
  static constexpr Proposal kUpper = Proposal{1} << 31, kEnd = Proposal{1} << 32;

  // Only numbers of the upper half may be taken on some rank.
  static constexpr bool may_be_taken(Proposal agreed) noexcept { return agreed >= kUpper; }
  // There are none left. Other ranks may still propose less; they hear of it by the largest.
  static constexpr bool used_up(Proposal agreed) noexcept { return agreed >= kEnd; }

  // A vote begins. Each has an object of its own, which says whether it is the only one, and
  // whether what was agreed on in it was taken here. Then the next proposal is above all that this
  // rank knows: others would try these one by one.
  struct Vote {
    bool first = false, refused = false;
  };
  Proposal propose(Vote& vote) noexcept {
    if (vote.refused) return upper_++;
    vote.first = !std::exchange(one_votes_, true);
    return vote.first && lower_ < kUpper ? lower_ : upper_++;
  }
  // It has ended, or this rank has given up.
  void end(Vote& vote) noexcept {
    if (std::exchange(vote.first, false)) one_votes_ = false;
  }
  // A communicator has this number; before the end of the vote that gave it.
  void note(CommunicatorId id) noexcept {
    Proposal& next = id < kUpper ? lower_ : upper_;
    next = std::max(next, Proposal{id} + 1);
  }

 private:
  Proposal lower_ = 1, upper_ = kUpper;  // the next ones
  bool one_votes_ = false;
};

}  // namespace tutti
