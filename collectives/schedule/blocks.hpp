// A range of bytes cut into parts, one for each rank; and the shape of the caller's buffers. Pure
// data.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// a modulo P, never negative.
constexpr int mod(int a, int P) noexcept { return ((a % P) + P) % P; }

// Parts that lie one after another. An index is taken modulo their number, as in textbooks. Even
// parts are computed, not stored: a rank that sends to few of P ranks need not pay for all P.
class Blocks {
 public:
  // As equal as whole elements allow: the first parts are one element longer, and the last one also
  // takes the bytes that make no whole element.
  static Blocks even(const Slice& whole, int parts, Bytes element = 1);
  // Each of `length` bytes, from the beginning of the buffer on.
  static Blocks equal(Buffer buffer, int parts, Bytes length) {
    return even({buffer, 0, parts * length}, parts, std::max(length, Bytes{1}));
  }
  // Parts of the given lengths, from `offset` of `buffer` on.
  static Blocks sized(Buffer buffer, Bytes offset, std::span<const Bytes> lengths);

  int parts() const noexcept { return parts_; }
  Slice operator[](int index) const noexcept { return range(index, 1); }
  // `count` parts from `first` on, which is taken modulo parts(). They must not wrap: a slice is
  // contiguous.
  Slice range(int first, int count) const noexcept {
    const int from = mod(first, parts_), to = from + count;
    assert(to <= parts_ && "a slice is contiguous");
    return {buffer_, offset_ + start(from), start(to) - start(from)};
  }
  bool wraps(int first, int count) const noexcept { return mod(first, parts()) + count > parts(); }
  // The bytes of `count` ≤ parts() parts from `first` on, around the end.
  Bytes bytes(int first, int count) const noexcept {
    if (!wraps(first, count)) return range(first, count).length;
    const int until_end = parts() - mod(first, parts());
    return range(first, until_end).length + range(0, count - until_end).length;
  }
  Slice whole() const noexcept { return {buffer_, offset_, start(parts_)}; }
  // All parts from this one on are empty: even parts of fewer elements than parts are.
  int filled() const noexcept {
    const bool few = starts_.empty() && each_ == 0 && length_ == longer_ * element_;
    return few ? static_cast<int>(longer_) : parts_;
  }
  // The same parts, beginning where `place` does.
  Blocks at(const Slice& place) const;
  std::vector<Bytes> lengths() const;

 private:
  Blocks(Buffer buffer, Bytes offset, int parts) noexcept
      : buffer_(buffer), offset_(offset), parts_(parts) {}
  // Where a part begins, from offset_ on; of the part after the last one: the end.
  Bytes start(int part) const noexcept {
    if (!starts_.empty()) return starts_[index(part)];
    return part == parts_ ? length_ : (part * each_ + std::min<Bytes>(part, longer_)) * element_;
  }
  Buffer buffer_;
  Bytes offset_;
  int parts_;
  std::vector<Bytes> starts_;  // empty: the parts are even
  // If the parts are even: all bytes; elements of each; parts with one more; bytes of an element.
  Bytes length_ = 0, each_ = 0, longer_ = 0, element_ = 1;
};

// The shape of the caller's buffers. With in_place the input is the part of the output from
// `input_within_output` on, and Builder turns every mention of Buffer::input into one of
// Buffer::output.
struct UserBuffers {
  Bytes input = 0;
  Bytes output = 0;
  bool in_place = false;
  Bytes input_within_output = 0;
};

}  // namespace tutti::collectives
