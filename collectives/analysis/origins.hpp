// Where the bytes of one buffer came from, as runs: neighbours that came from neighbours are one
// run, so the cost depends on how scattered the data is, not on how much it is. Pure.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

// A byte's origin is the value it is part of (values.hpp) times kSpan, plus its place in the input
// that the value speaks of. From `begin` on the bytes came from `origin`, `origin` + 1, …;
// kUndefined stays itself.
struct Run {
  Bytes begin = 0;
  Bytes origin = 0;
};
inline constexpr Bytes kUndefined = -1;
inline constexpr Bytes kSpan = Bytes{1} << 40;  // longer than any buffer in a proof

class Origins {
 public:
  explicit Origins(Bytes size) : size_(size), runs_{{0, kUndefined}} {}

  // Appends the runs of [at, at + length) to `out`, their begins counted from `at`.
  void read(Bytes at, Bytes length, std::vector<Run>& out) const;

  // [at, at + length) now holds `values`, whose first begin is 0. A length of 0 writes nothing.
  void write(Bytes at, Bytes length, const std::vector<Run>& values);

  const std::vector<Run>& runs() const noexcept { return runs_; }

 private:
  std::size_t covering(Bytes at) const noexcept;
  Bytes size_;
  std::vector<Run> runs_;  // ascending, the first at 0; each up to the next, the last up to size_
};

}  // namespace tutti::collectives
