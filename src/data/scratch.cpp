// The smallest block that is long enough serves; what is too short makes room for what is longer.
#include "src/data/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "base/bits.hpp"
#include "base/error.hpp"

namespace tutti {

void Scratch::drop(Block& block) noexcept {
  kept_ -= block.bytes;
  std::free(block.memory);
  block = {};
}

Scratch::Block* Scratch::smallest() noexcept {
  Block* found = nullptr;
  for (Block& block : free_)
    if (block.memory && (!found || block.bytes < found->bytes)) found = &block;
  return found;
}

Scratch::Block Scratch::take(Bytes bytes) {
  constexpr Bytes kPage = 4096;
  Block* found = nullptr;
  for (Block& block : free_)
    if (block.memory && block.bytes >= bytes && (!found || block.bytes < found->bytes))
      found = &block;
  if (found) {
    kept_ -= found->bytes;
    return std::exchange(*found, Block{});
  }
  Bytes whole_pages = 0;
  const auto allocate = [&]() -> std::byte* {
    if (bytes > PTRDIFF_MAX - kPage) return nullptr;
    whole_pages = round_up(std::max<Bytes>(bytes, 1), kPage);
    return static_cast<std::byte*>(
        std::aligned_alloc(static_cast<std::size_t>(kPage), static_cast<std::size_t>(whole_pages)));
  };
  std::byte* memory = allocate();
  if (!memory && kept_ > 0) {
    while (Block* const block = smallest()) drop(*block);
    memory = allocate();
  }
  if (!memory) throw Error(Code::out_of_memory, fmt::format("no memory to pack {} bytes", bytes));
  return {memory, whole_pages};
}

void Scratch::give_back(Block block) noexcept {
  if (block.bytes > limit_) return std::free(block.memory);
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

void Scratch::keep_at_most(Bytes limit) noexcept {
  limit_ = limit;
  while (kept_ > limit_) drop(*smallest());
}

}  // namespace tutti
