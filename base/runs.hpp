// Runs: where the bytes of elements of a datatype lie in memory, one run of bytes after another,
// for those who pass addresses and lengths on, such as to the kernel. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "base/packing.hpp"

namespace tutti {

struct ByteRun {
  std::byte* first;
  Bytes bytes;
};

// The first runs of those that hold the bytes number `begin` to `end` (not included), in the order
// in which these travel. Runs that meet in memory are one.
class RunList {
 public:
  // `room` must outlive this, and is filled as far as there are runs.
  explicit RunList(std::span<ByteRun> room) noexcept : room_(room) {}

  // Appends. false: there is no more room; bytes() says how far the runs reach.
  bool append(const TypedBytes& typed, Bytes begin, Bytes end) noexcept;

  std::span<const ByteRun> taken() const noexcept { return room_.first(taken_); }
  Bytes bytes() const noexcept { return bytes_; }  // of all runs together

 private:
  bool iterations(const Loop& loop, const Loop* parts, std::byte* first, Bytes begin) noexcept;
  bool one(const Loop& loop, const Loop* parts, std::byte* first, Bytes begin) noexcept;
  bool append(std::byte* first, Bytes bytes) noexcept;

  std::span<ByteRun> room_;
  std::size_t taken_ = 0;
  Bytes bytes_ = 0;
  // While append() works.
  const Typemap* map_ = nullptr;
  Bytes left_ = 0;
};

}  // namespace tutti
