// SlotMessage: a message that is sent, or received, again and again, always of one length, and that
// always fits one slot. Its ring is found once, so each time costs less than Channel::send() and
// recv(), and means the same.
//
// Leaves to the caller: transfers, names and bytes, as the channel does; no transfer has a view.
#pragma once

#include <optional>

#include "protocols/channel.hpp"
#include "protocols/eager.hpp"

namespace tutti::protocols {

class SlotMessage {
 public:
  // nullopt: such a message may need more than one slot, or goes by another protocol. The channel
  // must outlive the message.
  static std::optional<SlotMessage> over(Channel& channel, Bytes bytes, Use use) noexcept;

  Answer send(Transfer& transfer, const MessageName& name, const void* data) const noexcept {
    return rings_->put(ring_, &transfer, name, data, transport::Length(bytes_));
  }
  // `operand`: as for Channel::recv(). A message that fits one slot is combined on arrival.
  [[gnu::always_inline]] Answer recv(Transfer& transfer, const MessageName& name, void* data,
                                     const Operand* operand = nullptr) const noexcept {
    return receive_eager(*rings_, ring_, *complaint_, transfer, name, data, bytes_, operand);
  }

 private:
  SlotMessage(Rings& rings, Complaint& complaint, transport::Ring ring, std::uint32_t bytes)
      : rings_(&rings), complaint_(&complaint), bytes_(bytes), ring_(ring) {}

  Rings* rings_;
  Complaint* complaint_;
  std::uint32_t bytes_;
  transport::Ring ring_;
};

}  // namespace tutti::protocols
