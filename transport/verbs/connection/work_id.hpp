// The word that a work request carries and its completion gives back: the owner. All links share
// completion queues. Pure.
#pragma once

#include <cstdint>

namespace tutti::transport::verbs {

// A receive (bit 63) or a send; by the larger of a link's two connections (bit 62) or by the first;
// the peer; and for sends the number of the work request, cut to 38 bits.
class WorkId {
 public:
  explicit constexpr WorkId(std::uint64_t word) : word_(word) {}
  static constexpr WorkId receive(int peer, bool large = false) {
    return WorkId(kReceive | whose(peer, large));
  }
  // A receive from any peer whose queue pair shares the queue.
  static constexpr WorkId shared_receive() { return WorkId(kReceive | whose(kAnyPeer, false)); }
  static constexpr WorkId send(int peer, std::uint64_t number, bool large = false) {
    return WorkId(whose(peer, large) | (number & kNumberMask));
  }

  constexpr std::uint64_t word() const { return word_; }
  constexpr bool is_receive() const { return (word_ & kReceive) != 0; }
  constexpr bool is_shared() const { return word_ == shared_receive().word_; }
  constexpr bool is_large() const { return (word_ & kLarge) != 0; }
  constexpr int peer() const {
    return static_cast<int>((word_ & ~(kReceive | kLarge)) >> kNumberBits);
  }
  // The whole number, if `newest` is at or above it, and by far less than 2^38.
  constexpr std::uint64_t number(std::uint64_t newest) const {
    return newest - ((newest - word_) & kNumberMask);
  }

 private:
  static constexpr std::uint64_t kReceive = std::uint64_t{1} << 63, kLarge = kReceive >> 1;
  static constexpr int kNumberBits = 38;
  static constexpr int kAnyPeer = (1 << (62 - kNumberBits)) - 1;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;
  static constexpr std::uint64_t whose(int peer, bool large) {
    return (large ? kLarge : 0) | static_cast<std::uint64_t>(peer) << kNumberBits;
  }

  std::uint64_t word_;
};

}  // namespace tutti::transport::verbs
