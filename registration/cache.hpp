// The registration cache: user buffers stay registered between calls, as registering costs
// microseconds and pins pages.
//
// Correct when the program frees or unmaps a buffer and gets the same address again: a Watcher
// drops what is gone before the address can come back. Where the kernel offers no watching, or not
// for this memory, nothing is cached. Look-up is by interval: a request inside a kept region is a
// hit. Kept regions may overlap; merging them would pin what nobody asked for. Regions in use are
// never evicted, so the limits bound what is kept WITHOUT being in use.
//
// Thread-safe (one lock: only rendezvous-size messages come here). Registers through a Registrar;
// knows no queue pair.
#pragma once

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
  std::size_t max_regions = 1024;                // the same
};

struct Region {
  transport::Registration registration;
  std::uintptr_t begin = 0, end = 0;
  std::uint32_t users = 0;
  bool writable = false;  // a peer may write to it
  bool kept = false;      // to be found by look-up
  std::uint64_t last_use = 0;
};

class Cache {
 public:
  using Log = std::function<void(std::string_view)>;
  // `registrar` must outlive the cache, and all regions must be released before its end.
  Cache(transport::Registrar& registrar, const CacheOptions& options, const Log& log);
  ~Cache();

  // A region that covers the range; the caller releases it. Costs a look-up if there is one. Throws
  // as Registrar::add, after trying again without the regions that nobody uses.
  Region* acquire(const void* address, std::size_t length, bool writable);
  void release(Region* region) noexcept;
  // Never to be found again, and deregistered with its last release: a peer may still hold its key.
  void revoke(Region* region) noexcept;

  // Deregisters up to `most` regions that nobody uses, where others want their locked memory.
  // false: there was none.
  bool trim(std::size_t most) noexcept;

  struct Statistics {
    std::uint64_t hits = 0, misses = 0, evictions = 0, invalidations = 0;
    std::size_t bytes = 0, regions = 0;  // kept now, in use or not
  };
  Statistics statistics() const;
  bool caches() const noexcept { return watcher_ && watcher_->works(); }

 private:
  Region* find(std::uintptr_t begin, std::uintptr_t end, bool writable) noexcept;
  Region* fresh();
  transport::Registration add(void* address, std::size_t length, bool writable, bool* evicted);
  void keep(Region* region) noexcept;
  void drop(std::size_t index) noexcept;
  void evict_one() noexcept;
  void gone(std::uintptr_t begin, std::uintptr_t end) noexcept;
  void bury(std::unique_lock<std::mutex>& lock) noexcept;

  transport::Registrar& registrar_;
  const CacheOptions options_;
  mutable std::mutex lock_;
  // All Region objects ever made; they are reused and never freed before the end, so that nothing
  // frees under the lock.
  std::vector<std::unique_ptr<Region>> storage_;
  std::vector<Region*> free_;
  std::vector<Region*> kept_;  // by begin; capacity reserved outside of the lock's critical moments
  std::vector<Region*>
      dead_;  // to be deregistered by the next acquire or release, never by the watcher
  std::size_t kept_bytes_ = 0, longest_ = 0;
  std::uint64_t clock_ = 0;
  Statistics statistics_;
  std::unique_ptr<Watcher> watcher_;  // last: its thread uses all of the above
};

}  // namespace tutti::registration
