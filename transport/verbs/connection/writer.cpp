// Posts the work requests of one queue pair.
#include "transport/verbs/connection/writer.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/bits.hpp"
#include "base/copy.hpp"

namespace tutti::transport::verbs {
namespace {

// A device in software acknowledges, and so counts its retries anew, at the end of a request or
// after some 64 packets, and a retry starts at the first packet that was lost. So the fewer packets
// a request has, the less often all its retries fail although the peer lives: rxe with 1 % of the
// packets lost gives up some 10 times more rarely with each retry if requests have 8 packets, and
// 3 times with 32. Requests of 8 packets took as long as those of 32, at 16 KiB to 1 MiB.
constexpr std::size_t kPacketsAcknowledged = 8;
// A write that the queue would make longer than this waits for a longer queue.
constexpr std::size_t kMostPacketsAcknowledged = 32;
constexpr std::size_t kLongestPiece = std::size_t{1} << 30;
// A long write has a completion at least so often, if it is cut into pieces: others see by it that
// the device makes progress.
constexpr std::size_t kBytesPerCompletion = std::size_t{2} << 20;
constexpr std::uint32_t kLastWord = 8;  // bytes that `flag` writes after the others

ibv_send_wr request(ibv_sge* pieces, int count, ibv_wr_opcode opcode, std::uint64_t address,
                    std::uint32_t key) noexcept {
  ibv_send_wr wr{};
  wr.sg_list = pieces;
  wr.num_sge = count;
  wr.opcode = opcode;
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = key;
  return wr;
}

// A write of no bytes, which tells the peer something.
ibv_send_wr request(Immediate immediate, const PeerInfo& peer) noexcept {
  ibv_send_wr wr =
      request(nullptr, 0, IBV_WR_RDMA_WRITE_WITH_IMM, peer.inbox_address, peer.inbox_key);
  wr.imm_data = htonl(immediate.word());
  return wr;
}

// Requests that are posted together: a device in software takes a system call for each post, and
// any device a doorbell.
class Chain {
 public:
  // Valid until clear(), and so are the requests.
  ibv_send_wr& add(const ibv_sge& piece, std::uint64_t target, std::uint32_t key) noexcept {
    pieces_[count_] = piece;
    return link(request(&pieces_[count_], 1, IBV_WR_RDMA_WRITE, target, key));
  }
  ibv_send_wr& add(Immediate immediate, const PeerInfo& peer) noexcept {
    return link(request(immediate, peer));
  }
  ibv_send_wr& first() noexcept { return requests_[0]; }
  bool empty() const noexcept { return count_ == 0; }
  bool full() const noexcept { return count_ == requests_.size(); }
  void clear() noexcept { count_ = 0; }

 private:
  ibv_send_wr& link(const ibv_send_wr& added) noexcept {
    requests_[count_] = added;
    if (count_ != 0) requests_[count_ - 1].next = &requests_[count_];
    return requests_[count_++];
  }

  std::array<ibv_sge, 32> pieces_;
  std::array<ibv_send_wr, 32> requests_;
  std::size_t count_ = 0;
};

}  // namespace

Writer::Writer(const Connection& connection, Link& link, bool large)
    : connection_(connection),
      link_(link),
      depth_(connection.options().send_queue_depth),
      large_(large) {
  if (const Mirror& mirror = connection.mirror(); mirror.shared_bytes() != 0)
    shared_.emplace(mirror.shared_bytes(), connection.shape()[Ring::eager].slots);
}

// Asks for a completion if one is wanted, or if a quarter of the queue went without.
void Writer::number(ibv_send_wr& wr, bool signaled) noexcept {
  ++posted_;
  wr.wr_id = WorkId::send(link_.peer(), posted_, large_).word();
  if (signaled || posted_ - signaled_ >= depth_ / 4) {
    wr.send_flags |= IBV_SEND_SIGNALED;
    signaled_ = posted_;
  }
}

Post Writer::post(ibv_send_wr& first) noexcept {
  ibv_send_wr* bad = &first;
  const int error = ibv_post_send(connection_.queue_pair(), &first, &bad);
  if (error == 0) return Post::done;
  // The queue had room, so this is no back-pressure.
  for (; bad; bad = bad->next) --posted_;
  char text[200];
  std::snprintf(text, sizeof text, "the device refuses to send to rank %d of MPI_COMM_WORLD: %s",
                link_.peer(), std::strerror(error));
  link_.fail(Code::transport_failed, text);
  return Post::failed;
}

// `begin` is null: there is no room now.
Writer::Place Writer::place_for(Ring ring, std::uint32_t index, std::uint32_t total) noexcept {
  const Mirror& mirror = connection_.mirror();
  if (!mirror.shares(ring)) return {connection_.staging() + mirror.place_end(ring, index) - total};
  const std::uint32_t lines = round_up(total, static_cast<std::uint32_t>(kCacheLine));
  const auto offset = shared_->room_for(lines, completed_);
  if (!offset) return {};
  return {connection_.staging() + mirror.shared_begin() + *offset, *offset, lines,
          shared_->is_long(lines)};
}

// The last request that was numbered sends the message from that place.
void Writer::take(const Place& place) noexcept {
  if (place.shared_bytes != 0) shared_->take(place.offset, place.shared_bytes, posted_);
}

// `total` bytes: payload, padding and trailer, which go inline, or from `staged`.
Writer::Gather Writer::gather(const void* payload, const Trailer& trailer, std::uint32_t total,
                              std::byte* staged) const noexcept {
  Gather result;
  const std::uint32_t body = padded(trailer.length.bytes());
  const auto add = [&](const void* from, std::uint32_t bytes, std::uint32_t key) {
    result.pieces[result.count++] = {reinterpret_cast<std::uint64_t>(from), bytes, key};
  };
  if (total <= connection_.inline_limit()) {
    // Copied by the post itself: no registration, no staging.
    static constexpr std::uint64_t padding = 0;
    result.flags = IBV_SEND_INLINE;
    if (trailer.length.bytes() != 0) add(payload, trailer.length.bytes(), 0);
    if (body != trailer.length.bytes()) add(&padding, body - trailer.length.bytes(), 0);
    add(&trailer, sizeof trailer, 0);
    result.last_word = reinterpret_cast<const std::byte*>(&trailer) + sizeof trailer - kLastWord;
  } else {
    copy_bytes(staged, payload, trailer.length.bytes());
    std::memcpy(staged + body, &trailer, sizeof trailer);
    add(staged, total, connection_.staging_key());
    result.last_word = staged + total - kLastWord;
  }
  return result;
}

Post Writer::put(Ring ring, std::uint32_t index, const void* payload,
                 const Trailer& trailer) noexcept {
  if (link_.state().failed()) return Post::failed;
  const PeerInfo& peer = connection_.peer_info();
  const std::uint32_t total =
      padded(trailer.length.bytes()) + static_cast<std::uint32_t>(sizeof trailer);
  const std::size_t most = total > connection_.inline_limit() ? piece_bytes(total) : total;
  const std::size_t writes = total > most ? divide_up<std::size_t>(total, most) : 1;
  if (!has_room(static_cast<std::uint32_t>(writes) + 1)) return Post::again;
  std::uint64_t target = peer.inbox_address + connection_.shape().slot_end(ring, index) - total;
  Place place;
  if (total > connection_.inline_limit()) {
    place = place_for(ring, index, total);
    if (!place.begin) return Post::again;
  }
  Gather from = gather(payload, trailer, total, place.begin);
  // The last piece tells of the arrival. Only a message in one stretch is so long.
  for (ibv_sge& rest = from.pieces[0]; rest.length > most; target += most) {
    ibv_sge piece{rest.addr, static_cast<std::uint32_t>(most), rest.lkey};
    ibv_send_wr wr = request(&piece, 1, IBV_WR_RDMA_WRITE, target, peer.inbox_key);
    number(wr, false);
    if (post(wr) != Post::done) return Post::failed;
    rest.addr += most;
    rest.length -= static_cast<std::uint32_t>(most);
  }

  const Arrival arrival = connection_.arrival();
  if (arrival != Arrival::flag) {
    ibv_send_wr wr =
        request(from.pieces, from.count,
                arrival == Arrival::imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE, target,
                peer.inbox_key);
    wr.send_flags = from.flags;
    wr.imm_data = htonl(Immediate::message(ring).word());
    number(wr, place.signaled);
    take(place);
    return post(wr);
  }
  // The body first, then the word that tells of arrival, in a second write on the same queue pair.
  from.pieces[from.count - 1].length -= kLastWord;
  ibv_sge word{reinterpret_cast<std::uint64_t>(from.last_word), kLastWord,
               connection_.staging_key()};
  const std::uint64_t end = peer.inbox_address + connection_.shape().slot_end(ring, index);
  ibv_send_wr flag = request(&word, 1, IBV_WR_RDMA_WRITE, end - kLastWord, peer.inbox_key);
  ibv_send_wr wr = request(from.pieces, from.count, IBV_WR_RDMA_WRITE, target, peer.inbox_key);
  wr.send_flags = from.flags;
  wr.next = &flag;
  flag.send_flags = connection_.inline_limit() >= kLastWord ? IBV_SEND_INLINE : 0;
  number(wr, false);
  number(flag, place.signaled);
  take(place);
  return post(wr);
}

Post Writer::report(Ring ring, std::uint32_t consumed) noexcept {
  if (connection_.arrival() == Arrival::imm)
    return post_immediate(Immediate::credit(ring, consumed));
  return post_word(sizeof(std::uint32_t) * static_cast<std::uint64_t>(ring), consumed);
}

Post Writer::post_immediate(Immediate immediate, bool signaled) noexcept {
  if (link_.state().failed()) return Post::failed;
  if (!has_room(1)) return Post::again;
  ibv_send_wr wr = request(immediate, connection_.peer_info());
  number(wr, signaled);
  return post(wr);
}

Post Writer::post_word(std::uint64_t offset, std::uint32_t value) noexcept {
  if (link_.state().failed()) return Post::failed;
  if (!has_room(1)) return Post::again;
  const PeerInfo& peer = connection_.peer_info();
  ibv_sge word{reinterpret_cast<std::uint64_t>(&value), sizeof value, 0};
  ibv_send_wr wr =
      request(&word, 1, IBV_WR_RDMA_WRITE, peer.inbox_address + offset, peer.inbox_key);
  wr.send_flags = IBV_SEND_INLINE;
  number(wr, false);
  return post(wr);
}

// The most bytes that one work request carries.
std::size_t Writer::longest_piece() const noexcept {
  return std::min<std::size_t>(connection_.device().max_message(), kLongestPiece);
}

// The most bytes that one work request carries of a write of `bytes`.
std::size_t Writer::piece_bytes(std::size_t bytes) const noexcept {
  const std::size_t most = longest_piece();
  if (!connection_.device().software()) return most;
  const std::size_t packet = connection_.packet_bytes();
  const std::size_t to_fit_the_queue = bytes / (depth_ / 2) + 1;
  return std::min(most,
                  std::max(packet * kPacketsAcknowledged, round_up(to_fit_the_queue, packet)));
}

std::size_t Writer::most_at_once() const noexcept { return depth_ / 2 * longest_piece(); }

bool Writer::is_short_for(std::size_t bytes) const noexcept {
  return bytes > most_at_once() ||
         (connection_.device().software() &&
          bytes / (depth_ / 2) >= connection_.packet_bytes() * kMostPacketsAcknowledged);
}

// The end is told by immediate data, whatever the arrival of messages: its completion promises that
// all bytes written before are visible, which a word behind them does not, even where the bytes of
// one write become visible in order. It comes in a write of its own without bytes, so that the
// network may take the bytes along many paths (adaptive routing keeps the order of writes with
// immediate only).
Post Writer::may_write(std::size_t bytes, bool notice) noexcept {
  if (link_.state().failed()) return Post::failed;
  const std::size_t requests = divide_up(bytes, piece_bytes(bytes)) + (notice ? 1 : 0);
  if (requests > depth_) {
    link_.fail(Code::internal, "a write is too long for the send queue; please report this");
    return Post::failed;
  }
  return has_room(static_cast<std::uint32_t>(requests)) ? Post::done : Post::again;
}

Post Writer::write(std::uint64_t source, std::uint32_t source_key, std::uint64_t target,
                   std::uint32_t target_key, std::size_t bytes,
                   const std::optional<Immediate>& notice) noexcept {
  if (const Post post = may_write(bytes, notice.has_value()); post != Post::done) return post;
  const std::size_t most = piece_bytes(bytes);
  Chain chain;
  std::size_t silent = 0;  // bytes since the last completion
  for (std::size_t offset = 0; offset < bytes; offset += most) {
    const std::size_t now = std::min(most, bytes - offset);
    const ibv_sge piece{source + offset, static_cast<std::uint32_t>(now), source_key};
    silent += now;
    const bool shows = silent >= kBytesPerCompletion;
    ibv_send_wr& wr = chain.add(piece, target + offset, target_key);
    number(wr, shows || (!notice && offset + now == bytes));
    if (shows) silent = 0;
    if (chain.full()) {
      if (post(chain.first()) != Post::done) return Post::failed;
      chain.clear();
    }
  }
  if (notice) number(chain.add(*notice, connection_.peer_info()), true);
  return chain.empty() || post(chain.first()) == Post::done ? Post::done : Post::failed;
}

void Writer::probe() noexcept {
  if (completed_ < probe_ || !has_room(1)) return;
  const PeerInfo& peer = connection_.peer_info();
  ibv_send_wr wr = request(nullptr, 0, IBV_WR_RDMA_WRITE, peer.inbox_address, peer.inbox_key);
  number(wr, true);
  probe_ = posted_;
  post(wr);
}

// Signaled: all before it is complete when something after it is, by whichever queue pair.
Post Writer::send_moved() noexcept { return post_immediate(Immediate::moved(), true); }

bool Writer::idle() noexcept {
  if (signaled_ != posted_) probe();
  return completed_ == posted_;
}

// Signaled: a peer that has read it may be gone before anything later is acknowledged.
void Writer::send_disconnect() noexcept {
  if (sent_disconnect_) return;
  sent_disconnect_ = post_immediate(Immediate::disconnect(), true) == Post::done;
}

}  // namespace tutti::transport::verbs
