// Memory that is taken and given back.
#include "collectives/execution/scratch.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace tutti::collectives {

void ScratchMemory::Free::operator()(std::byte* memory) const noexcept {
  ::operator delete (memory, std::align_val_t{kCacheLine});
}

ScratchMemory::ScratchMemory(Bytes bytes) : bytes_(bytes) {
  // Not std::aligned_alloc(), which is for multiples of the alignment only.
  memory_.reset(static_cast<std::byte*>(::operator new (
      static_cast<std::size_t>(bytes), std::align_val_t{kCacheLine}, std::nothrow)));
  if (!memory_)
    throw Error(Code::out_of_memory,
                "no memory for " + std::to_string(bytes) +
                    " bytes of scratch; choose an algorithm that needs less (tutti list)");
}

// The smallest block that will do, and of equal ones the one used last.
ScratchMemory ScratchPool::take(Bytes bytes) {
  auto best = unused_.end();
  for (auto block = unused_.begin(); block != unused_.end(); ++block)
    if (block->bytes() >= bytes && (best == unused_.end() || block->bytes() <= best->bytes()))
      best = block;
  if (best == unused_.end()) return ScratchMemory(bytes);
  ScratchMemory found = std::move(*best);
  unused_.erase(best);
  kept_ -= found.bytes();
  return found;
}

void ScratchPool::give_back(ScratchMemory scratch) noexcept {
  if (!scratch || keep_ == 0) return;
  kept_ += scratch.bytes();
  unused_.push_back(std::move(scratch));
  while (unused_.size() > 1 && (kept_ > keep_ || unused_.size() > kMost)) {
    kept_ -= unused_.front().bytes();
    unused_.erase(unused_.begin());
  }
}

}  // namespace tutti::collectives
