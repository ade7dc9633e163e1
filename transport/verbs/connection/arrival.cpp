// The strategies' names and order, and the receives that immediate data needs.
#include "transport/verbs/connection/arrival.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "transport/verbs/connection/work_id.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kBatch = 16;  // receives that are posted together

}  // namespace

std::string_view name_of(Arrival arrival) noexcept {
  switch (arrival) {
    case Arrival::automatic: return "auto";
    case Arrival::tail: return "tail";
    case Arrival::imm: return "imm";
    case Arrival::flag: return "flag";
  }
  return "?";
}

Arrival safer_of(Arrival a, Arrival b) noexcept {
  for (const Arrival safest : {Arrival::imm, Arrival::flag})
    if (a == safest || b == safest) return safest;
  return a;
}

// One receive for every write with immediate that can be under way, so that a write never finds the
// receiver not ready (RNR). Credits bound the messages by the slots of the rings. A credit report
// follows half a ring of consumed slots or more, or the use of all credits, neither of which can
// happen twice without this rank polling, but for messages that it was asked for, which go without
// credit: each may bring one more. There are at most 64 finished notices, as that many rendezvous
// may be in flight, and one disconnect.
std::uint32_t Receives::needed_for(const InboxShape& shape) noexcept {
  std::uint32_t slots = 0;
  for (const RingShape& ring : shape.rings) slots += ring.slots;
  return slots + 4 * kRings + 64 + 1 + 2 * kBatch;
}

Receives::Receives(ibv_qp* queue_pair, int peer, const InboxShape& shape, bool large)
    : queue_pair_(queue_pair), queue_(nullptr), id_(WorkId::receive(peer, large).word()) {
  if (!post(needed_for(shape)))
    throw Error(Code::transport_failed, "the device refuses receive requests", peer, errno);
}

Receives::Receives(ibv_srq* queue, std::uint32_t count)
    : queue_pair_(nullptr), queue_(queue), id_(WorkId::shared_receive().word()) {
  if (!post(count))
    throw Error(Code::transport_failed, "the device refuses receive requests", kNoPeer, errno);
}

bool Receives::replace_one() noexcept {
  return ++missing_ < kBatch || post(std::exchange(missing_, 0));
}

bool Receives::post(std::uint32_t count) noexcept {
  std::array<ibv_recv_wr, kBatch> batch{};
  for (auto& wr : batch) wr.wr_id = id_;
  while (count > 0) {
    const std::uint32_t now = std::min(count, kBatch);
    for (std::uint32_t i = 0; i < now; ++i) batch[i].next = i + 1 < now ? &batch[i + 1] : nullptr;
    ibv_recv_wr* bad = nullptr;
    const int error = queue_ ? ibv_post_srq_recv(queue_, batch.data(), &bad)
                             : ibv_post_recv(queue_pair_, batch.data(), &bad);
    if (error != 0) {
      errno = error;  // these functions return it
      return false;
    }
    count -= now;
  }
  return true;
}

}  // namespace tutti::transport::verbs
