// What completions and immediate data tell of the peer.
#include "transport/verbs/link.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>

#include "base/bits.hpp"

namespace tutti::transport::verbs {

VerbsLink::VerbsLink(const Device& device, ibv_cq* queue, Rails& rails, Registrar& registrar,
                     const LinkOptions& options, int peer, const InboxShape& shape)
    : Link(shape, peer),
      registrar_(registrar),
      connection_(device, queue, options, peer, shape),
      receives_(connection_.queue_pair(), peer, shape),
      writer_(connection_, *this) {
  inbox_ = connection_.inbox();
  for (Rail& rail : rails) lanes_.emplace_back(rail, options, *this);
  if (!lanes_.empty()) shares_ = std::make_unique<Shares>(this->rails());
}

void VerbsLink::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                       const ibv_gid& gid, const LaneInfos& lanes) {
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (!lanes_[i].connection().attached()) lanes_[i].attach(lanes[i]);
  polls_memory_ = arrival != Arrival::imm;
  credits_ =
      polls_memory_ ? reinterpret_cast<const std::uint32_t*>(inbox_) : credits_by_immediate_.data();
  connection_.attach(peer, arrival, mtu, lid, gid);
}

LaneInfos VerbsLink::lane_infos() const noexcept {
  LaneInfos infos{};
  for (std::size_t i = 0; i < lanes_.size(); ++i) infos[i] = lanes_[i].info();
  return infos;
}

// A share is no shorter than a message that would not come this way at all.
Post VerbsLink::write(const void* source, const Registration& registration, const RemoteKey& target,
                      std::size_t bytes, std::optional<std::uint32_t> notify,
                      std::uint64_t* ticket) noexcept {
  if (!lanes_.empty()) {
    const std::size_t most = bytes / std::max<std::size_t>(shape()[Ring::eager].capacity(), 1);
    return write_shares(std::clamp<std::size_t>(most, 1, rails()), source, registration, target,
                        bytes, notify, ticket);
  }
  std::optional<Immediate> notice;
  if (notify) notice = Immediate::finished(*notify, 1);
  const Post post =
      writer_.write(reinterpret_cast<std::uint64_t>(source), registration.local_keys[0],
                    target.address, target.keys[0], bytes, notice);
  if (post != Post::done) return post;
  *ticket = writer_.posted();
  return Post::posted;
}

// All shares or none, so that a retry starts over.
Post VerbsLink::write_shares(std::size_t count, const void* source,
                             const Registration& registration, const RemoteKey& target,
                             std::size_t bytes, std::optional<std::uint32_t> notify,
                             std::uint64_t* ticket) noexcept {
  constexpr std::size_t kMultiple = 4096;  // where devices read and write best
  const std::size_t share = round_up(divide_up(bytes, count), kMultiple);
  count = std::max<std::size_t>(divide_up(bytes, share), 1);
  const auto bytes_of_share = [&](std::size_t rail) {
    return std::min(share, bytes - rail * share);
  };
  if (shares_->full()) return Post::again;
  for (std::size_t rail = 0; rail < count; ++rail)
    if (const Post post = writer(rail).may_write(bytes_of_share(rail), notify.has_value());
        post != Post::done)
      return post;
  std::optional<Immediate> notice;
  if (notify) notice = Immediate::finished(*notify, static_cast<std::uint32_t>(count));
  Shares::Marks posted{};
  for (std::size_t rail = 0; rail < count; ++rail) {
    const std::uint64_t offset = rail * share;
    const Post post = writer(rail).write(reinterpret_cast<std::uint64_t>(source) + offset,
                                         registration.local_keys[rail], target.address + offset,
                                         target.keys[rail], bytes_of_share(rail), notice);
    if (post != Post::done) return Post::failed;
    posted[rail] = writer(rail).posted();
  }
  *ticket = shares_->add(posted);
  return Post::posted;
}

void VerbsLink::complete(const ibv_wc& completion, std::size_t rail) noexcept {
  const WorkId id(completion.wr_id);
  if (completion.status != IBV_WC_SUCCESS)
    return broke(completion, (rail == 0 ? connection_ : lanes_[rail - 1].connection()).device());
  if (!id.is_receive()) {
    writer(rail).complete(id);
    return count_completed();
  }
  const Immediate immediate(ntohl(completion.imm_data));
  if ((completion.wc_flags & IBV_WC_WITH_IMM) == 0)
    distrust("what it writes comes without immediate data");
  else if (rail == 0)
    take(immediate);
  else if (immediate.kind() == Immediate::Kind::finished)
    take_finished(immediate);
  else
    distrust("it sends by rail %lld what goes by the first", static_cast<long long>(rail));
  if (!(rail == 0 ? receives_.replace_one() : lanes_[rail - 1].replace_receive()) &&
      state() != State::closed)
    fail(Code::transport_failed, "the device takes no more receive requests");
}

void VerbsLink::count_completed() noexcept {
  if (lanes_.empty()) {
    completed_ = writer_.completed();
    return;
  }
  Shares::Marks completed{};
  for (std::size_t rail = 0; rail < rails(); ++rail) completed[rail] = writer(rail).completed();
  completed_ = shares_->complete(completed);
}

void VerbsLink::take(Immediate immediate) noexcept {
  switch (immediate.kind()) {
    case Immediate::Kind::message: ++arrivals_[immediate.ring()]; break;
    case Immediate::Kind::credit:
      if (immediate.ring() >= kRings)
        return distrust("it gives credits for ring %lld, which cannot be", immediate.ring());
      credits_by_immediate_[immediate.ring()] =
          immediate.consumed_after(credits_by_immediate_[immediate.ring()]);
      break;
    case Immediate::Kind::finished: take_finished(immediate); break;
    case Immediate::Kind::farewell:
      if (state() == State::ready) state_.store(State::closed, std::memory_order_release);
      break;
  }
}

// An identifier is used again only when its rendezvous is over, so notices of two never mix.
void VerbsLink::take_finished(Immediate immediate) noexcept {
  if (immediate.id() >= notices_.size() || immediate.rails() > rails())
    return distrust("it has finished transfer %lld over %lld rails, which cannot be",
                    immediate.id(), immediate.rails());
  std::uint8_t& come = notices_[immediate.id()];
  if (++come < immediate.rails()) return;
  come = 0;
  note_finished(immediate.id());
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
  const auto idle = [](const Lane& lane) {
    return lane.writer().completed() == lane.writer().posted();
  };
  return state() != State::ready || (writer_.drained() && std::ranges::all_of(lanes_, idle));
}

// Errors that follow a peer's farewell come of its leaving and are no failure. Flushed requests
// follow a first error, whose cause is on record already. A process that dies may lose its memory
// before its queue pairs: so a refused access, too, means that it is gone.
void VerbsLink::broke(const ibv_wc& completion, const Device& device) noexcept {
  if (state() == State::closed) {
    for (std::size_t rail = 0; rail < rails(); ++rail) writer(rail).complete_all();
    return count_completed();
  }
  if (failed()) return;
  char text[256];
  const bool gone =
      completion.status == IBV_WC_RETRY_EXC_ERR || completion.status == IBV_WC_RNR_RETRY_EXC_ERR ||
      completion.status == IBV_WC_WR_FLUSH_ERR || completion.status == IBV_WC_REM_ACCESS_ERR;
  std::snprintf(
      text, sizeof text,
      "rank %d of MPI_COMM_WORLD no longer answers on device %s: %s (vendor code %u); %s", peer(),
      device.name().c_str(), ibv_wc_status_str(completion.status), completion.vendor_err,
      gone ? "its process has died, or the path to it is gone" : "the connection is broken");
  fail(gone ? Code::peer_failed : Code::transport_failed, text);
  if (lanes_.empty()) return;
  // What one rail lost is lost for both ends: the peer must find out, whichever rail it looks at.
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(connection_.queue_pair(), &to, IBV_QP_STATE);
}

}  // namespace tutti::transport::verbs
