// Arrived: a message of the peer that was found, and checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "transport/inbox_shape.hpp"

namespace tutti::protocols {

// An arrived message where it lies, valid until it is consumed. The numbers are copies, and were
// checked: a broken peer may write its message again while this rank reads it. Two registers hold
// it, in which functions return it: through memory it would take longer than the rest of a search,
// since no processor forwards a load that is wider than the stores before it.
struct Arrived {
  const transport::Trailer* place = nullptr;  // where the trailer stands; null: no message
  transport::Length length;
  std::uint32_t sequence = 0;  // of no meaning for a message that was set aside

  explicit operator bool() const noexcept { return place; }
  const std::byte* payload() const noexcept {
    return reinterpret_cast<const std::byte*>(place) - transport::padded(length.bytes());
  }
  MessageName name() const noexcept { return transport::read_once(&place->name); }
  // A copy of the payload; nullopt: it has another length.
  template <class Body>
  std::optional<Body> as() const noexcept {
    if (length.bytes() != sizeof(Body)) return std::nullopt;
    return transport::read_once(reinterpret_cast<const Body*>(payload()));
  }
};
static_assert(sizeof(Arrived) <= 2 * sizeof(void*) && std::is_trivially_copyable_v<Arrived>);

}  // namespace tutti::protocols
