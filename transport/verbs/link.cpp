// Work requests of one queue pair, and their completions.
#include "transport/verbs/link.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "base/pages.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kRepostBatch = 16;
constexpr std::size_t kFarewellOffset = 60;  // in the inbox's credit line, behind the counters
constexpr std::uint32_t kLowBits = 29;
constexpr std::uint32_t kCreditBits = 26;

constexpr std::uint32_t immediate(Immediate kind, std::uint32_t low) {
  return static_cast<std::uint32_t>(kind) << kLowBits | low;
}

}  // namespace

// One receive for every write with immediate that can be under way. Ring slots are bounded by
// credits; a credit report follows half a ring of consumed slots, which the peer cannot have filled
// again twice without our polling; finished notices are at most the rendezvous in flight (64); one
// farewell. So the receiver is never found not ready (RNR).
std::uint32_t VerbsLink::receives_for(const InboxShape& shape) noexcept {
  std::uint32_t slots = 0;
  for (const RingShape& ring : shape.rings) slots += ring.slots;
  return slots + 4 * kRings + 64 + 1 + 2 * kRepostBatch;
}

Arrival VerbsLink::safe_arrival(const Device& device, ibv_cq* queue, Registrar& registrar,
                                const LinkOptions& options, const InboxShape& shape) noexcept {
  try {
    VerbsLink itself(device, queue, registrar, options, 0, shape);
    itself.attach(itself.info(), Arrival::imm, device.mtu(), device.lid(), device.gid());
    return ibv_query_qp_data_in_order(itself.queue_pair_.get(), IBV_WR_RDMA_WRITE, 0)
               ? Arrival::tail
               : Arrival::imm;
  } catch (const Error&) {
    return Arrival::imm;
  }
}

VerbsLink::VerbsLink(const Device& device, ibv_cq* queue, Registrar& registrar,
                     const LinkOptions& options, int peer, const InboxShape& shape)
    : Link(shape, peer),
      device_(device),
      registrar_(registrar),
      options_(options),
      arrival_(options.arrival) {
  const std::size_t bytes = round_up_to_pages(shape.bytes());
  memory_ = own_pages(2 * bytes, "a connection");
  inbox_ = memory_.get();
  staging_ = inbox_ + bytes;
  inbox_region_ =
      register_memory(device, inbox_, bytes, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  staging_region_ = register_memory(device, staging_, bytes, 0);

  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = queue;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap = {options.send_queue_depth, receives_for(shape), 3, 1, options.inline_bytes};
  queue_pair_ = create_queue_pair(device, wanted);
  inline_limit_ = wanted.cap.max_inline_data;
  packet_sequence_ = std::random_device{}() & 0xffffff;

  initialize(device, queue_pair_.get());
  repost(receives_for(shape));
}

PeerInfo VerbsLink::info() const noexcept {
  return {queue_pair_->qp_num, packet_sequence_, reinterpret_cast<std::uint64_t>(inbox_),
          inbox_region_->rkey};
}

void VerbsLink::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                       const ibv_gid& gid) {
  arrival_ = arrival;
  polls_memory_ = arrival != Arrival::imm;
  credits_ =
      polls_memory_ ? reinterpret_cast<const std::uint32_t*>(inbox_) : credits_by_immediate_.data();
  peer_info_ = peer;
  packet_bytes_ = static_cast<std::size_t>(bytes_of(mtu));
  make_ready(queue_pair_.get(),
             {this->peer(), device_.path_to(lid, gid), mtu, peer.queue_pair, peer.packet_sequence,
              packet_sequence_, options_.timeout, options_.retry_count});
  attached_ = true;
}

// --- posting -----------------------------------------------------------------------------------

ibv_send_wr VerbsLink::request(ibv_sge* pieces, int count, ibv_wr_opcode opcode,
                               std::uint64_t address, std::uint32_t key) noexcept {
  ibv_send_wr wr{};
  wr.sg_list = pieces;
  wr.num_sge = count;
  wr.opcode = opcode;
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = key;
  return wr;
}

// Numbers the request; asks for a completion if one is wanted, or if a quarter of the queue went
// without.
void VerbsLink::sign(ibv_send_wr& wr, bool wanted) noexcept {
  ++posted_;
  wr.wr_id = static_cast<std::uint64_t>(peer()) << kPeerShift | (posted_ & kSequenceMask);
  if (wanted || posted_ - signaled_ >= options_.send_queue_depth / 4) {
    wr.send_flags |= IBV_SEND_SIGNALED;
    signaled_ = posted_;
  }
}

Post VerbsLink::post(ibv_send_wr& first, std::uint32_t count) noexcept {
  ibv_send_wr* bad = nullptr;
  const int error = ibv_post_send(queue_pair_.get(), &first, &bad);
  if (error == 0) return Post::done;
  // The queue's room was checked, so this is no back-pressure: the device refuses.
  posted_ -= count;
  char text[200];
  std::snprintf(text, sizeof text, "the device refuses to send to rank %d of MPI_COMM_WORLD: %s",
                peer(), std::strerror(error));
  fail(Code::transport_failed, text);
  return Post::failed;
}

Post VerbsLink::put(Ring ring, std::uint32_t index, const void* payload,
                    const Trailer& trailer) noexcept {
  if (failed()) return Post::failed;
  if (!has_room(2)) return Post::again;
  const std::size_t end = shape_.slot_end(ring, index);
  const std::uint32_t body = padded(trailer.bytes);
  const std::uint32_t total = body + static_cast<std::uint32_t>(sizeof trailer);
  const std::uint64_t target = peer_info_.inbox_address + end - total;

  ibv_sge pieces[3];
  int count = 0;
  unsigned flags = 0;
  const std::byte* last_word = reinterpret_cast<const std::byte*>(&trailer) + sizeof trailer - 8;
  if (total <= inline_limit_) {
    // Copied by the post itself: no registration, no staging.
    static constexpr std::uint64_t padding = 0;
    flags = IBV_SEND_INLINE;
    if (trailer.bytes != 0)
      pieces[count++] = {reinterpret_cast<std::uint64_t>(payload), trailer.bytes, 0};
    if (body != trailer.bytes)
      pieces[count++] = {reinterpret_cast<std::uint64_t>(&padding), body - trailer.bytes, 0};
    pieces[count++] = {reinterpret_cast<std::uint64_t>(&trailer), sizeof trailer, 0};
  } else {
    // The staging mirror has a place for every slot of the peer. A credit for the slot means that
    // the peer has consumed the message that was there, so the write from this place has long
    // completed and the place may be overwritten.
    std::byte* const staged = staging_ + end - total;
    std::memcpy(staged, payload, trailer.bytes);
    std::memcpy(staged + body, &trailer, sizeof trailer);
    last_word = staged + total - 8;
    pieces[count++] = {reinterpret_cast<std::uint64_t>(staged), total, staging_region_->lkey};
  }

  if (arrival_ != Arrival::flag) {
    ibv_send_wr wr = request(
        pieces, count, arrival_ == Arrival::imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
        target, peer_info_.inbox_key);
    wr.send_flags = flags;
    wr.imm_data = htonl(immediate(static_cast<Immediate>(ring), 0));
    sign(wr, false);
    return post(wr, 1);
  }
  // Body first; the word that tells of arrival in a second write on the same queue pair.
  pieces[count - 1].length -= 8;
  ibv_sge word{reinterpret_cast<std::uint64_t>(last_word), 8, staging_region_->lkey};
  ibv_send_wr flag = request(&word, 1, IBV_WR_RDMA_WRITE, target + total - 8, peer_info_.inbox_key);
  ibv_send_wr wr = request(pieces, count, IBV_WR_RDMA_WRITE, target, peer_info_.inbox_key);
  wr.send_flags = flags;
  wr.next = &flag;
  flag.send_flags = inline_limit_ >= 8 ? IBV_SEND_INLINE : 0;
  sign(wr, false);
  sign(flag, false);
  return post(wr, 2);
}

Post VerbsLink::report(Ring ring, std::uint32_t consumed) noexcept {
  if (arrival_ == Arrival::imm)
    return post_immediate(Immediate::credit, static_cast<std::uint32_t>(ring) << kCreditBits |
                                                 (consumed & ((1u << kCreditBits) - 1)));
  return post_word(4 * static_cast<std::uint64_t>(ring), consumed);
}

Post VerbsLink::post_immediate(Immediate kind, std::uint32_t low, bool signaled) noexcept {
  if (failed()) return Post::failed;
  if (!has_room(1)) return Post::again;
  ibv_send_wr wr = request(nullptr, 0, IBV_WR_RDMA_WRITE_WITH_IMM, peer_info_.inbox_address,
                           peer_info_.inbox_key);
  wr.imm_data = htonl(immediate(kind, low));
  sign(wr, signaled);
  return post(wr, 1);
}

Post VerbsLink::post_word(std::uint64_t offset, std::uint32_t value, bool signaled) noexcept {
  if (failed()) return Post::failed;
  if (!has_room(1)) return Post::again;
  ibv_sge word{reinterpret_cast<std::uint64_t>(&value), sizeof value, 0};
  ibv_send_wr wr =
      request(&word, 1, IBV_WR_RDMA_WRITE, peer_info_.inbox_address + offset, peer_info_.inbox_key);
  wr.send_flags = IBV_SEND_INLINE;
  sign(wr, signaled);
  return post(wr, 1);
}

Post VerbsLink::write(const void* source, const Registration& registration, const RemoteKey& target,
                      std::size_t bytes, std::optional<std::uint32_t> notify,
                      std::uint64_t* ticket) noexcept {
  if (failed()) return Post::failed;
  // In pieces that the port can carry; all or nothing, so that a retry starts over.
  std::size_t most = std::min<std::size_t>(device_.max_message(), std::size_t{1} << 30);
  if (device_.software()) {
    const std::size_t wanted = packet_bytes_ * kPacketsAcknowledged,
                      needed = bytes / (options_.send_queue_depth / 2) + 1;
    most = std::min(most, std::max(wanted, round_up(needed, packet_bytes_)));
  }
  const std::size_t count = bytes == 0 ? 1 : divide_up(bytes, most);
  if (count > options_.send_queue_depth) {
    fail(Code::unsupported,
         "a message is too long for the send queue; raise the device's longest message or cut it "
         "with segment=");
    return Post::failed;
  }
  if (!has_room(static_cast<std::uint32_t>(count))) return Post::again;
  for (std::size_t i = 0, offset = 0; i < count; ++i, offset += most) {
    const bool last = i + 1 == count;
    ibv_sge piece{reinterpret_cast<std::uint64_t>(source) + offset,
                  static_cast<std::uint32_t>(std::min(most, bytes - offset)),
                  registration.local_key};
    ibv_send_wr wr = request(&piece, bytes == 0 ? 0 : 1,
                             last && notify ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
                             target.address + offset, target.key);
    if (last && notify) wr.imm_data = htonl(immediate(Immediate::finished, *notify));
    sign(wr, last);
    if (post(wr, 1) != Post::done) return Post::failed;
  }
  *ticket = posted_;
  return Post::posted;
}

void VerbsLink::look_for_farewell() noexcept {
  const auto* farewell = reinterpret_cast<const std::uint32_t*>(inbox_ + kFarewellOffset);
  if (polls_memory_ && state() == State::ready && __atomic_load_n(farewell, __ATOMIC_ACQUIRE) != 0)
    state_.store(State::closed, std::memory_order_release);
}

void VerbsLink::probe() noexcept {
  look_for_farewell();
  if (state() != State::ready || completed_ < probe_ || !has_room(1)) return;
  ibv_send_wr wr =
      request(nullptr, 0, IBV_WR_RDMA_WRITE, peer_info_.inbox_address, peer_info_.inbox_key);
  sign(wr, true);
  probe_ = posted_;
  post(wr, 1);
}

// A peer that has left acknowledges nothing any more, and waits for nothing.
bool VerbsLink::drained() noexcept {
  look_for_farewell();
  if (state() != State::ready) return true;
  if (!said_farewell_) say_farewell();
  return said_farewell_ && completed_ == posted_;
}

// Signaled: a peer that has read it may be gone before anything later is acknowledged.
void VerbsLink::say_farewell() noexcept {
  look_for_farewell();
  if (state() != State::ready) return;
  const Post post = arrival_ == Arrival::imm ? post_immediate(Immediate::farewell, 0, true)
                                             : post_word(kFarewellOffset, 1, true);
  said_farewell_ = post == Post::done;
}

// --- completions -------------------------------------------------------------------------------

void VerbsLink::complete(const ibv_wc& completion, std::uint64_t sequence) noexcept {
  if (completion.status != IBV_WC_SUCCESS) return broken(completion);
  if (completion.wr_id & kReceiveMark) {
    take_immediate(ntohl(completion.imm_data));
    if (++owed_receives_ >= kRepostBatch) repost(std::exchange(owed_receives_, 0));
    return;
  }
  // The number is cut to 40 bits; the distance to what was posted is far below.
  completed_ = posted_ - ((posted_ - sequence) & kSequenceMask);
}

void VerbsLink::take_immediate(std::uint32_t word) noexcept {
  const std::uint32_t kind = word >> kLowBits, low = word & ((1u << kLowBits) - 1);
  if (kind < kRings) {
    ++arrivals_[kind];
  } else if (kind == static_cast<std::uint32_t>(Immediate::credit)) {
    const std::uint32_t ring = low >> kCreditBits;
    if (ring >= kRings) return;
    // 26 bits of a growing counter: the whole is the nearest one at or above the last.
    std::uint32_t& credit = credits_by_immediate_[ring];
    credit += (low - credit) & ((1u << kCreditBits) - 1);
  } else if (kind == static_cast<std::uint32_t>(Immediate::finished)) {
    note_finished(low);
  } else if (state() == State::ready) {
    state_.store(State::closed, std::memory_order_release);
  }
}

void VerbsLink::repost(std::uint32_t count) noexcept {
  std::array<ibv_recv_wr, kRepostBatch> batch{};
  for (auto& wr : batch) wr.wr_id = kReceiveMark | static_cast<std::uint64_t>(peer()) << kPeerShift;
  while (count > 0) {
    const std::uint32_t now = std::min<std::uint32_t>(count, kRepostBatch);
    for (std::uint32_t i = 0; i < now; ++i) batch[i].next = i + 1 < now ? &batch[i + 1] : nullptr;
    ibv_recv_wr* bad = nullptr;
    if (ibv_post_recv(queue_pair_.get(), batch.data(), &bad) != 0) {
      if (state() != State::closed)
        fail(Code::transport_failed, "the device takes no more receive requests");
      return;
    }
    count -= now;
  }
}

// Errors of a peer that has said farewell are its leaving, not a failure. Flushed requests follow a
// first error, which was recorded then. Of a process that dies the memory may go before the queue
// pairs.
void VerbsLink::broken(const ibv_wc& completion) noexcept {
  if (state() == State::closed) {
    completed_ = posted_;
    return;
  }
  char text[256];
  const bool gone =
      completion.status == IBV_WC_RETRY_EXC_ERR || completion.status == IBV_WC_RNR_RETRY_EXC_ERR ||
      completion.status == IBV_WC_WR_FLUSH_ERR || completion.status == IBV_WC_REM_ACCESS_ERR;
  std::snprintf(
      text, sizeof text,
      "rank %d of MPI_COMM_WORLD no longer answers on device %s: %s (vendor code %u); %s", peer(),
      device_.name().c_str(), ibv_wc_status_str(completion.status), completion.vendor_err,
      gone ? "its process has died, or the path to it is gone" : "the connection is broken");
  fail(gone ? Code::peer_failed : Code::transport_failed, text);
}

}  // namespace tutti::transport::verbs
