// Requests, and what becomes of them.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "tests/transport/verbs/fake_world.hpp"

namespace tutti::tests::fake {

World world;
std::recursive_mutex world_lock;

int refusal_of(const char* function, bool counts) {
  if (counts && world.kth > 0 && --world.kth == 0) {
    world.refused_kth = true;
    return ENOMEM;
  }
  const auto found = world.refusals.find(function);
  if (found == world.refusals.end() || found->second.times == 0) return 0;
  if (found->second.times > 0) --found->second.times;
  return found->second.error;
}

bool refuses(const char* function) {
  const int error = refusal_of(function);
  if (error != 0) errno = error;
  return error != 0;
}

void wake_file(int file) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(file, &one, sizeof one);
}

void complete(ibv_cq* base, const Completed& completed) {
  auto& queue = *static_cast<Queue*>(base);
  if (queue.entries.size() >= static_cast<std::size_t>(queue.cqe)) world.overflowed = true;
  queue.entries.push_back(completed);
  if (!queue.channel || !std::exchange(queue.armed, false)) return;
  static_cast<Events*>(queue.channel)->waiting.push_back(&queue);
  wake_file(queue.channel->fd);
}

namespace {

ibv_wc word_of(std::uint64_t id, ibv_wc_status status, const Pair& pair) {
  ibv_wc wc{};
  wc.wr_id = id;
  wc.status = status;
  wc.qp_num = pair.qp_num;
  return wc;
}

}  // namespace

void fail_pair(Pair& pair) {
  pair.now = IBV_QPS_ERR;
  for (const Receive& receive : std::exchange(pair.receives, {}))
    complete(pair.recv_cq, {word_of(receive.id, IBV_WC_WR_FLUSH_ERR, pair), &pair, 0});
}

namespace {

bool covers(std::uint32_t key, std::uint64_t address, std::size_t bytes, int access) {
  const auto found = world.regions.find(key);
  if (found == world.regions.end() || (found->second.second & access) != access) return false;
  const ibv_mr& region = *found->second.first;
  const auto begin = reinterpret_cast<std::uint64_t>(region.addr);
  return address >= begin && address + bytes <= begin + region.length;
}

// The bytes that a request carries; nullopt: it may not read them.
std::optional<std::vector<std::byte>> bytes_of_request(const ibv_send_wr& wr) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < wr.num_sge; ++i) {
    const ibv_sge& piece = wr.sg_list[i];
    if ((wr.send_flags & IBV_SEND_INLINE) == 0 && piece.length != 0 &&
        !covers(piece.lkey, piece.addr, piece.length, 0))
      return std::nullopt;
    const auto* const from = reinterpret_cast<const std::byte*>(piece.addr);
    bytes.insert(bytes.end(), from, from + piece.length);
  }
  return bytes;
}

std::deque<Receive>& receives_of(Pair& pair) {
  return pair.srq ? static_cast<SharedQueue*>(pair.srq)->receives : pair.receives;
}

Pair* live_pair(std::uint32_t number) {
  const auto found = world.pairs.find(number);
  if (found == world.pairs.end()) return nullptr;
  const ibv_qp_state now = found->second->now;
  return now == IBV_QPS_RTR || now == IBV_QPS_RTS ? found->second : nullptr;
}

ibv_wc_status write_to_peer(const Pair& from, const ibv_send_wr& wr,
                            const std::vector<std::byte>& bytes) {
  Pair* const to = live_pair(from.peer);
  if (!to || to->peer != from.qp_num) return IBV_WC_RETRY_EXC_ERR;
  const auto& target = wr.wr.rdma;
  if (!bytes.empty() &&
      !covers(target.rkey, target.remote_addr, bytes.size(), IBV_ACCESS_REMOTE_WRITE)) {
    fail_pair(*to);
    return IBV_WC_REM_ACCESS_ERR;
  }
  // The last word of a message last: whoever polls it then sees the rest.
  if (!bytes.empty()) {
    constexpr std::size_t kWord = 4;
    auto* const place = reinterpret_cast<std::byte*>(target.remote_addr);
    const std::size_t body = bytes.size() >= kWord ? bytes.size() - kWord : 0;
    std::memcpy(place, bytes.data(), body);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(place + body, bytes.data() + body, bytes.size() - body);
  }
  if (wr.opcode != IBV_WR_RDMA_WRITE_WITH_IMM) return IBV_WC_SUCCESS;
  auto& receives = receives_of(*to);
  if (receives.empty()) return IBV_WC_RNR_RETRY_EXC_ERR;
  ibv_wc wc = word_of(receives.front().id, IBV_WC_SUCCESS, *to);
  wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
  wc.wc_flags = IBV_WC_WITH_IMM;
  wc.imm_data = wr.imm_data;
  wc.byte_len = static_cast<std::uint32_t>(bytes.size());
  receives.pop_front();
  complete(to->recv_cq, {wc, to, 0});
  return IBV_WC_SUCCESS;
}

// It is lost where nobody takes it.
ibv_wc_status send_datagram(const ibv_send_wr& wr, const std::vector<std::byte>& bytes) {
  constexpr std::size_t kHeader = 40;
  const auto& target = wr.wr.ud;
  Pair* const to = live_pair(target.remote_qpn);
  if (!target.ah || !to || to->queue_key != target.remote_qkey || to->receives.empty() ||
      (world.loses && world.loses(target.remote_qpn)))
    return IBV_WC_SUCCESS;
  const Receive receive = to->receives.front();
  const ibv_sge& place = receive.pieces.at(0);
  if (place.length < kHeader + bytes.size() ||
      !covers(place.lkey, place.addr, place.length, IBV_ACCESS_LOCAL_WRITE)) {
    fail_pair(*to);
    return IBV_WC_SUCCESS;
  }
  to->receives.pop_front();
  std::memcpy(reinterpret_cast<std::byte*>(place.addr) + kHeader, bytes.data(), bytes.size());
  ibv_wc wc = word_of(receive.id, IBV_WC_SUCCESS, *to);
  wc.opcode = IBV_WC_RECV;
  wc.byte_len = static_cast<std::uint32_t>(kHeader + bytes.size());
  complete(to->recv_cq, {wc, to, 0});
  return IBV_WC_SUCCESS;
}

std::size_t length_of(const ibv_send_wr& wr) {
  std::size_t bytes = 0;
  for (int i = 0; i < wr.num_sge; ++i) bytes += wr.sg_list[i].length;
  return bytes;
}

// Returns an errno; 0: posted.
int post_one(Pair& pair, const ibv_send_wr& wr) {
  if (const int error = refusal_of("ibv_post_send", false)) return error;
  if (pair.now != IBV_QPS_RTS && pair.now != IBV_QPS_ERR) return EINVAL;
  if (pair.posted - pair.freed >= pair.room.max_send_wr) return ENOMEM;
  if ((wr.send_flags & IBV_SEND_INLINE) != 0 && length_of(wr) > pair.room.max_inline_data)
    return EINVAL;
  ++pair.posted;
  ibv_wc_status status = IBV_WC_WR_FLUSH_ERR;
  if (pair.now == IBV_QPS_RTS) {
    const auto bytes = bytes_of_request(wr);
    status = !bytes                       ? IBV_WC_LOC_PROT_ERR
             : pair.qp_type == IBV_QPT_UD ? send_datagram(wr, *bytes)
                                          : write_to_peer(pair, wr, *bytes);
  }
  if (status != IBV_WC_SUCCESS || (wr.send_flags & IBV_SEND_SIGNALED) != 0) {
    const Completed completed{word_of(wr.wr_id, status, pair), &pair, pair.posted};
    if (world.holds)
      pair.held.push_back(completed);
    else
      complete(pair.send_cq, completed);
  }
  if (status != IBV_WC_SUCCESS && pair.now != IBV_QPS_ERR) fail_pair(pair);
  return 0;
}

int post_receives(std::deque<Receive>& queue, std::size_t room, ibv_recv_wr* wr,
                  ibv_recv_wr** bad) {
  for (; wr; wr = wr->next) {
    *bad = wr;
    if (const int error = refusal_of("ibv_post_recv", false)) return error;
    if (queue.size() >= room) return ENOMEM;
    queue.push_back({wr->wr_id, {wr->sg_list, wr->sg_list + wr->num_sge}});
  }
  return 0;
}

}  // namespace

int post_send(ibv_qp* base, ibv_send_wr* wr, ibv_send_wr** bad) {
  const WorldGuard guard(world_lock);
  for (; wr; wr = wr->next) {
    *bad = wr;
    if (const int error = post_one(*static_cast<Pair*>(base), *wr)) return error;
  }
  return 0;
}

int post_recv(ibv_qp* base, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  const WorldGuard guard(world_lock);
  auto& pair = *static_cast<Pair*>(base);
  if (pair.now == IBV_QPS_RESET) return EINVAL;
  const int error = post_receives(pair.receives, pair.room.max_recv_wr, wr, bad);
  if (pair.now == IBV_QPS_ERR) fail_pair(pair);
  return error;
}

int post_srq_recv(ibv_srq* base, ibv_recv_wr* wr, ibv_recv_wr** bad) {
  const WorldGuard guard(world_lock);
  auto& queue = *static_cast<SharedQueue*>(base);
  return post_receives(queue.receives, queue.room, wr, bad);
}

int poll_cq(ibv_cq* base, int most, ibv_wc* wc) {
  const WorldGuard guard(world_lock);
  auto& entries = static_cast<Queue*>(base)->entries;
  int count = 0;
  for (; count < most && !entries.empty(); ++count) {
    const Completed& first = entries.front();
    wc[count] = first.wc;
    first.pair->freed = std::max(first.pair->freed, first.sends);
    entries.pop_front();
  }
  return count;
}

int req_notify_cq(ibv_cq* base, int) {
  const WorldGuard guard(world_lock);
  if (const int error = refusal_of("ibv_req_notify_cq")) return error;
  static_cast<Queue*>(base)->armed = true;
  return 0;
}

}  // namespace tutti::tests::fake
