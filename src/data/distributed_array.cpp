// How MPI deals the elements of each dimension to the processes along it.
#include "src/data/distributed_array.hpp"

#include <mpi.h>

#include <algorithm>

#include "base/bits.hpp"

namespace tutti {
namespace {

constexpr std::size_t kBefore = 3;  // the number of processes, the rank, the number of dimensions

Bytes block_of(Bytes distribution, Bytes given, Bytes size, Bytes processes) noexcept {
  if (distribution == MPI_DISTRIBUTE_NONE) return size;
  if (given != MPI_DISTRIBUTE_DFLT_DARG) return given;
  return distribution == MPI_DISTRIBUTE_BLOCK ? divide_up(size, processes) : 1;
}

}  // namespace

DistributedArray::DistributedArray(std::span<const Bytes> numbers) noexcept {
  if (numbers.size() <= kBefore || numbers[2] < 1) return;
  dimensions_ = static_cast<std::size_t>(numbers[2]);
  if ((numbers.size() - kBefore - 1) / 4 != dimensions_) return;
  rank_ = numbers[1];
  const auto part = [&](std::size_t i) {
    return numbers.subspan(kBefore + i * dimensions_, dimensions_);
  };
  distributions_ = part(0);
  blocks_ = part(1);
  grid_ = part(2);
  c_order_ = numbers[kBefore + 3 * dimensions_] == MPI_ORDER_C;
  sizes_ = numbers.last(dimensions_);
  Bytes processes = 1;
  for (std::size_t d = 0; d < dimensions_; ++d)
    if (sizes_[d] < 1 || grid_[d] < 1 || __builtin_mul_overflow(processes, grid_[d], &processes) ||
        block_of(distributions_[d], blocks_[d], sizes_[d], grid_[d]) < 1)
      return;
  valid_ = rank_ >= 0 && rank_ < processes;
}

// The grid's last dimension changes fastest, whatever the order of the array is.
Bytes DistributedArray::coordinate(std::size_t d) const noexcept {
  Bytes behind = 1;
  for (std::size_t i = d + 1; i < dimensions_; ++i) behind *= grid_[i];
  return rank_ / behind % grid_[d];
}

DistributedDimension DistributedArray::dimension(std::size_t k) const noexcept {
  const std::size_t d = c_order_ ? dimensions_ - 1 - k : k;
  DistributedDimension one;
  one.size = sizes_[d];
  // One that is longer than the array holds all of it.
  one.block = std::min(block_of(distributions_[d], blocks_[d], one.size, grid_[d]), one.size);
  const Bytes all = divide_up(one.size, one.block), mine = coordinate(d), processes = grid_[d];
  one.first = mine * one.block;
  one.step = processes * one.block;
  one.blocks = mine < all ? (all - 1 - mine) / processes + 1 : 0;
  const Bytes shorter = one.size % one.block;
  if (one.blocks > 0 && shorter != 0 && (all - 1) % processes == mine) {
    --one.blocks;
    one.rest = shorter;
  }
  return one;
}

}  // namespace tutti
