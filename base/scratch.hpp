// Scratch memory: what a call needs while it runs, for intermediate results and for packed copies.
// Memory that one call is done with serves the next one, whatever that does with it and on whatever
// communicator. So what a process keeps does not grow with the number of its communicators, pages
// fault once, and what a device has registered stays registered. Not for several threads at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tutti {

// The use of scratch memory.
struct ScratchUse {
  Bytes offset;      // where in a page it begins if it is longer than one; less than a page
  const char* what;  // completes the message of an error: "no memory for 8 bytes …"
};

// Owns its memory; empty: none.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  // Aligned to cache lines if it is no longer than a page; values are undefined. Throws
  // Error{out_of_memory}.
  ScratchMemory(Bytes bytes, const ScratchUse& use);
  explicit operator bool() const noexcept { return block_ != nullptr; }
  std::byte* data() const noexcept { return block_.get() + offset_; }

 private:
  friend class ScratchPool;
  struct Free {
    void operator()(std::byte* block) const noexcept;
  };
  static ScratchMemory allocate(Bytes bytes, const ScratchUse& use) noexcept;  // empty: no memory
  bool holds(Bytes bytes, const ScratchUse& use) const noexcept;
  void serve(const ScratchUse& use) noexcept;

  std::unique_ptr<std::byte, Free> block_;
  Bytes bytes_ = 0;   // of the block
  Bytes offset_ = 0;  // of the data in it
};

class ScratchPool {
 public:
  // Memory that no call uses is freed, the longest unused first, beyond `keep` bytes or kMost
  // blocks. The block given back last stays in any case, unless `keep` is 0.
  explicit ScratchPool(Bytes keep) : keep_(keep) { unused_.reserve(kMost + 1); }
  static constexpr std::size_t kMost = 64;

  // At least so many bytes, whose values are undefined. If there is no memory, what is kept goes
  // first. Throws Error{out_of_memory}.
  ScratchMemory take(Bytes bytes, const ScratchUse& use);
  // Nobody reads or writes it any more, neither adapters nor peers.
  void give_back(ScratchMemory memory) noexcept;
  // Another limit than before.
  void keep_at_most(Bytes keep) noexcept;
  // Bytes that no call uses.
  Bytes kept() const noexcept { return kept_; }

 private:
  void drop_oldest() noexcept;
  void trim() noexcept;

  Bytes keep_, kept_ = 0;
  std::vector<ScratchMemory> unused_;  // the longest unused first
};

// Memory of a pool, or none, as long as this lives; the pool must outlive it.
class ScratchBuffer {
 public:
  explicit ScratchBuffer(ScratchPool& pool) noexcept : pool_(&pool) {}
  ~ScratchBuffer() { give_back(); }
  ScratchBuffer(const ScratchBuffer&) = delete;
  ScratchBuffer& operator=(const ScratchBuffer&) = delete;
  // In place of what it had before. Throws Error{out_of_memory}.
  std::byte* get(Bytes bytes, const ScratchUse& use) {
    give_back();
    memory_ = pool_->take(bytes, use);
    return memory_.data();
  }

 private:
  void give_back() noexcept {
    if (memory_) pool_->give_back(std::move(memory_));
  }

  ScratchPool* pool_;
  ScratchMemory memory_;
};

}  // namespace tutti
