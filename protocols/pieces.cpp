// Sends and receives as many pieces of a long message as there are slots, or messages, now.
#include "protocols/pieces.hpp"

#include <algorithm>

#include "protocols/eager.hpp"

namespace tutti::protocols {

using transport::Ring;

Answer send_pieces(Rings& rings, const Cut& cut, Transfer& transfer, const MessageName& name,
                   const void* data, Bytes bytes) noexcept {
  while (transfer.moved < bytes) {
    Bytes length = std::min(bytes - transfer.moved, cut.large);
    if (length > rings.max_payload(Ring::eager)) length = cut.small;
    const transport::Length piece(static_cast<std::uint32_t>(length),
                                  transfer.moved + length < bytes);
    const Answer answer = rings.put(Ring::eager, &transfer, name,
                                    static_cast<const std::byte*>(data) + transfer.moved, piece);
    if (answer != Answer::done) return answer;
    transfer.moved += length;
  }
  return Answer::done;
}

Answer receive_pieces(Rings& rings, const Cut& cut, Complaint& complaint, Transfer& transfer,
                      const MessageName& name, void* data, Bytes bytes,
                      const Operand* operand) noexcept {
  while (transfer.moved < bytes) {
    const Arrived message = rings.find(Ring::eager, name, &transfer);
    if (!message) return Answer::again;
    const Bytes most = std::min(bytes - transfer.moved, cut.large);
    const bool is_small = cut.small != 0 && message.length.bytes() == cut.small;
    const Bytes length = is_small ? std::min(most, cut.small) : most;
    const bool more = transfer.moved + length < bytes;
    if (message.length.bytes() != length || message.length.more() != more)
      return complaint.about_length(transfer.moved + message.length.bytes(), bytes,
                                    message.length.more());
    deliver(rings, message, static_cast<std::byte*>(data) + transfer.moved, operand,
            transfer.moved);
    transfer.moved += length;
    rings.consume(Ring::eager, message);
  }
  rings.stop_asking(Ring::eager, transfer);
  return Answer::done;
}

}  // namespace tutti::protocols
