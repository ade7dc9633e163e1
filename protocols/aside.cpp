// Copies messages out of their slots to the heap, and finds them there by name.
#include "protocols/aside.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/copy.hpp"

namespace tutti::protocols {

using transport::Ring;
using transport::Trailer;

bool Aside::keep(Ring ring, const Trailer& trailer, const std::byte* payload) noexcept {
  const std::size_t padded = transport::padded(trailer.length.bytes()),
                    bytes = padded + sizeof(Trailer);
  try {
    auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    copy_bytes(copy.get(), payload, padded);
    std::memcpy(copy.get() + padded, &trailer, sizeof trailer);
    kept_.push_back({ring, bytes, std::move(copy)});
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

const Trailer* Aside::find(Ring ring, const MessageName& name) const noexcept {
  for (const Kept& kept : kept_)
    if (kept.ring == ring && kept.trailer()->name == name) return kept.trailer();
  return nullptr;
}

bool Aside::release(const Trailer* trailer) noexcept {
  const auto kept = std::ranges::find(kept_, trailer, &Kept::trailer);
  if (kept == kept_.end()) return false;
  kept_.erase(kept);
  return true;
}

}  // namespace tutti::protocols
