// The watcher: learns from the kernel (userfaultfd) when watched memory is unmapped, moved or given
// back.
//
// Why userfaultfd: the program may free a registered buffer and get the same address again with
// other pages behind it. Replacing munmap by symbol does not see it, as glibc's free() calls its
// own; looking at the mapping again before each use cannot tell new pages from old. Events come
// from the kernel, whoever unmaps.
//
// The invariant that makes it right: whoever has got an address again looks it up only after its
// old entry is gone. munmap() (madvise, mremap, brk) of watched memory does not return before its
// event was READ, and events are read only with the owner's lock held, and passed on before it is
// let go. That is enough for the thread that unmaps. Another one may map the address again while
// the event is still on its way: so each look-up catches up first, with what was announced and with
// what the kernel is about to announce. What breaks otherwise: data lands in pages that nobody has
// any more.
//
// Nothing in here allocates or frees while the lock is held: the program's thread may be inside
// free(), with the allocator's lock in its hand, waiting for us to read.
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
  using Gone = std::function<void(std::uintptr_t begin, std::uintptr_t end)>;

  // `gone` is called with `lock` held, on the watcher's thread; it must not allocate, free, or
  // unmap.
  Watcher(std::mutex& lock, Gone gone);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  bool works() const noexcept { return descriptor_ >= 0; }
  const std::string& why_not() const noexcept { return why_not_; }
  // Watches the pages around [address, + length). false: the kernel cannot watch this kind of
  // memory.
  bool watch(const void* address, std::size_t length) noexcept;
  // Reads what there is, and waits for unmappings under way. With the lock held.
  void catch_up() noexcept;
  void forget(const void* address, std::size_t length) noexcept;

 private:
  void serve() noexcept;
  void read_events() noexcept;

  std::mutex& lock_;
  const Gone gone_;
  int descriptor_ = -1, stop_fd_ = -1;
  std::uint64_t mode_ = 0;
  std::string why_not_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tutti::registration
