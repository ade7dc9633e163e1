// Aside: messages that were taken out of their slots before anyone asked for them, so that those
// behind them can come.
//
// All calls between two ranks share the rings of their connection. Messages of one may fill a ring
// while its receiver does not ask for them (another thread computes, another collective comes
// first, the call waits for a third rank); then the message that another call waits for finds no
// slot. Only in this case are messages set aside, so others never pay for it.
//
// Leaves to the caller: to give the sender no credit for what lies here, which is what bounds it
// (asks.hpp).
#pragma once

#include <memory>
#include <vector>

#include "transport/inbox_shape.hpp"

namespace tutti::protocols {

class Aside {
 public:
  // Copies the message. false: there is no memory.
  bool keep(transport::Ring ring, const transport::Trailer& trailer,
            const std::byte* payload) noexcept;
  // The oldest message of that ring and name, or null.
  const transport::Trailer* find(transport::Ring ring, const MessageName& name) const noexcept;
  // Calls visit(ring, trailer) for each, the oldest first.
  template <class Visit>
  void each(Visit&& visit) const noexcept {
    for (const Kept& kept : kept_) visit(kept.ring, kept.trailer());
  }
  // Frees a message that find() has found. false: it is not one of these.
  bool release(const transport::Trailer* trailer) noexcept;
  // Frees the messages of that ring for which unwanted(name) is true; how many.
  template <class Unwanted>
  std::uint32_t drop(transport::Ring ring, Unwanted&& unwanted) noexcept {
    return static_cast<std::uint32_t>(std::erase_if(kept_, [&](const Kept& kept) {
      return kept.ring == ring && unwanted(kept.trailer()->name);
    }));
  }

 private:
  struct Kept {
    transport::Ring ring;
    std::size_t bytes;
    std::unique_ptr<std::byte[]> memory;
    const transport::Trailer* trailer() const noexcept {
      return reinterpret_cast<const transport::Trailer*>(memory.get() + bytes) - 1;
    }
  };
  std::vector<Kept> kept_;  // in order of arrival
};

}  // namespace tutti::protocols
