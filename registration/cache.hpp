// The registration cache: user buffers stay registered between calls, because registering one takes
// microseconds.
//
// It is correct even if the program frees or unmaps a buffer and gets the same address again: a
// Watcher drops the old region before the address can come back. If the kernel cannot watch memory,
// or not this kind of memory, it is registered anew each time, and one warning says so. A request
// is a hit if it lies within a kept region. Kept regions may overlap: merging them would pin memory
// that nobody asked for. Regions in use are never evicted, so the limits bound what is kept WITHOUT
// being in use.
//
// A buffer that is used again and again may be bound: it stays registered as long as its holder
// wants, whatever the limits are. A look at is_stale() before each use replaces look-up and lock.
//
// Thread-safe (one lock, as only messages of rendezvous size come here). Registers through a
// Registrar; knows no queue pair.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "registration/watcher.hpp"
#include "transport/memory.hpp"

namespace tutti::registration {

struct CacheOptions {
  bool enabled = true;
  std::size_t max_bytes = std::size_t{1} << 30;  // kept without being in use
  std::size_t max_regions = 1024;                // and so many regions
  bool write_protect = true;                     // see Watcher
};

struct Region {
  transport::Registration registration;
  std::uintptr_t begin = 0, end = 0;
  std::uint32_t users = 0;
  bool writable = false;  // a peer may write to it
  bool kept = false;      // in the list of kept regions
  bool ready = false;     // registered: look-up may find it
  bool bound = false;     // of one holder: look-up never finds it
  bool stale = false;     // bound, and its memory has changed; read and written atomically
  std::uint64_t last_use = 0;
  PageRange pages{};           // those that are watched while it is kept
  std::uint32_t revokers = 0;  // users that have revoked it
};

class Cache {
 public:
  using Warn = std::function<void(std::string_view)>;
  // `registrar` must outlive the cache, and all regions must be released before its end. `warn` is
  // called once at most, and must not throw.
  Cache(transport::Registrar& registrar, const CacheOptions& options, Warn warn);
  ~Cache();

  // A region that covers the range; the caller releases it. If one is kept, it costs a look-up;
  // else `registered` becomes true, if it is not null. Throws as Registrar::add, which is tried
  // again without the regions that nobody uses.
  Region* acquire(const void* address, std::size_t length, bool writable,
                  bool* registered = nullptr);
  void release(Region* region) noexcept;

  // Registers the range for one holder alone, which releases it. Nothing that others do with this
  // memory, or with what they have registered of it, takes the right to access it away. Null: this
  // memory is registered anew for each message, as its pages may go without a word, or the cache is
  // switched off. Throws as acquire().
  Region* bind(const void* address, std::size_t length, bool writable);
  // Whether a bound region lies where memory has been unmapped or moved: release it, and bind the
  // range anew. Users of the address know that munmap() has returned, so the event was read.
  // Only if events are being read this waits until they have been passed on.
  bool is_stale(Region* region) const noexcept {
    if (watcher_->is_reading()) [[unlikely]]
      await_events();
    return std::atomic_ref(region->stale).load(std::memory_order_acquire);
  }
  // One more user of a region that the caller knows to have one; for each there is a release.
  void share(Region* region) noexcept;

  // Drops a region, though it is in use: a peer may still hold its key. Look-up does not find it
  // any more, and its last release deregisters it. A user does so once, and then releases it by
  // release_revoked().
  void revoke(Region* region) noexcept;
  void release_revoked(Region* region) noexcept;
  // Whether there are users that have not revoked it.
  bool serves_others(const Region* region) const noexcept;

  // Deregisters up to `most` regions that nobody uses, if others need the locked memory. false:
  // there was none.
  bool trim(std::size_t most) noexcept;

  struct Statistics {
    std::uint64_t invalidations = 0;     // regions that the watcher made drop
    std::size_t bytes = 0, regions = 0;  // kept now, in use or not, and not bound
  };
  Statistics statistics() const;
  bool caches() const noexcept { return watcher_ && watcher_->works(); }

 private:
  Region* find(std::uintptr_t begin, std::uintptr_t end, bool writable) noexcept;
  Region* add_region(void* address, std::size_t length, bool writable, bool bound);
  Region* new_region();
  transport::Registration add(void* address, std::size_t length, bool writable);
  std::string watch(Region* region);
  void warn_once(const std::string& warning);
  void keep(Region* region) noexcept;
  void keep_limits() noexcept;
  void drop(std::size_t index, const PageRange& gone) noexcept;
  void unlist(Region* region) noexcept;
  void end_watch(const PageRange& pages, const PageRange& gone) noexcept;
  void forget_unshared(PageRange pages, std::size_t first) noexcept;
  bool evict_one() noexcept;
  void invalidate(const PageRange& pages) noexcept;
  void await_events() const noexcept { const std::lock_guard wait(lock_); }
  void deregister_dropped(std::unique_lock<std::mutex>& lock) noexcept;

  transport::Registrar& registrar_;
  const CacheOptions options_;
  const Warn warn_;
  std::atomic<bool> warned_{false};
  mutable std::mutex lock_;
  // All Region objects ever made. They are reused, and freed only at the end, so that nothing is
  // freed with the lock held.
  std::vector<std::unique_ptr<Region>> storage_;
  std::vector<Region*> free_;
  std::vector<Region*> kept_;     // by `begin`
  std::vector<Region*> dropped_;  // the next acquire or release deregisters them, not the watcher
  std::size_t kept_bytes_ = 0, longest_ = 0;  // without those that are bound
  std::size_t bound_ = 0;                     // how many of kept_ are
  std::uint64_t clock_ = 0;
  Statistics statistics_;
  std::unique_ptr<Watcher> watcher_;  // last: its thread uses all of the above
};

}  // namespace tutti::registration
