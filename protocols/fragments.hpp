// How a broadcast by datagrams is cut: into fragments of one datagram each, and windows of
// fragments; and sets of fragments of one window. All ranks cut alike. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace tutti::protocols {

// Neighbouring fragments of one window.
struct Run {
  std::uint32_t first = 0, length = 0;  // `first` counts from the window's beginning
};

// The place of every fragment of one message. The last fragment and the last window may be shorter.
class Fragments {
 public:
  Fragments() = default;
  // `payload`: bytes a fragment; `window`: fragments a window.
  Fragments(Bytes bytes, std::uint32_t payload, std::uint32_t window)
      : bytes_(bytes),
        payload_(payload),
        window_(window),
        count_(static_cast<std::uint32_t>(divide_up(bytes, payload))),
        windows_(divide_up(count_, window)) {}

  Bytes bytes() const noexcept { return bytes_; }
  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t windows() const noexcept { return windows_; }
  std::uint32_t count_in(std::uint32_t window) const noexcept {
    return std::min(window_, count_ - first_of(window));
  }
  std::uint32_t first_of(std::uint32_t window) const noexcept { return window * window_; }
  std::uint32_t window_of(std::uint32_t fragment) const noexcept { return fragment / window_; }
  std::uint32_t place_of(std::uint32_t fragment) const noexcept { return fragment % window_; }

  // Where `count` neighbouring fragments lie in the message, in bytes.
  Bytes offset(std::uint32_t fragment) const noexcept { return Bytes{fragment} * payload_; }
  Bytes length(std::uint32_t fragment, std::uint32_t count = 1) const noexcept {
    return std::min(offset(fragment) + Bytes{count} * payload_, bytes_) - offset(fragment);
  }

 private:
  Bytes bytes_ = 0;
  std::uint32_t payload_ = 1, window_ = 1, count_ = 0, windows_ = 0;
};

// Fragments of one window, by their place in it. Goes over the wire as it is.
class FragmentSet {
 public:
  static constexpr std::uint32_t kMost = 256;  // places; so a set and a length fit one cache line

  static FragmentSet first(std::uint32_t count) noexcept {
    FragmentSet set;
    for (std::uint32_t place = 0; place < count; ++place) set.insert(place);
    return set;
  }
  bool has(std::uint32_t place) const noexcept { return words_[place / 64] >> place % 64 & 1; }
  void insert(std::uint32_t place) noexcept {
    words_[place / 64] |= std::uint64_t{1} << place % 64;
  }
  void erase(const Run& run) noexcept {
    for (std::uint32_t place = run.first; place < run.first + run.length; ++place)
      words_[place / 64] &= ~(std::uint64_t{1} << place % 64);
  }
  std::uint32_t size() const noexcept {
    int size = 0;
    for (const std::uint64_t word : words_) size += std::popcount(word);
    return static_cast<std::uint32_t>(size);
  }
  bool empty() const noexcept { return *this == FragmentSet{}; }
  // The first run; of an empty set one of no fragments.
  Run first_run() const noexcept {
    const std::uint32_t begin = next(0, true);
    return {begin, next(begin, false) - begin};
  }

  friend FragmentSet operator&(FragmentSet a, const FragmentSet& b) noexcept {
    for (std::size_t w = 0; w < a.words_.size(); ++w) a.words_[w] &= b.words_[w];
    return a;
  }
  friend FragmentSet operator-(FragmentSet a, const FragmentSet& b) noexcept {
    for (std::size_t w = 0; w < a.words_.size(); ++w) a.words_[w] &= ~b.words_[w];
    return a;
  }
  friend bool operator==(const FragmentSet&, const FragmentSet&) = default;

 private:
  // The first place from `place` on that is in the set, or is not; kMost if there is none.
  std::uint32_t next(std::uint32_t place, bool in) const noexcept {
    for (; place < kMost; place = (place / 64 + 1) * 64) {
      const std::uint64_t word = in ? words_[place / 64] : ~words_[place / 64];
      if (const std::uint64_t rest = word >> place % 64)
        return place + static_cast<std::uint32_t>(std::countr_zero(rest));
    }
    return kMost;
  }
  std::array<std::uint64_t, kMost / 64> words_{};
};

}  // namespace tutti::protocols
