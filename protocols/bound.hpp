// BoundMemory: the buffers of a call that is made again and again, registered once for all of these
// calls: each buffer as a whole, however many messages go from and to parts of it.
//
// Promises: as long as it lives a device may access what it has registered, whatever the cache's
// limits are and whatever others do with the same memory; if the program has unmapped a buffer
// meanwhile, renew() notices. Buffers that cannot be registered whole, or not be watched, are left
// out, and messages register their parts of it as usual, and have the errors. Leaves to the caller:
// to hand regions to transfers (Transfer::lent), and to keep them until these are done or
// abandoned.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/channel.hpp"

namespace tutti::protocols {

class BoundMemory {
 public:
  BoundMemory() = default;
  ~BoundMemory() {
    for (const Range& range : ranges_) release(range);
  }
  BoundMemory(const BoundMemory&) = delete;
  BoundMemory& operator=(const BoundMemory&) = delete;

  // Before renew(), for each part of a buffer that a message of that channel takes, if the peer or
  // an adapter accesses it there. All parts of one `buffer`, a number, and parts that share bytes,
  // become one range, with what lies between them. `writable`: it is written. Does nothing where no
  // memory need be registered. Throws std::bad_alloc.
  void add(const Channel& channel, int buffer, const std::byte* begin, Bytes bytes, bool writable);
  // Registers what is not, or no longer; whether there was any. Otherwise it costs a look at each
  // range.
  bool renew() noexcept {
    bool any = false;
    for (Range& range : ranges_)
      if (range.region ? range.cache->is_stale(range.region) : !range.tried) [[unlikely]] {
        bind(range);
        any = true;
      }
    return any;
  }
  // The region of a part which was added, until the next renew(); null: it is not registered.
  registration::Region* region(const Channel& channel, const std::byte* begin,
                               Bytes bytes) const noexcept;
  bool empty() const noexcept { return ranges_.empty(); }

 private:
  struct Range {
    registration::Cache* cache;
    int buffer;
    std::uintptr_t begin, end;
    bool writable;
    bool tried = false;
    registration::Region* region = nullptr;
  };
  static void bind(Range& range) noexcept;
  static void release(const Range& range) noexcept {
    if (range.region) range.cache->release(range.region);
  }

  std::vector<Range> ranges_;
};

}  // namespace tutti::protocols
