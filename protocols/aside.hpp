// Messages that were taken out of their slots before anyone asked for them, so that those behind
// them can come.
//
// Two communicators of the same two ranks share the rings of their connection. Messages of one may
// fill a ring while its receiver is busy elsewhere (another thread computes, another collective
// comes first), and the message that the other communicator waits for finds no slot. Then, and only
// then, they are set aside, up to kMost bytes a connection: a bound on memory; beyond it the sender
// waits until they are asked for. Off the path of any message that does not wait behind a full
// ring. No I/O.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "transport/inbox.hpp"

namespace tutti::protocols {

class Aside {
 public:
  static constexpr std::size_t kMost = 16u << 20;

  bool empty() const noexcept { return kept_.empty(); }
  // Copies the message that ends with `trailer`. false: no memory for it, or too much is here
  // already.
  bool keep(transport::Ring ring, const transport::Trailer* trailer) noexcept {
    const std::size_t bytes = transport::padded(trailer->bytes) + sizeof(transport::Trailer);
    if (bytes_ + bytes > kMost) return false;
    std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[bytes]);
    if (!copy) return false;
    std::memcpy(copy.get(), reinterpret_cast<const std::byte*>(trailer + 1) - bytes, bytes);
    try {
      kept_.push_back({ring, bytes, std::move(copy)});
    } catch (const std::bad_alloc&) {
      return false;
    }
    bytes_ += bytes;
    return true;
  }
  // The oldest of that ring and name; null: none.
  const transport::Trailer* find(transport::Ring ring, const MessageName& name) const noexcept {
    for (const Kept& k : kept_)
      if (k.ring == ring && k.trailer()->name == name) return k.trailer();
    return nullptr;
  }
  // Lets go of a message, if it is one of ours.
  bool release(const transport::Trailer* trailer) noexcept {
    for (auto k = kept_.begin(); k != kept_.end(); ++k)
      if (k->trailer() == trailer) return erase(k), true;
    return false;
  }
  template <class Unwanted>
  void drop(Unwanted&& unwanted) noexcept {
    for (auto k = kept_.begin(); k != kept_.end();)
      k = unwanted(k->trailer()->name) ? erase(k) : k + 1;
  }

 private:
  struct Kept {
    transport::Ring ring;
    std::size_t bytes;
    std::unique_ptr<std::byte[]> memory;
    const transport::Trailer* trailer() const noexcept {
      return reinterpret_cast<const transport::Trailer*>(memory.get() + bytes -
                                                         sizeof(transport::Trailer));
    }
  };
  std::vector<Kept>::iterator erase(std::vector<Kept>::iterator k) noexcept {
    bytes_ -= k->bytes;
    return kept_.erase(k);
  }

  std::vector<Kept> kept_;  // in order of arrival
  std::size_t bytes_ = 0;
};

}  // namespace tutti::protocols
