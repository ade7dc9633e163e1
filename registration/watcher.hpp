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
//
// The watch costs nothing: in the write-protect mode (Linux 5.7, not on all processors) nothing is
// ever protected. Where only the missing mode is offered, an access to a watched page that is not
// there waits for us. Then that page is reported as lost, and watched no longer: the kernel serves
// the access as usual.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/fork_handler.hpp"
#include "base/pages.hpp"
#include "base/thread.hpp"

namespace tutti::registration {

class Watcher {
 public:
  using OnChange = std::function<void(const PageRange&)>;

  // `on_change` is called with `lock` held when pages are gone and need no forget(). It must not
  // allocate, free or unmap. `write_protect`: false to do without that mode.
  Watcher(std::mutex& lock, OnChange on_change, bool write_protect = true);
  // Ends all watches. It must: a child that was made by the bare system call still has the
  // descriptor, and the program would wait for a reader when it unmaps what is watched. Without
  // /proc, pages that were not forgotten before stay watched. Called without the lock.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool works() const noexcept { return descriptor_ >= 0; }
  const std::string& why_not() const noexcept { return why_not_; }
  // Watches the pages that hold the range, which is not empty, and returns them: the range that
  // forget() takes. None: the kernel would not report all that can happen to this memory, and
  // `why_not` says why, as the end of a sentence. Called without the lock.
  std::optional<PageRange> watch(const void* address, std::size_t length, std::string& why_not);
  // Reads all events, those of unmappings under way among them. Called with the lock held.
  void catch_up() noexcept;
  // Events are being read, and perhaps not all of them were passed on. If this is false, a thread
  // whose own munmap() has returned knows that its event was: this was true before the kernel let
  // it return, and becomes false after `on_change`. Needs no lock.
  bool is_reading() const noexcept { return reading_.load(std::memory_order_acquire); }
  // Ends the watch over these pages. Some of them may be gone, and others have come in their place.
  // Pages that mremap() appended to them stay watched, until ~Watcher: no event tells of these.
  void forget(const PageRange& pages) noexcept;

 private:
  static void close_in_child(void* watcher) noexcept;
  void open(bool write_protect);
  void close_descriptors() noexcept;
  void forget_all() noexcept;
  void serve() noexcept;
  void read_events() noexcept;
  void lost(const PageRange& pages) noexcept;
  bool unregister(const PageRange& pages) noexcept;

  std::mutex& lock_;
  const OnChange on_change_;
  int descriptor_ = -1, stop_fd_ = -1;
  std::uint64_t mode_ = 0;
  std::string why_not_;
  std::atomic<bool> stop_{false}, reading_{false};
  HelperThread thread_;
  std::optional<ForkHandler> fork_handler_;
};

}  // namespace tutti::registration
