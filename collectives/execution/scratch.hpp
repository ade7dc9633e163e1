// The scratch memory of runs. What one run has done with serves the next one, of whatever plan and
// communicator, so what a process keeps does not grow with the number of its communicators. Not for
// several threads at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

// Owns its memory; empty: none.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  // Aligned to cache lines. Throws Error{out_of_memory}.
  explicit ScratchMemory(Bytes bytes);
  explicit operator bool() const noexcept { return memory_ != nullptr; }
  std::byte* data() const noexcept { return memory_.get(); }
  Bytes bytes() const noexcept { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  Bytes bytes_ = 0;
};

class ScratchPool {
 public:
  // Memory that no run uses is freed, the longest unused first, beyond `keep` bytes or kMost
  // blocks. What was given back last stays in any case, unless `keep` is 0.
  explicit ScratchPool(Bytes keep) : keep_(keep) { unused_.reserve(kMost + 1); }
  static constexpr std::size_t kMost = 64;

  // At least so many bytes, whose values are undefined. Throws Error{out_of_memory}.
  ScratchMemory take(Bytes bytes);
  // Nobody reads or writes it any more, neither adapters nor peers.
  void give_back(ScratchMemory scratch) noexcept;
  // Bytes that no run uses.
  Bytes kept() const noexcept { return kept_; }

 private:
  const Bytes keep_;
  Bytes kept_ = 0;
  std::vector<ScratchMemory> unused_;  // the longest unused first
};

}  // namespace tutti::collectives
