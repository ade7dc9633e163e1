// Takes scratch memory from the pool, and gives it back.
#include "base/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/bits.hpp"
#include "base/error.hpp"

namespace tutti {

namespace {

// Where memory begins matters to copies by the string instruction of processors, which look at the
// lowest 12 bits of addresses, whatever a page is here.
constexpr Bytes kPage = 4096;

[[noreturn]] void throw_no_memory(Bytes bytes, const ScratchUse& use) {
  throw Error(Code::out_of_memory, "no memory for " + std::to_string(bytes) + " bytes " + use.what);
}

}  // namespace

void ScratchMemory::Free::operator()(std::byte* block) const noexcept { std::free(block); }

// Blocks are a page, or less, or have room for any offset.
ScratchMemory ScratchMemory::allocate(Bytes bytes, const ScratchUse& use) noexcept {
  ScratchMemory memory;
  if (bytes > PTRDIFF_MAX - 2 * kPage) return memory;
  const bool is_short = bytes <= kPage;
  const Bytes alignment = is_short ? static_cast<Bytes>(kCacheLine) : kPage;
  memory.bytes_ = round_up(is_short ? std::max(bytes, Bytes{1}) : bytes + use.offset, alignment);
  memory.block_.reset(static_cast<std::byte*>(std::aligned_alloc(
      static_cast<std::size_t>(alignment), static_cast<std::size_t>(memory.bytes_))));
  memory.serve(use);
  return memory;
}

ScratchMemory::ScratchMemory(Bytes bytes, const ScratchUse& use)
    : ScratchMemory(allocate(bytes, use)) {
  if (!*this) throw_no_memory(bytes, use);
}

bool ScratchMemory::holds(Bytes bytes, const ScratchUse& use) const noexcept {
  return bytes <= bytes_ - (bytes_ > kPage ? use.offset : 0);
}

void ScratchMemory::serve(const ScratchUse& use) noexcept {
  offset_ = bytes_ > kPage ? use.offset : 0;
}

// The smallest block that will do, and of equal ones the one used last.
ScratchMemory ScratchPool::take(Bytes bytes, const ScratchUse& use) {
  auto best = unused_.end();
  for (auto block = unused_.begin(); block != unused_.end(); ++block)
    if (block->holds(bytes, use) && (best == unused_.end() || block->bytes_ <= best->bytes_))
      best = block;
  if (best == unused_.end()) {
    if (ScratchMemory fresh = ScratchMemory::allocate(bytes, use)) return fresh;
    while (!unused_.empty()) drop_oldest();
    return {bytes, use};
  }
  ScratchMemory found = std::move(*best);
  unused_.erase(best);
  kept_ -= found.bytes_;
  found.serve(use);
  return found;
}

void ScratchPool::give_back(ScratchMemory memory) noexcept {
  if (!memory || keep_ == 0) return;
  kept_ += memory.bytes_;
  unused_.push_back(std::move(memory));
  trim();
}

void ScratchPool::keep_at_most(Bytes keep) noexcept {
  keep_ = keep;
  trim();
}

void ScratchPool::drop_oldest() noexcept {
  kept_ -= unused_.front().bytes_;
  unused_.erase(unused_.begin());
}

void ScratchPool::trim() noexcept {
  const std::size_t stay = keep_ == 0 ? 0 : 1;
  while (unused_.size() > stay && (kept_ > keep_ || unused_.size() > kMost)) drop_oldest();
}

}  // namespace tutti
