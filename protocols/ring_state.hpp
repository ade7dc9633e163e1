// RingState: the credits of one ring of a connection, both directions, and who waits for them.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/flow.hpp"
#include "protocols/transfer.hpp"
#include "transport/inbox_shape.hpp"

namespace tutti::protocols {

struct RingState {
  OutFlow out;
  InFlow in;
  // The transfer that gets the next slot. If others overtook it, they could fill the peer's ring
  // with messages that the peer cannot use yet, and the one that it waits for would find no slot.
  const Transfer* first_in_line = nullptr;
  // Receives that have asked; those that were abandoned count for ever, as their messages may still
  // come.
  std::uint32_t asking = 0;
  // The peer's credits that the last report told it of. Others rode on messages.
  std::uint32_t reported = 0;
};
using RingStates = std::array<RingState, transport::kRings>;

}  // namespace tutti::protocols
