// Copies on the heap.
#include "protocols/aside.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tutti::protocols {

using transport::Ring;
using transport::Trailer;

bool Aside::keep(Ring ring, const Trailer* trailer) noexcept {
  const std::size_t bytes = transport::padded(trailer->bytes) + sizeof(Trailer);
  if (bytes_ + bytes > kMost) return false;
  try {
    auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::memcpy(copy.get(), reinterpret_cast<const std::byte*>(trailer + 1) - bytes, bytes);
    kept_.push_back({ring, bytes, std::move(copy)});
  } catch (const std::bad_alloc&) {
    return false;
  }
  bytes_ += bytes;
  return true;
}

const Trailer* Aside::find(Ring ring, const MessageName& name) const noexcept {
  for (const Kept& kept : kept_)
    if (kept.ring == ring && kept.trailer()->name == name) return kept.trailer();
  return nullptr;
}

void Aside::release(const Trailer* trailer) noexcept {
  erase(std::ranges::find(kept_, trailer, &Kept::trailer));
}

std::vector<Aside::Kept>::iterator Aside::erase(std::vector<Kept>::iterator kept) noexcept {
  bytes_ -= kept->bytes;
  return kept_.erase(kept);
}

}  // namespace tutti::protocols
