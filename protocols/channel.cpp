// Passes each message to the protocol that its length and its use decide.
#include "protocols/channel.hpp"

#include "base/packed_view.hpp"
#include "protocols/eager.hpp"
#include "protocols/pieces.hpp"

namespace tutti::protocols {

using transport::Ring;

namespace {

Limits limits_of(transport::Link& link) {
  const transport::InboxShape& shape = link.outbox().full_shape();
  const transport::Capabilities& can = link.capabilities();
  return {shape[Ring::line].capacity(),
          shape[Ring::small].capacity(),
          shape[Ring::eager].capacity(),
          can.writes_directly,
          can.fetching != nullptr,
          can.passes_pieces,
          can.growth ? cut_bytes(link.outbox().shape()[Ring::eager].capacity()) : 0};
}

constexpr bool goes_in_pieces(Protocol protocol) {
  return protocol == Protocol::eager || protocol == Protocol::pieces;
}

}  // namespace

Channel::Channel(transport::Link& link, registration::Cache* cache, Listener& listener)
    : link_(link),
      limits_(limits_of(link)),
      rings_(link, listener),
      control_(link, rings_, listener),
      complaint_(link.peer()),
      memory_(link, cache, complaint_),
      invites_(link, rings_, control_, memory_, complaint_),
      moves_(link, rings_, control_, memory_, complaint_, listener),
      abandoned_(link, invites_, moves_) {}

Cut Channel::cut_of(Protocol protocol) const noexcept {
  return {protocol == Protocol::eager ? limits_.eager : piece_bytes(limits_), limits_.cut};
}

// Brings all that the peer is to fetch to the room of the transfer's view, once: nothing packs it
// later.
void Channel::bring(Transfer& transfer, const void* data, Bytes bytes) noexcept {
  if (transfer.brought == 0)
    link_.capabilities().fetching->pack(*transfer.view, static_cast<const std::byte*>(data), bytes);
  transfer.brought = bytes;
}

Answer Channel::send(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes,
                     Use use, const transport::Load& load) noexcept {
  const Protocol protocol = protocol_for(bytes, use, limits_);
  if (is_single_slot(protocol, limits_))
    return rings_.put(ring_of(protocol), &transfer, name, data,
                      transport::Length(static_cast<std::uint32_t>(bytes)));
  if (goes_in_pieces(protocol))
    return send_pieces(rings_, cut_of(protocol), transfer, name, data, bytes);
  if (protocol == Protocol::either) return send_either(transfer, name, data, bytes, load);
  if (protocol != Protocol::fetch) return moves_.send(transfer, name, data, bytes);
  if (transfer.view) bring(transfer, data, bytes);
  return invites_.send(transfer, name, data, bytes);
}

// As long as nothing has gone, each attempt may choose anew. Pieces can always go in the end
// (rings.hpp), so what finds no identifier or no slot for an entry goes as pieces, and the receiver
// need not say for which entry it waits. While no piece has credit none goes otherwise: the
// receiver may have asked for it, and would ask again and again.
Answer Channel::send_either(Transfer& transfer, const MessageName& name, const void* data,
                            Bytes bytes, const transport::Load& load) noexcept {
  using Phase = Transfer::Phase;
  if (transfer.phase == Phase::begin && transfer.moved == 0 &&
      rings_.may_put(Ring::eager, &transfer) &&
      link_.capabilities().fetching->fetch_pays(
          bytes,
          {load.receivers, load.receives, transfer.view && !transfer.view->is_read_often()})) {
    if (transfer.view) bring(transfer, data, bytes);
    const Answer answer = invites_.send(transfer, name, data, bytes);
    rings_.leave_line(transfer);  // of pieces; and of entries, if there is no room for one
    if (transfer.phase != Phase::begin || answer != Answer::again) return answer;
  }
  if (transfer.phase != Phase::begin) return invites_.send(transfer, name, data, bytes);
  return send_pieces(rings_, cut_of(Protocol::pieces), transfer, name, data, bytes);
}

[[gnu::always_inline]] inline Answer Channel::receive(Transfer& transfer, Protocol protocol,
                                                      const MessageName& name, void* data,
                                                      Bytes bytes,
                                                      const Operand* operand) noexcept {
  if (is_single_slot(protocol, limits_))
    return receive_eager(rings_, ring_of(protocol), complaint_, transfer, name, data, bytes,
                         operand);
  if (goes_in_pieces(protocol))
    return receive_pieces(rings_, cut_of(protocol), complaint_, transfer, name, data, bytes,
                          operand);
  if (protocol == Protocol::either) return receive_either(transfer, name, data, bytes, operand);
  return protocol == Protocol::fetch ? moves_.recv(transfer, name, data, bytes)
                                     : invites_.recv(transfer, name, data, bytes);
}

Answer Channel::recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes, Use use,
                     const Operand* operand) noexcept {
  const Protocol protocol = protocol_for(bytes, use, limits_);
  if (transfer.view) [[unlikely]]
    return receive_apart(transfer, protocol, name, data, bytes);
  return receive(transfer, protocol, name, data, bytes, operand);
}

// Bytes that come through slots go to their elements out of these, those that are fetched at once,
// and those that the peer writes once all of it is in the room.
Answer Channel::receive_apart(Transfer& transfer, Protocol protocol, const MessageName& name,
                              void* data, Bytes bytes) noexcept {
  const Operand unpacks{.view = transfer.view};
  const Answer answer = receive(transfer, protocol, name, data, bytes, &unpacks);
  auto* const place = static_cast<std::byte*>(data);
  if (answer == Answer::done && protocol == Protocol::rendezvous)
    transfer.view->unpack(place, bytes, place);
  return answer;
}

Answer Channel::receive_either(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                               const Operand* operand) noexcept {
  if (transfer.moved == 0 && moves_.may_receive(transfer, name)) {
    rings_.stop_asking(Ring::eager, transfer);
    return moves_.recv(transfer, name, data, bytes);
  }
  return receive_pieces(rings_, cut_of(Protocol::pieces), complaint_, transfer, name, data, bytes,
                        operand);
}

bool Channel::fits(const MessageName& call, Expectation expected) noexcept {
  bool all_fit = true;
  rings_.each_unconsumed([&](Ring ring, const Arrived& message) {
    const MessageName name = message.name();
    if (!name.of_same_call(call) || name.mark() != call.mark()) return;  // see Listener::unwanted()
    if (const auto wanted = expected(name.ordinal - call.ordinal)) {
      all_fit &= fits(*wanted, ring, message.length.bytes());
    } else {
      complain(Code::calls_differ,
               "it has sent a message that this rank does not receive from it in this call: do all "
               "ranks pass the same sizes and roots?");
      all_fit = false;
    }
  });
  return all_fit;
}

// `came`: the length of the message, or of a piece. Both ends choose the ring by the length that
// they pass, so a message in another ring has another length.
bool Channel::fits(const Expected& expected, Ring ring, Bytes came) noexcept {
  const Protocol protocol = protocol_for(expected.bytes, expected.use, limits_);
  if (ring == Ring::eager) {
    if (goes_in_pieces(protocol) || protocol == Protocol::either)
      return true;  // the receive sees whether it fits
    complain(
        Code::calls_differ,
        "a message of at least %lld bytes came where %lld were expected: do all ranks pass the "
        "same sizes?",
        came, expected.bytes);
    return false;
  }
  if (came == expected.bytes && ring == ring_of(protocol)) return true;
  complaint_.about_length(came, expected.bytes);
  return false;
}

// Each part that has something to give up takes it out of the transfer; a registration that is left
// has not been used.
void Channel::abandon(Transfer& transfer) noexcept {
  rings_.leave_line(transfer);
  invites_.abandon(transfer);
  moves_.abandon(transfer);
  memory_.release(transfer);
  transfer = {};
}

void Channel::progress() noexcept {
  rings_.grow();  // first: what has come is then seen
  control_.read();
  invites_.progress();
  rings_.drop_unwanted();
  moves_.progress();
  rings_.send_reports();
  control_.news().send();
}

}  // namespace tutti::protocols
