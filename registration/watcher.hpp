// The watcher: learns from the kernel (userfaultfd) when watched memory is unmapped, moved or given
// back.
//
// Why userfaultfd: the program may free a registered buffer and get the same address again, with
// other pages behind it. A munmap() of our own, put before glibc's, would not see that, because
// glibc's free() calls its own; a look at the mapping before each use cannot tell new pages from
// old ones. The kernel's events come whoever unmaps.
//
// The invariant: a look-up of an address finds no entry from before it was unmapped; otherwise data
// would be written to pages that the program no longer has. The kernel lets munmap() (madvise,
// mremap, brk) of watched memory return only after its event was READ; events are read only with
// the owner's lock held, and passed on before it is released. That is enough for the thread that
// unmaps. Another thread may map the address again while the event is still on its way. So each
// look-up first catches up, with the events there are and with those the kernel is about to send.
//
// Nothing here allocates or frees with the lock held: the program's thread may be within free(),
// holding the allocator's lock, and wait for us to read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tutti::registration {

class Watcher {
 public:
  using OnChange = std::function<void(std::uintptr_t begin, std::uintptr_t end)>;

  // `on_change` is called with `lock` held when a range has lost its pages. It must not allocate,
  // free or unmap.
  Watcher(std::mutex& lock, OnChange on_change);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool works() const noexcept { return descriptor_ >= 0; }
  const std::string& why_not() const noexcept { return why_not_; }
  // Watches the pages that hold the range. false: the kernel cannot watch this kind of memory.
  bool watch(const void* address, std::size_t length) noexcept;
  // Reads all events, those of unmappings under way among them. Called with the lock held.
  void catch_up() noexcept;
  // Ends the watch over the pages that hold the range.
  void forget(const void* address, std::size_t length) noexcept;

 private:
  void serve() noexcept;
  void read_events() noexcept;

  std::mutex& lock_;
  const OnChange on_change_;
  int descriptor_ = -1, stop_fd_ = -1;
  std::uint64_t mode_ = 0;
  std::string why_not_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tutti::registration
