// Recursive halving with the nearest partner first, and the way back. Pure.
#pragma once

#include <algorithm>
#include <utility>

#include "base/types.hpp"

namespace tutti::collectives {

// A rank's share of 2^n pieces, `count` from `first` on, and its partner's, from `other` on.
class Halves {
 public:
  Halves(Rank rank, int pieces) : count(pieces), rank_(rank) {}
  int count, first = 0, other = 0;
  // Shares what it has with the partner at this distance.
  void halve(int distance) noexcept {
    count /= 2;
    other = first + count;
    if ((rank_ & distance) != 0) std::swap(first, other);
  }
  // Takes the partner's back, and then looks at the partner of half the distance.
  void join(int distance) noexcept {
    first = std::min(first, other);
    count *= 2;
    other = first + ((rank_ & (distance / 2)) != 0 ? -count : count);
  }

 private:
  Rank rank_;
};

}  // namespace tutti::collectives
