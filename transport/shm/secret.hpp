// A word by which others recognise this process's memory: in a page that no forked child keeps.
//
// A process id can be used again by another process, or belong to another program by now. A
// reader that takes word and data in ONE call of the kernel has read both from the same memory, so
// the right word shows that the data is of the process that is meant.
#pragma once

#include <array>
#include <cstdint>

namespace tutti::transport::shm {

class Secret {
 public:
  // Throws Error{system | out_of_memory}.
  Secret();
  ~Secret();
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  std::uint64_t value() const noexcept { return words_->front(); }
  // Where it stands. Behind it is a word that others may write, to try whether they can.
  std::uint64_t address() const noexcept { return reinterpret_cast<std::uint64_t>(words_); }
  // false: the kernel is older than Linux 4.14, and forked children have the word, too.
  bool is_own() const noexcept { return is_own_; }

 private:
  using Words = std::array<std::uint64_t, 2>;
  Words* words_;
  bool is_own_;
};

}  // namespace tutti::transport::shm
