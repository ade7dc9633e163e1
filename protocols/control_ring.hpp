// The messages of the control ring: each is of one kind, which stands in the ordinal of its name,
// and has a body of its own.
#pragma once

#include "protocols/rings.hpp"

namespace tutti::protocols {

enum class ControlKind : Ordinal {
  ask = Ask::kOrdinal,
  finished,
  withdrawn,
  news,
  request,
  standing
};

template <class Body>
Answer put_control(Rings& rings, ControlKind kind, const Body& body) noexcept {
  return rings.put(transport::Ring::control, nullptr, {0, 0, static_cast<Ordinal>(kind)}, &body,
                   transport::Length(sizeof body));
}

}  // namespace tutti::protocols
