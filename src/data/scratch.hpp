// Memory for packed copies, kept for the whole process from call to call: nothing goes back to the
// system between calls of the same kind, so pages fault once, and what a device registered stays
// registered. Used with the engine's lock held.
#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"

namespace tutti {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { keep_none(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  struct Block {
    std::byte* memory = nullptr;
    Bytes bytes = 0;
  };
  // At least so many bytes, not cleared. Throws Error{out_of_memory}.
  Block take(Bytes bytes);
  void give_back(Block block) noexcept;

  // While it is not in use.
  void keep_at_most(Bytes limit) noexcept;
  Bytes kept() const noexcept { return kept_; }

 private:
  void drop(Block& block) noexcept;
  Block* smallest() noexcept;
  void keep_none() noexcept;

  std::array<Block, 8> free_{};  // those without memory are no blocks
  Bytes kept_ = 0, limit_ = Bytes{128} << 20;
};

// A block of it, or none, as long as this lives.
class Spare {
 public:
  explicit Spare(Scratch& scratch) noexcept : scratch_(&scratch) {}
  ~Spare() { give_back(); }
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  // Another one than before. Throws Error{out_of_memory}.
  std::byte* get(Bytes bytes) {
    give_back();
    block_ = scratch_->take(bytes);
    return block_.memory;
  }

 private:
  void give_back() noexcept {
    if (block_.memory) scratch_->give_back(block_);
    block_ = {};
  }

  Scratch* scratch_;
  Scratch::Block block_{};
};

}  // namespace tutti
