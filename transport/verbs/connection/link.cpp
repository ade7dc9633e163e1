// Handles completions and immediate data, and the news of the peer that they bring.
#include "transport/verbs/connection/link.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/bits.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::size_t kMultiple = 4096;  // where devices read and write best
// A message is written in parts so that its packing and the wire overlap. Nothing overlaps with the
// packing of the first part, so there are several; each is posted, and its completion read, which
// must cost little beside its packing; and the packed bytes should still be in the caches.
constexpr std::size_t kPartsOfMessage = 8;
constexpr std::size_t kLeastPart = std::size_t{16} << 10, kMostPart = std::size_t{256} << 10;

}  // namespace

VerbsLink::VerbsLink(LinkContext& context, int peer)
    : Link(context.shape, peer, first_shape(context.shape)),
      context_(context),
      first_(context, *this, false),
      larger_(context, *this),
      writes_(context.has_datagram) {
  set_capabilities({.notifies = true,
                    .report_bits = Immediate::kCreditBits,
                    .parts = this,
                    .registrar = &context.registrar,
                    .inquiry = &writes_,
                    .growth = this});
  inbox().place(first_.connection.inbox());
}

void VerbsLink::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                       const ibv_gid& gid) {
  if (arrival == Arrival::imm) inbox().count_arrivals();
  first_.connection.attach(peer, arrival, mtu, lid, gid);
}

bool VerbsLink::has_queue_pair(std::uint32_t number) const noexcept {
  const LargeSide* const larger = larger_.side();
  return first_.connection.queue_pair()->qp_num == number ||
         (larger && larger->connection.queue_pair()->qp_num == number);
}

// --- growth

Post VerbsLink::grow_out() noexcept {
  if (first_.writer.sent_disconnect()) return Post::again;
  if (const Post post = first_.writer.send_moved(); post != Post::done) return post;
  first_tickets_ = first_.writer.posted();
  out_ = larger_.side();
  writer_ = &out_->writer;
  outbox().grow();
  return Post::done;
}

void VerbsLink::handle_moved(bool large) noexcept {
  const LargeSide* const there = larger_.side();
  if (large || inbox().must_grow() || inbox().grown() || !there || !there->connection.attached())
    return fail_as_corrupt("it moves to a larger connection that does not exist");
  inbox().note_moved();
}

void VerbsLink::grow_in() noexcept {
  inbox().grow();
  if (disconnect_is_deferred_) become(State::ready, State::closed);
}

// --- large messages

// A very long write needs more places in the send queue than the first side has, and by a device in
// software a long one, too: such a write shows that the connection is hot, and waits for the large
// side.
bool VerbsLink::should_grow_before(std::size_t bytes) noexcept {
  if (state() != State::ready || !first_.writer.is_short_for(bytes)) return false;
  larger_.want();
  return larger_.stage() != Larger::Stage::impossible;
}

Post VerbsLink::write(const void* source, const Registration& registration, const RemoteKey& target,
                      std::size_t bytes, std::optional<std::uint32_t> notify,
                      std::uint64_t* ticket) noexcept {
  if (notify && writes_.is_in_parts(*notify)) [[unlikely]] {
    const Post post = write_all(source, registration, target, bytes, notify, ticket);
    if (post == Post::posted) writes_.end_parts(*notify);
    return post;
  }
  const std::uint64_t before = notify ? writes_.note_begun(*notify) : 0;
  const Post post = write_all(source, registration, target, bytes, notify, ticket);
  if (notify && post == Post::again) writes_.take_out(before);
  return post;
}

// Only by the large side: a write that began by the small one could end by the other, and nothing
// orders the two.
std::size_t VerbsLink::part_bytes(std::size_t bytes) noexcept {
  if (!out_ || bytes < 2 * kLeastPart) return 0;
  return round_up(std::clamp(bytes / kPartsOfMessage, kLeastPart, kMostPart), kMultiple);
}

// Parts by the small side are in order, too, if there will be no other.
std::size_t VerbsLink::most_at_once(std::size_t bytes) noexcept {
  if (out_) return out_->most_at_once();
  return should_grow_before(bytes) ? 0 : first_.writer.most_at_once();
}

// By the first rail alone: each share of the end has a notice of its own, which tells of what was
// written before on the same queue pair, and the first rail always has a share. Packing is slower
// than a rail.
Post VerbsLink::write_part(const void* source, const Registration& registration,
                           const RemoteKey& target, std::size_t bytes, std::uint32_t invitation,
                           std::uint64_t* ticket) noexcept {
  const bool begins = !writes_.is_in_parts(invitation);
  const std::uint64_t before = begins ? writes_.note_begun(invitation) : 0;
  const Post post = write_all(source, registration, target, bytes, std::nullopt, ticket);
  if (!begins) return post;
  if (post == Post::again)
    writes_.take_out(before);
  else
    writes_.begin_parts(invitation);
  return post;
}

// A share is no shorter than a message that would not come this way at all. A part is one share.
Post VerbsLink::write_all(const void* source, const Registration& registration,
                          const RemoteKey& target, std::size_t bytes,
                          std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept {
  if (out_ && !out_->lanes.empty()) {
    const std::size_t most =
        bytes / std::max<std::size_t>(context_.shape[Ring::eager].capacity(), 1);
    return write_shares(notify ? std::clamp<std::size_t>(most, 1, larger_.rails()) : 1, source,
                        registration, target, bytes, notify, ticket);
  }
  if (!out_ && should_grow_before(bytes)) return Post::again;
  std::optional<Immediate> notice;
  if (notify) notice = Immediate::finished(*notify, 1);
  const std::uint64_t before = writer_->posted();
  const Post post =
      writer_->write(reinterpret_cast<std::uint64_t>(source), registration.local_keys[0],
                     target.address, target.keys[0], bytes, notice);
  if (writer_->posted() != before) *ticket = first_tickets_ + writer_->posted();
  if (post != Post::done) return post;
  written_ += bytes;
  return Post::posted;
}

// All shares or none, so that a retry starts over. A write that fails halfway has a ticket, too.
Post VerbsLink::write_shares(std::size_t count, const void* source,
                             const Registration& registration, const RemoteKey& target,
                             std::size_t bytes, std::optional<std::uint32_t> notify,
                             std::uint64_t* ticket) noexcept {
  const std::size_t share = std::max(round_up(divide_up(bytes, count), kMultiple), kMultiple);
  count = std::max<std::size_t>(divide_up(bytes, share), 1);
  const auto bytes_of_share = [&](std::size_t rail) {
    return std::min(share, bytes - rail * share);
  };
  if (out_->shares->full()) return Post::again;
  for (std::size_t rail = 0; rail < count; ++rail)
    if (const Post post = out_->writer_of(rail).may_write(bytes_of_share(rail), notify.has_value());
        post != Post::done)
      return post;
  std::optional<Immediate> notice;
  if (notify) notice = Immediate::finished(*notify, static_cast<std::uint32_t>(count));
  Shares::Marks posted{};
  Post post = Post::done;
  for (std::size_t rail = 0; rail < count && post == Post::done; ++rail) {
    const std::uint64_t offset = rail * share;
    Writer& writer = out_->writer_of(rail);
    const std::uint64_t before = writer.posted();
    post = writer.write(reinterpret_cast<std::uint64_t>(source) + offset,
                        registration.local_keys[rail], target.address + offset, target.keys[rail],
                        bytes_of_share(rail), notice);
    if (writer.posted() != before) posted[rail] = writer.posted();
  }
  *ticket = first_tickets_ + out_->shares->add(posted);
  return post == Post::done ? Post::posted : Post::failed;
}

// --- completions

void VerbsLink::complete(const ibv_wc& completion, std::size_t rail) noexcept {
  const WorkId id(completion.wr_id);
  LargeSide* const larger = larger_.side();
  if (completion.status != IBV_WC_SUCCESS) {
    if (id.is_shared()) context_.shared.replace_one();
    if (!id.is_receive()) writer_of(id, rail).fail(id);
    return broke(completion,
                 rail == 0 ? context_.device : larger->lanes[rail - 1].connection().device());
  }
  if (!id.is_receive()) {
    writer_of(id, rail).complete(id);
    return count_completed();
  }
  Side& side = id.is_large() ? *larger : first_;
  const Immediate immediate(ntohl(completion.imm_data));
  if ((completion.wc_flags & IBV_WC_WITH_IMM) == 0)
    fail_as_corrupt("what it writes comes without immediate data");
  else if (rail == 0)
    handle(immediate, id.is_large());
  else if (immediate.kind() == Immediate::Kind::finished)
    handle_finished(immediate);
  else
    fail_as_corrupt("it sends by rail %lld what goes by the first", static_cast<long long>(rail));
  if (!(rail == 0 ? side.replace_receive() : larger->lanes[rail - 1].replace_receive()) &&
      state() != State::closed)
    fail(Code::transport_failed, "the device takes no more receive requests");
}

Writer& VerbsLink::writer_of(WorkId id, std::size_t rail) noexcept {
  if (rail == 0 && !id.is_large()) return first_.writer;
  return larger_.side()->writer_of(rail);
}

// A queue pair in error completes each request that it still has, as flushed, and by then reads
// nothing of it.
bool VerbsLink::reads(std::uint64_t ticket) const noexcept {
  if (completed() >= ticket) return false;
  if (!out_ || ticket <= first_tickets_) return first_.writer.reads(ticket);
  return first_.writer.reads(first_tickets_) || out_->reads(ticket - first_tickets_);
}

// A write by several rails is complete when all of them are.
std::uint64_t VerbsLink::progress_count() const noexcept {
  std::uint64_t sum = first_.writer.completed();
  for (std::size_t rail = 0; out_ && rail < larger_.rails(); ++rail)
    sum += std::as_const(*out_).writer_of(rail).completed();
  return sum;
}

// Tickets of the large side follow those of the first, which may not be complete yet.
void VerbsLink::count_completed() noexcept {
  const std::uint64_t first = first_.writer.completed();
  note_completed(!out_ || first < first_tickets_ ? first : first_tickets_ + out_->completed());
}

void VerbsLink::handle(Immediate immediate, bool large) noexcept {
  const auto ring = static_cast<Ring>(immediate.ring());  // of two kinds
  switch (immediate.kind()) {
    case Immediate::Kind::message: inbox().note_arrival(ring, large); break;
    case Immediate::Kind::credit:
      if (immediate.ring() >= kRings)
        return fail_as_corrupt("it gives credits for ring %lld, which cannot be", immediate.ring());
      inbox().note_credit(ring, immediate.consumed_after(inbox().reported(ring)));
      break;
    case Immediate::Kind::finished: handle_finished(immediate); break;
    case Immediate::Kind::disconnect:
      if (large && !inbox().grown())
        disconnect_is_deferred_ = true;
      else
        become(State::ready, State::closed);
      break;
    case Immediate::Kind::moved: handle_moved(large); break;
  }
}

// An identifier is used again only when its rendezvous is over, so notices of two never mix.
void VerbsLink::handle_finished(Immediate immediate) noexcept {
  if (immediate.id() >= shares_come_.size() || immediate.rails() > larger_.rails())
    return fail_as_corrupt("it has finished transfer %lld over %lld rails, which cannot be",
                           immediate.id(), immediate.rails());
  std::uint8_t& come = shares_come_[immediate.id()];
  if (++come < immediate.rails()) return;
  come = 0;
  writes_.note_ended(immediate.id());
  note_finished(immediate.id());
}

// --- signs of life

// A peer that left in order had acknowledgements of all it sent, so `moved` has come, and is taken
// by the second probe. If not, the small queue pair has failed at the peer, and nothing that came
// by the large one can ever be read.
void VerbsLink::probe() noexcept {
  look_for_notice();
  if (state() != State::ready) return;
  if (doubt_ != Doubt::none && left_in_between()) {
    if (std::exchange(doubt_, Doubt::probed) == Doubt::raised) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "rank %d of MPI_COMM_WORLD has left, and its last messages are lost: one of the "
                  "connections to it broke",
                  peer());
    return fail(Code::peer_failed, text);
  }
  writer_->probe();
}

// The peer's news of the connection comes by it. But it may have left Tutti before there was
// one, or have no memory for it; and it does not say that it has left no notice.
void VerbsLink::look_for_notice() noexcept {
  if (state().failed() || peer_has_left()) return;
  notices_.look();
  context_.has_datagram();
}

void VerbsLink::send_disconnect() noexcept {
  if (state() == State::ready && !peer_has_left()) writer_->send_disconnect();
}

// A peer that has left acknowledges nothing any more, and waits for nothing.
bool VerbsLink::drained() noexcept {
  send_disconnect();
  if (state() != State::ready || peer_has_left()) return true;
  const bool first_is_idle = first_.writer.idle();
  return writer_->sent_disconnect() && first_is_idle && (!out_ || out_->idle());
}

// Errors that follow a peer's disconnect come of its leaving and are no failure. Flushed requests
// follow a first error, whose cause is on record already. A process that dies may lose its memory
// before its queue pairs: so a refused access, too, means that it is gone.
void VerbsLink::broke(const ibv_wc& completion, const Device& device) noexcept {
  if (state() == State::closed || disconnect_is_deferred_) {
    if (left_in_between() && doubt_ == Doubt::none) doubt_ = Doubt::raised;
    first_.writer.complete_all();
    if (out_)
      for (std::size_t rail = 0; rail < larger_.rails(); ++rail)
        out_->writer_of(rail).complete_all();
    return count_completed();
  }
  if (state().failed()) return;
  char text[256];
  const bool gone =
      completion.status == IBV_WC_RETRY_EXC_ERR || completion.status == IBV_WC_RNR_RETRY_EXC_ERR ||
      completion.status == IBV_WC_WR_FLUSH_ERR || completion.status == IBV_WC_REM_ACCESS_ERR;
  char down[64];
  std::snprintf(down, sizeof down, "port %d of that device is down on this host", device.port());
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD no longer answers on device %s: %s (vendor code %u); %s",
                peer(), device.name().c_str(), ibv_wc_status_str(completion.status),
                completion.vendor_err,
                !gone                      ? "the connection is broken"
                : !device.port_is_active() ? down
                                           : "its process has died, its end of the connection has "
                                             "failed, or the path to it is gone");
  fail(gone ? Code::peer_failed : Code::transport_failed, text);
}

void VerbsLink::peer_gave_up(Code cause) noexcept {
  if (state() == State::closed) return;
  if (state() != State::connecting || cause != Code::unreachable) return fail_as_peer_did(cause);
  char text[256];
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD has given this rank up: most likely this rank did not "
                "answer in time; was this process stopped? If not, see what rank %d says",
                peer(), peer());
  fail(Code::unreachable, text);
}

// Data that one queue pair lost is lost for both ends: the peer must find out by any of them. A
// queue pair in error acknowledges nothing. A datagram, which may get lost, tells it sooner, and
// the cause.
void VerbsLink::break_off(Code) noexcept {
  const auto stop = [](const Connection& connection) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_ERR;
    ibv_modify_qp(connection.queue_pair(), &to, IBV_QP_STATE);
  };
  stop(first_.connection);
  if (const LargeSide* const larger = larger_.side()) {
    stop(larger->connection);
    for (const Lane& lane : larger->lanes) stop(lane.connection());
  }
  untold_ = true;
  context_.has_datagram();
}

}  // namespace tutti::transport::verbs
