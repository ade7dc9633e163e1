// As many pieces as there are slots, or messages, now.
#include "protocols/pieces.hpp"

#include <algorithm>

#include "protocols/eager.hpp"

namespace tutti::protocols {

using transport::Ring;

Answer send_pieces(Rings& rings, Bytes piece, Transfer& transfer, const MessageName& name,
                   const void* data, Bytes bytes) noexcept {
  while (transfer.moved < bytes) {
    const Bytes length = std::min(bytes - transfer.moved, piece);
    const Answer answer = rings.put(Ring::eager, &transfer, name,
                                    static_cast<const std::byte*>(data) + transfer.moved,
                                    static_cast<std::uint32_t>(length));
    if (answer != Answer::done) return answer;
    transfer.moved += length;
  }
  return Answer::done;
}

Answer receive_pieces(Rings& rings, Bytes piece, Complaint& complaint, Transfer& transfer,
                      const MessageName& name, void* data, Bytes bytes,
                      const Operand* operand) noexcept {
  while (transfer.moved < bytes) {
    const Arrived message = rings.find(Ring::eager, name, &transfer);
    if (!message) return Answer::again;
    const Bytes length = std::min(bytes - transfer.moved, piece);
    if (message.bytes != length)
      return complaint.about_exchange(
          Code::size_mismatch,
          message.bytes > length
              ? "a message of more than %lld bytes came: do all ranks pass the same sizes?"
              : "a message of less than %lld bytes came: do all ranks pass the same "
                "sizes?",
          bytes);
    deliver(message, static_cast<std::byte*>(data) + transfer.moved, operand, transfer.moved);
    transfer.moved += length;
    rings.consume(Ring::eager, message);
  }
  return Answer::done;
}

}  // namespace tutti::protocols
