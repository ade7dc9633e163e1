// What completions and immediate data tell of the peer.
#include "transport/verbs/link.hpp"

#include <arpa/inet.h>

#include <cstdio>

namespace tutti::transport::verbs {

VerbsLink::VerbsLink(const Device& device, ibv_cq* queue, Registrar& registrar,
                     const LinkOptions& options, int peer, const InboxShape& shape)
    : Link(shape, peer),
      registrar_(registrar),
      connection_(device, queue, options, peer, shape),
      receives_(connection_.queue_pair(), peer, shape),
      writer_(connection_, *this) {
  inbox_ = connection_.inbox();
}

void VerbsLink::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                       const ibv_gid& gid) {
  polls_memory_ = arrival != Arrival::imm;
  credits_ =
      polls_memory_ ? reinterpret_cast<const std::uint32_t*>(inbox_) : credits_by_immediate_.data();
  connection_.attach(peer, arrival, mtu, lid, gid);
}

void VerbsLink::complete(const ibv_wc& completion) noexcept {
  const WorkId id(completion.wr_id);
  if (completion.status != IBV_WC_SUCCESS) return broke(completion);
  if (!id.is_receive()) {
    completed_ = writer_.complete(id);
    return;
  }
  take(Immediate(ntohl(completion.imm_data)));
  if (!receives_.replace_one() && state() != State::closed)
    fail(Code::transport_failed, "the device takes no more receive requests");
}

void VerbsLink::take(Immediate immediate) noexcept {
  switch (immediate.kind()) {
    case Immediate::Kind::message: ++arrivals_[immediate.ring()]; break;
    case Immediate::Kind::credit:
      if (immediate.ring() < kRings) {
        std::uint32_t& credit = credits_by_immediate_[immediate.ring()];
        credit = immediate.consumed_after(credit);
      }
      break;
    case Immediate::Kind::finished: note_finished(immediate.number()); break;
    case Immediate::Kind::farewell:
      if (state() == State::ready) state_.store(State::closed, std::memory_order_release);
      break;
  }
}

void VerbsLink::probe() noexcept {
  if (state() == State::ready) writer_.probe();
}

void VerbsLink::say_farewell() noexcept {
  if (state() == State::ready) writer_.say_farewell();
}

// A peer that has left acknowledges nothing any more, and waits for nothing.
bool VerbsLink::drained() noexcept {
  say_farewell();
  return state() != State::ready || writer_.drained();
}

// Errors that follow a peer's farewell come of its leaving and are no failure. Flushed requests
// follow a first error, whose cause is on record already. A process that dies may lose its memory
// before its queue pairs: so a refused access, too, means that it is gone.
void VerbsLink::broke(const ibv_wc& completion) noexcept {
  if (state() == State::closed) {
    completed_ = writer_.complete_all();
    return;
  }
  char text[256];
  const bool gone =
      completion.status == IBV_WC_RETRY_EXC_ERR || completion.status == IBV_WC_RNR_RETRY_EXC_ERR ||
      completion.status == IBV_WC_WR_FLUSH_ERR || completion.status == IBV_WC_REM_ACCESS_ERR;
  std::snprintf(
      text, sizeof text,
      "rank %d of MPI_COMM_WORLD no longer answers on device %s: %s (vendor code %u); %s", peer(),
      connection_.device().name().c_str(), ibv_wc_status_str(completion.status),
      completion.vendor_err,
      gone ? "its process has died, or the path to it is gone" : "the connection is broken");
  fail(gone ? Code::peer_failed : Code::transport_failed, text);
}

}  // namespace tutti::transport::verbs
