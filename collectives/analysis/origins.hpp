// Where the bytes of one buffer came from, as extents: neighbours that came from neighbours are one
// extent, so the cost depends on how scattered the data are, not on how many. Pure.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

// The origin of a byte: the value that it is part of (values.hpp) times kSpan, plus its place in
// the inputs from which that value is made. The bytes of an extent, from `begin` on, have the
// origins `origin`, `origin` + 1, …, or all have kUndefined.
struct Extent {
  Bytes begin = 0;
  Bytes origin = 0;
};
inline constexpr Bytes kUndefined = -1;
inline constexpr Bytes kSpan = Bytes{1} << 40;  // longer than any buffer in a proof

class Origins {
 public:
  explicit Origins(Bytes size) : size_(size), extents_{{0, kUndefined}} {}

  // Appends the extents of [at, at + length) to `out`, with begins counted from `at`.
  void read(Bytes at, Bytes length, std::vector<Extent>& out) const;

  // [at, at + length) now holds `values`, the first of which begins at 0. A length of 0 writes
  // nothing.
  void write(Bytes at, Bytes length, const std::vector<Extent>& values);

 private:
  std::size_t covering(Bytes at) const noexcept;
  Bytes size_;
  // Ascending, the first at 0; each reaches to the next one, the last to size_.
  std::vector<Extent> extents_;
};

}  // namespace tutti::collectives
