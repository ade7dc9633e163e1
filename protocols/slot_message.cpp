// Finds the ring of a message that fits one slot, once for all of its repetitions.
#include "protocols/slot_message.hpp"

namespace tutti::protocols {

std::optional<SlotMessage> SlotMessage::over(Channel& channel, Bytes bytes, Use use) noexcept {
  const Protocol protocol = protocol_for(bytes, use, channel.limits_);
  if (!is_single_slot(protocol, channel.limits_)) return std::nullopt;
  return SlotMessage(channel.rings_, channel.complaint_, ring_of(protocol),
                     static_cast<std::uint32_t>(bytes));
}

}  // namespace tutti::protocols
