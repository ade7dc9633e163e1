// Pieces: a message that may be too long for a slot of the eager ring, since its sender cannot
// write to user memory, or two copies are faster than one, or the connection is still small.
//
// All pieces carry the message's name and go through the eager ring in order, so their order is
// their place. How much has gone stands in the transfer. The sender decides how long a piece is, by
// the slots that it finds; the receiver knows the lengths that it may choose. Leaves to the caller:
// that a piece holds whole elements if there is an operand (combines_on_arrival()).
#pragma once

#include "base/combine.hpp"
#include "protocols/complaint.hpp"
#include "protocols/rings.hpp"

namespace tutti::protocols {

// Bytes in each piece but the last.
struct Cut {
  Bytes large, small;  // in a slot of usual length; in a smaller one, 0 if there is none
};

Answer send_pieces(Rings& rings, const Cut& cut, Transfer& transfer, const MessageName& name,
                   const void* data, Bytes bytes) noexcept;
Answer receive_pieces(Rings& rings, const Cut& cut, Complaint& complaint, Transfer& transfer,
                      const MessageName& name, void* data, Bytes bytes,
                      const Operand* operand) noexcept;

}  // namespace tutti::protocols
