// A range of bytes cut into parts, one for each rank; and the shape of the caller's buffers. Pure
// data.
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// a modulo P, never negative.
constexpr int mod(int a, int P) noexcept { return ((a % P) + P) % P; }

// Parts that lie one after another. An index is taken modulo their number, as in textbooks.
class Blocks {
 public:
  // As equal as whole elements allow: the first parts are one element longer, and the last one also
  // takes the bytes that make no whole element.
  static Blocks even(const Slice& whole, int parts, Bytes element = 1);
  // Parts of the given lengths, from `offset` of `buffer` on.
  static Blocks sized(Buffer buffer, Bytes offset, std::span<const Bytes> lengths);

  int parts() const noexcept { return static_cast<int>(starts_.size()) - 1; }
  Slice operator[](int index) const noexcept { return range(index, 1); }
  // `count` parts from `first` on, which is taken modulo parts(). They must not wrap: a slice is
  // contiguous.
  Slice range(int first, int count) const noexcept {
    const std::size_t from = index(mod(first, parts())), to = from + index(count);
    assert(to < starts_.size() && "a slice is contiguous");
    return {buffer_, starts_[from], starts_[to] - starts_[from]};
  }
  bool wraps(int first, int count) const noexcept { return mod(first, parts()) + count > parts(); }
  // The bytes of `count` ≤ parts() parts from `first` on, around the end.
  Bytes bytes(int first, int count) const noexcept {
    if (!wraps(first, count)) return range(first, count).length;
    const int until_end = parts() - mod(first, parts());
    return range(first, until_end).length + range(0, count - until_end).length;
  }
  Slice whole() const noexcept {
    return {buffer_, starts_.front(), starts_.back() - starts_.front()};
  }
  // The same parts, beginning where `place` does.
  Blocks at(const Slice& place) const;
  std::vector<Bytes> lengths() const;

 private:
  Blocks(Buffer buffer, std::vector<Bytes> starts) : buffer_(buffer), starts_(std::move(starts)) {}
  Buffer buffer_;
  std::vector<Bytes> starts_;  // of each part, and the end of the last
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
