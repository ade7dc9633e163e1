// RendezvousMoves: the moving half of rendezvous (rendezvous.hpp), with one peer.
//
// Promises: each ready entry of the peer gets its outcome, `finished` or `withdrawn`; nothing is
// moved for a communicator that has failed here; where the peer may have no identifier left, it
// hears for which entry a transfer waits; a buffer stays registered while the adapter may read it,
// also after its send was abandoned. A message with a view, or one that is too long for one write,
// goes in parts, if the link has them, and the peer is told of the last part alone. Leaves to the
// caller: to call progress(), and to leave such a buffer alone while reads_abandoned(), as the peer
// may take what is there then for the message.
#pragma once

#include <array>
#include <bitset>
#include <vector>

#include "protocols/control.hpp"
#include "protocols/rendezvous.hpp"

namespace tutti::protocols {

class RendezvousMoves {
 public:
  // All must outlive this object.
  RendezvousMoves(transport::Link& link, Rings& rings, Control& control, UserMemory& memory,
                  Complaint& complaint, Listener& listener)
      : link_(link),
        rings_(rings),
        control_(control),
        memory_(memory),
        complaint_(complaint),
        listener_(listener) {}
  ~RendezvousMoves();

  // Writes into the peer's buffer.
  Answer send(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes) noexcept {
    if (transfer.view) [[unlikely]]
      pack_part(transfer, data, bytes);
    // The data is only ever read.
    return move(Access::write, transfer, name, const_cast<void*>(data), bytes);
  }
  // Reads from the peer's buffer.
  Answer recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes) noexcept {
    return move(Access::read, transfer, name, data, bytes);
  }
  // Whether recv() is under way, or the peer's entry for it is here. The transfer may have waited
  // for another protocol; it waits for none from here on.
  bool may_receive(const Transfer& transfer, const MessageName& name) noexcept;
  // See Channel. Transfers in phases of other protocols are left alone.
  void abandon(Transfer& transfer) noexcept;
  // The adapter may still read the buffer of an abandoned send.
  bool reads_abandoned() const noexcept { return adapter_reads(abandoned_); }
  void revoke_abandoned() noexcept;
  void release_abandoned() noexcept;
  // A send has written all its bytes, and only the adapter has not said so yet.
  bool awaits_acknowledgement() const noexcept { return unacknowledged_ != 0; }
  // Takes ready entries in, withdraws those whose call has failed here, and releases the buffers of
  // abandoned sends.
  void progress() noexcept;

 private:
  struct Ready {  // an entry that was taken out of its slot
    MessageName name;
    ReadyEntry entry;
  };
  struct Parked {  // the buffer of an abandoned send
    registration::Region* region;
    std::uint64_t ticket;
    bool revoked = false;
  };
  Answer move(Access access, Transfer& transfer, const MessageName& name, void* data,
              Bytes bytes) noexcept;
  Answer start(Access access, Transfer& transfer, const MessageName& name, void* data,
               Bytes bytes) noexcept;
  transport::Post write(const ReadyEntry& entry, const transport::RemoteKey& target,
                        Transfer& transfer, const void* data, Bytes bytes) noexcept;
  transport::Post write_packed(const ReadyEntry& entry, Transfer& transfer, const void* data,
                               Bytes bytes) noexcept;
  transport::Post write_in_parts(const ReadyEntry& entry, Transfer& transfer, const void* data,
                                 Bytes bytes) noexcept;
  transport::Post write_part(const ReadyEntry& entry, Transfer& transfer, const void* data,
                             Bytes bytes) noexcept;
  void pack_part(Transfer& transfer, const void* data, Bytes bytes) noexcept;
  bool gave_parts_up(std::uint32_t id) noexcept;
  transport::Post fetch(const ReadyEntry& entry, const Transfer& transfer, void* data,
                        Bytes bytes) noexcept;
  void take_entries() noexcept;
  void request(Access access, Transfer& transfer, const MessageName& name) noexcept;
  const ReadyEntry* entry_for(Access access, const MessageName& name) const noexcept;
  void withdraw() noexcept;
  void park(Transfer& transfer) noexcept;
  void release(const Parked& parked) noexcept;
  void release_parked() noexcept;
  // Data that a peer gets after it has left are no message any more.
  bool adapter_reads(std::uint64_t ticket) const noexcept {
    return link_.reads(ticket) && !closed();
  }
  bool closed() const noexcept { return link_.state() == transport::State::closed; }

  transport::Link& link_;
  Rings& rings_;
  Control& control_;
  UserMemory& memory_;
  Complaint& complaint_;
  Listener& listener_;
  // By the peer's identifiers. They are as many as the entries it may have open, so there is always
  // a place here, and its ring of entries never stays full.
  std::array<Ready, kMostRendezvous> entries_;
  std::bitset<kMostRendezvous> waiting_;          // the entry waits for its transfer
  std::bitset<kMostRendezvous> to_be_withdrawn_;  // the peer has to be told so
  // The ticket of the last part that was written by the entry, until its end was, too. 0: there is
  // no such part.
  std::array<std::uint64_t, kMostRendezvous> parts_{};
  std::uint32_t unacknowledged_ = 0;  // sends that have written, and are not done
  std::vector<Parked> parked_;
  std::uint64_t abandoned_ = 0;  // the last ticket of what is parked
};

}  // namespace tutti::protocols
