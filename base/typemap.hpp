// Typemap: where the bytes of one element of a datatype lie, in the order in which they travel, as
// nested loops over runs of bytes. Pure: knows nothing of MPI.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace tutti {

struct Loop {
  Bytes offset = 0;  // of the first iteration, from where that begins of which this is a part
  Bytes count = 0;   // iterations
  Bytes stride = 0;  // bytes from one iteration to the next
  Bytes each = 0;    // bytes of data in one iteration
  // An iteration consists of `parts` loops of the typemap, from number `first` on, in their order.
  // No parts: it is one run of `each` bytes.
  std::uint32_t first = 0, parts = 0;
  bool of_runs = false;  // no part has parts

  Bytes size() const noexcept { return count * each; }
  bool is_run() const noexcept { return parts == 0 && count == 1; }
};

// Makes `loop` so many times what it was, as one loop over what it loops over. false: that takes a
// loop around it, and it is as it was. Neither count is 0.
//
// In place, because a copy of what was just written costs much where stores wait for cache lines of
// another core: the processor reads words that were written in halves after all stores before.
inline bool join(Loop& loop, Bytes count, Bytes stride) noexcept {
  if (count == 1) return true;
  if (loop.is_run() && stride == loop.each) {
    loop.each *= count;
    return true;
  }
  if (loop.count == 1) {
    loop.count = count;
    loop.stride = stride;
    return true;
  }
  Bytes reach = 0;
  if (__builtin_mul_overflow(loop.count, loop.stride, &reach) || reach != stride) return false;
  loop.count *= count;
  return true;
}

class Typemap {
 public:
  const Loop& whole() const noexcept { return whole_; }
  const Loop* parts_of(const Loop& loop) const noexcept { return loops_.data() + loop.first; }
  std::size_t loops() const noexcept { return loops_.size() + 1; }
  Bytes size() const noexcept { return whole_.size(); }
  bool is_run() const noexcept { return whole_.is_run(); }

 private:
  friend class TypemapBuilder;
  Loop whole_;
  std::vector<Loop> loops_;    // those that are parts of others; several loops may share parts
  std::vector<Loop> pending_;  // while it is built: parts of sequences that are not complete
};

// One byte: plain bytes are elements of it.
const Typemap& typemap_of_byte() noexcept;

// Makes a typemap from the inside out. Pieces that follow each other in memory, and in the order of
// travel, become one; so do equal pieces at equal distances. Empty pieces disappear.
class TypemapBuilder {
 public:
  static constexpr std::size_t kMostLoops = 1024;

  // Overwrites `map`, whose memory is used again.
  explicit TypemapBuilder(Typemap& map);
  TypemapBuilder(const TypemapBuilder&) = delete;
  TypemapBuilder& operator=(const TypemapBuilder&) = delete;

  // false: there are more than kMostLoops loops, or some offset or size does not fit in 63 bits.
  // Then the typemap means nothing.
  bool fits() const noexcept { return fits_; }

  static Loop run(Bytes bytes) noexcept {
    return {.count = bytes > 0 ? 1 : 0, .stride = 0, .each = bytes};
  }
  // The functions below throw std::bad_alloc.
  Loop repeat(const Loop& body, Bytes count, Bytes stride);
  // Parts one after another: begin(), add() each, end() with what begin() gave. Sequences may be
  // made while another is.
  std::size_t begin() const noexcept { return map_.pending_.size(); }
  void add(Loop part, Bytes offset, std::size_t sequence);
  Loop end(std::size_t sequence);
  void finish(const Loop& whole) noexcept { map_.whole_ = whole; }

 private:
  bool take_place() noexcept;
  void fold_last(std::size_t sequence) noexcept;

  Typemap& map_;
  bool fits_ = true;
};

}  // namespace tutti
