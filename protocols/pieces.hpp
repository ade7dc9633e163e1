// Pieces: a message too long for a slot, where its sender cannot write to user memory, or where two
// copies are faster than one.
//
// All pieces bear the message's name and go through the eager ring in order, so their order is
// their place. How much has gone stands in the transfer. Leaves to the caller: that a piece holds
// whole elements if there is an operand (combines_on_arrival()).
#pragma once

#include "base/combine.hpp"
#include "protocols/complaint.hpp"
#include "protocols/rings.hpp"

namespace tutti::protocols {

// `piece`: what each piece but the last holds.
Answer send_pieces(Rings& rings, Bytes piece, Transfer& transfer, const MessageName& name,
                   const void* data, Bytes bytes) noexcept;
Answer receive_pieces(Rings& rings, Bytes piece, Complaint& complaint, Transfer& transfer,
                      const MessageName& name, void* data, Bytes bytes,
                      const Operand* operand) noexcept;

}  // namespace tutti::protocols
