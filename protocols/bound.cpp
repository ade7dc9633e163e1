// Joins the parts of each buffer of a bound call, and registers the whole.
#include "protocols/bound.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tutti::protocols {

// A range that has grown may share bytes with others, which it takes in: one buffer may be the
// input and the output of a call.
void BoundMemory::add(const Channel& channel, int buffer, const std::byte* begin, Bytes bytes,
                      bool writable) {
  registration::Cache* const cache = channel.memory_.cache();
  if (!cache || bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  Range all{cache, buffer, first, first + static_cast<std::uintptr_t>(bytes), writable};
  const auto joins = [&](const Range& other) {
    return other.cache == all.cache &&
           (other.buffer == all.buffer || (other.begin < all.end && all.begin < other.end));
  };
  for (auto other = ranges_.begin();
       (other = std::ranges::find_if(ranges_, joins)) != ranges_.end(); ranges_.erase(other)) {
    all.begin = std::min(all.begin, other->begin);
    all.end = std::max(all.end, other->end);
    all.writable |= other->writable;
  }
  ranges_.push_back(all);
}

void BoundMemory::bind(Range& range) noexcept {
  release(range);
  range.region = nullptr;
  range.tried = true;
  try {
    range.region = range.cache->bind(reinterpret_cast<const void*>(range.begin),
                                     range.end - range.begin, range.writable);
  } catch (const std::exception&) {  // the first message that needs it says why
  }
}

registration::Region* BoundMemory::region(const Channel& channel, const std::byte* begin,
                                          Bytes bytes) const noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  for (const Range& range : ranges_)
    if (range.cache == channel.memory_.cache() && range.begin <= first &&
        first + static_cast<std::uintptr_t>(bytes) <= range.end)
      return range.region;
  return nullptr;
}

}  // namespace tutti::protocols
