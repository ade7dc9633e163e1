// The smallest block that is long enough serves; what is too short makes room for what is longer.
#include "src/data/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "base/bits.hpp"
#include "base/error.hpp"

namespace tutti {

namespace {

// Within its page a block begins where malloc lets large blocks begin: copies by the processor's
// string instruction, as the kernel makes them, are slow to a place that is a few bytes further on
// in its page than the source (base/copy.hpp).
constexpr Bytes kPage = 4096, kOffset = 16;

std::byte* allocate_pages(Bytes pages) noexcept {
  auto* const memory = static_cast<std::byte*>(
      std::aligned_alloc(static_cast<std::size_t>(kPage), static_cast<std::size_t>(pages * kPage)));
  return memory ? memory + kOffset : nullptr;
}
void free_pages(std::byte* memory) noexcept { std::free(memory - kOffset); }

}  // namespace

void Scratch::drop(Block& block) noexcept {
  kept_ -= block.bytes;
  free_pages(block.memory);
  block = {};
}

Scratch::Block* Scratch::smallest() noexcept {
  Block* found = nullptr;
  for (Block& block : free_)
    if (block.memory && (!found || block.bytes < found->bytes)) found = &block;
  return found;
}

Scratch::Block Scratch::take(Bytes bytes) {
  Block* found = nullptr;
  for (Block& block : free_)
    if (block.memory && block.bytes >= bytes && (!found || block.bytes < found->bytes))
      found = &block;
  if (found) {
    kept_ -= found->bytes;
    return std::exchange(*found, Block{});
  }
  const bool possible = bytes <= PTRDIFF_MAX - kOffset - kPage;
  const Bytes pages = possible ? divide_up(bytes + kOffset, kPage) : 0;
  std::byte* memory = possible ? allocate_pages(pages) : nullptr;
  if (possible && !memory && kept_ > 0) {
    keep_none();
    memory = allocate_pages(pages);
  }
  if (!memory) throw Error(Code::out_of_memory, fmt::format("no memory to pack {} bytes", bytes));
  return {memory, pages * kPage - kOffset};
}

void Scratch::give_back(Block block) noexcept {
  if (block.bytes > limit_) return free_pages(block.memory);
  kept_ += block.bytes;
  Block* place = std::ranges::find(free_, nullptr, &Block::memory);
  while (place == free_.end() || kept_ > limit_) {
    // Never the one that comes: it was needed just now.
    Block* const least = smallest();
    drop(*least);
    if (place == free_.end()) place = least;
  }
  *place = block;
}

void Scratch::keep_none() noexcept {
  while (Block* const block = smallest()) drop(*block);
}

void Scratch::keep_at_most(Bytes limit) noexcept {
  limit_ = limit;
  while (kept_ > limit_) drop(*smallest());
}

}  // namespace tutti
