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
// A copy of a communicator needs no vote if all members count the copies alike: its number belongs
// to the communicator that was copied, and to so many copies of it; see Copies.
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
  // The first one of the upper half, and those of copies, which are not voted on.
  static constexpr Proposal kUpper = Proposal{1} << 31, kEnd = Proposal{3} << 30;

  // Only numbers of the upper half may be taken on some rank.
  static constexpr bool may_be_taken(Proposal agreed) noexcept { return agreed >= kUpper; }
  // No number is left. Other ranks may still propose less; they hear of it by the largest.
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
    if (id >= kEnd) return;
    Proposal& next = id < kUpper ? lower_ : upper_;
    next = std::max(next, Proposal{id} + 1);
  }

 private:
  Proposal lower_ = 1, upper_ = kUpper;  // the next ones
  bool one_votes_ = false;
};

// The numbers of a communicator's copies, in the order in which its members make them, which is the
// same on all of them. Half of these numbers are of copies of MPI_COMM_WORLD. The others are in
// blocks, one for each of the communicators that were voted on first, and one for each of the first
// copies of MPI_COMM_WORLD. All others have none, and so have those that have used theirs up: then
// their copies are voted on.
class Copies {
 public:
  Copies() = default;
  static Copies of_world() noexcept { return {kFirst, kFirst + kOfWorld}; }
  // The copies of another communicator.
  static Copies of(CommunicatorId id) noexcept {
    if (id < kBlocks) return block(id);
    if (id >= kFirst && id - kFirst < kBlocks) return block(kBlocks + (id - kFirst));
    return {};
  }
  // 0: there is none left.
  CommunicatorId next() noexcept { return next_ == end_ ? 0 : next_++; }

 private:
  static constexpr auto kFirst = static_cast<CommunicatorId>(Identifiers::kEnd);
  static constexpr CommunicatorId kOfWorld = 1u << 29;
  static constexpr CommunicatorId kBlock = 1u << 16, kBlocks = 1u << 12;  // of each kind
  static_assert(std::uint64_t{kFirst} + kOfWorld + 2 * std::uint64_t{kBlocks} * kBlock ==
                std::uint64_t{1} << 32);
  Copies(CommunicatorId first, CommunicatorId end) noexcept : next_(first), end_(end) {}
  static Copies block(CommunicatorId which) noexcept {
    const CommunicatorId first = kFirst + kOfWorld + which * kBlock;
    return {first, first + (kBlock - 1)};  // the last end would be 2^32
  }

  CommunicatorId next_ = 0, end_ = 0;
};

}  // namespace tutti
