// Keeps the asks of a peer in a short list: most connections never see one.
#include "protocols/asks.hpp"

#include <algorithm>
#include <new>

namespace tutti::protocols {

Asks::Kept Asks::keep(const MessageName& name, const OutFlow& out, std::uint32_t freed) noexcept {
  if (entries_.size() >= limit_) {
    std::erase_if(entries_, [](const Entry& entry) { return !entry.holds(); });
    if (entries_.size() >= kMost) return Kept::too_many;
    limit_ = std::min(std::max(2 * entries_.size(), kFew), kMost);
  }
  try {
    entries_.push_back({name, freed, &out});
  } catch (const std::bad_alloc&) {
    return Kept::no_memory;
  }
  return Kept::yes;
}

bool Asks::allow(const MessageName& name, const OutFlow& out) const noexcept {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.out == &out && entry.name == name && entry.holds();
  });
}

}  // namespace tutti::protocols
