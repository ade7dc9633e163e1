// Follows the paths round by round, those that have got farthest. Pure.
#include "models/decision/walk.hpp"

#include <algorithm>
#include <array>

namespace tutti::models::families {
namespace {

constexpr std::size_t kFollowed = 8;

// Where a path is.
struct Position {
  int part;   // ranks that the rank has to reach, with itself
  int at;     // the rank, within its node
  int given;  // ranks after it that others have, if it keeps the farthest
  Walk walk{};
  std::uint64_t sent = 0;  // rounds in which this rank has sent to other nodes

  bool is_as(const Position& other) const noexcept {
    return part == other.part && at == other.at && given == other.given;
  }
  // A crossing takes about two messages of a port.
  int way() const noexcept {
    return 2 * std::popcount(walk.leaves) + std::popcount(walk.stays | sent);
  }
};

class Positions {
 public:
  // The longer one of two ways to the same position counts.
  void add(const Position& one) noexcept {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto same =
        std::find_if(all_.begin(), end, [&](const Position& other) { return other.is_as(one); });
    if (same == end)
      all_[count_++] = one;
    else if (one.way() > same->way())
      *same = one;
  }
  void drop_those_behind() noexcept {
    if (count_ <= kFollowed) return;
    std::partial_sort(all_.begin(), all_.begin() + kFollowed,
                      all_.begin() + static_cast<std::ptrdiff_t>(count_),
                      [](const Position& a, const Position& b) { return a.way() > b.way(); });
    count_ = kFollowed;
  }
  const Position* begin() const noexcept { return all_.data(); }
  const Position* end() const noexcept { return all_.data() + count_; }

 private:
  std::array<Position, 2 * kFollowed> all_;
  std::size_t count_ = 0;
};

}  // namespace

// The smaller half of a part goes to the rank that begins it.
Walk longest_walk(const Topology& place, bool keeps_nearest) noexcept {
  Walk longest;
  Positions positions;
  positions.add({place.P, 0, 0});
  for (std::uint64_t round = 1; positions.begin() != positions.end(); round *= 2) {
    Positions next;
    const auto reach = [&](const Position& one) {
      if (one.part > 1)
        next.add(one);
      else if (one.walk.is_longer_than(longest))
        longest = one.walk;
    };
    for (const Position& from : positions) {
      const int child = from.part / 2;
      const int beyond = from.at + (keeps_nearest ? from.part - child : from.given + 1);
      const std::uint64_t far = beyond >= place.q ? round : 0;
      const int given = keeps_nearest ? 0 : from.given + child;
      reach({from.part - child, from.at, given, from.walk, from.sent | far});
      Walk gone{from.walk.leaves | far, from.walk.stays};
      if (far != 0) gone.stays |= from.sent;
      reach({child, beyond % place.q, 0, gone});
    }
    next.drop_those_behind();
    positions = next;
  }
  return longest;
}

}  // namespace tutti::models::families
