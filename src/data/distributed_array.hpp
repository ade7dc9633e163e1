// The part of an array distributed over a grid of processes that one of them has: what the numbers
// of MPI_Type_create_darray mean (MPI 4.0, section 5.1.4). Pure: calls no MPI.
#pragma once

#include <span>

#include "base/types.hpp"

namespace tutti {

// One dimension: this process has a block of every `step` elements, from element `first` on.
struct DistributedDimension {
  Bytes size = 1;   // elements of the whole array
  Bytes block = 1;  // elements of a block
  Bytes first = 0, step = 1;
  Bytes blocks = 0;  // whole ones that this process has
  Bytes rest = 0;    // elements of the shorter block behind these, or 0

  Bytes elements() const noexcept { return blocks * block + rest; }
};

class DistributedArray {
 public:
  // `numbers`: as Constructor has them; they must outlive this.
  explicit DistributedArray(std::span<const Bytes> numbers) noexcept;

  // The numbers make sense, and products of the extents of the grid fit in 63 bits. Else there is
  // no more to know.
  bool valid() const noexcept { return valid_; }
  std::size_t dimensions() const noexcept { return dimensions_; }
  // By how fast an index changes along memory: 0 is the fastest.
  DistributedDimension dimension(std::size_t k) const noexcept;

 private:
  Bytes coordinate(std::size_t d) const noexcept;

  std::size_t dimensions_ = 0;
  bool valid_ = false, c_order_ = true;
  Bytes rank_ = 0;
  std::span<const Bytes> sizes_, distributions_, blocks_, grid_;
};

}  // namespace tutti
