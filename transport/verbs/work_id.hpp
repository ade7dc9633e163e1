// What a work request carries and its completion gives back: whose it is. All links share one
// completion queue. Pure.
#pragma once

#include <cstdint>

namespace tutti::transport::verbs {

// A receive (bit 63) or a send; the peer; and for sends the number of the work request, cut to 40
// bits.
class WorkId {
 public:
  explicit constexpr WorkId(std::uint64_t word) : word_(word) {}
  static constexpr WorkId receive(int peer) {
    return WorkId(kReceive | static_cast<std::uint64_t>(peer) << kNumberBits);
  }
  static constexpr WorkId send(int peer, std::uint64_t number) {
    return WorkId(static_cast<std::uint64_t>(peer) << kNumberBits | (number & kNumberMask));
  }

  constexpr std::uint64_t word() const { return word_; }
  constexpr bool is_receive() const { return (word_ & kReceive) != 0; }
  constexpr int peer() const { return static_cast<int>((word_ & ~kReceive) >> kNumberBits); }
  // The whole number, if `newest` is at or above it, and by far less than 2^40.
  constexpr std::uint64_t number(std::uint64_t newest) const {
    return newest - ((newest - word_) & kNumberMask);
  }

 private:
  static constexpr std::uint64_t kReceive = std::uint64_t{1} << 63;
  static constexpr int kNumberBits = 40;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

  std::uint64_t word_;
};

}  // namespace tutti::transport::verbs
