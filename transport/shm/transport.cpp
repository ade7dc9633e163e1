// Finding the ranks of this node, and connecting to them.
#include "transport/shm/transport.hpp"

#include <bitset>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <sched.h>
#include <sys/random.h>
#include <type_traits>

#include "base/error.hpp"
#include "transport/shm/link.hpp"

namespace tutti::transport::shm {
namespace {

// Hardware threads that a process may run on, folded to 256: enough to tell ranks with cores of
// their own from ranks without.
using Threads = std::bitset<256>;

struct Card {  // what an Address holds
  std::uint64_t node, machine;
  std::uint64_t token;
  Threads threads;
  std::int16_t package, cache;  // as in Locality
};
static_assert(std::is_trivially_copyable_v<Card>);
static_assert(sizeof(Card) <= sizeof(Address));

Card read_card(const Address& address) {
  Card card;
  std::memcpy(&card, address.bytes.data(), sizeof card);
  return card;
}

Threads threads_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  Threads threads;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return threads.set();
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) threads.set(i % threads.size());
  return threads;
}

}  // namespace

ShmTransport::ShmTransport(const Options& options, int world_rank, const InboxShape& shape)
    : options_(options), rank_(world_rank), shape_(shape) {
  if (getrandom(&token_, sizeof token_, 0) != static_cast<ssize_t>(sizeof token_))
    throw Error(Code::system, "getrandom failed: no name for the shared segment", kNoPeer, errno);
}

ShmTransport::~ShmTransport() = default;

Address ShmTransport::address() const {
  Address address;
  const Card card{options_.node,
                  options_.machine,
                  token_,
                  threads_of_this_process(),
                  static_cast<std::int16_t>(options_.locality.package),
                  static_cast<std::int16_t>(options_.locality.cache)};
  std::memcpy(address.bytes.data(), &card, sizeof card);
  return address;
}

void ShmTransport::set_peers(std::span<const Address> addresses) {
  local_rank_.assign(addresses.size(), -1);
  nodes_.resize(addresses.size());
  struct Load {
    Threads threads;
    std::size_t ranks = 0;
  };
  std::map<std::uint64_t, Load> load_of;
  for (std::size_t peer = 0; peer < addresses.size(); ++peer) {
    const Card card = read_card(addresses[peer]);
    nodes_[peer] = card.node;
    Load& load = load_of[card.machine];
    load.threads |= card.threads;
    ++load.ranks;
    if (nodes_[peer] != options_.node) continue;
    ++sharing_.node;
    sharing_.package += options_.locality.package >= 0 && card.package == options_.locality.package;
    sharing_.cache += options_.locality.cache >= 0 && card.cache == options_.locality.cache;
    local_rank_[peer] = static_cast<int>(world_rank_.size());
    world_rank_.push_back(static_cast<int>(peer));
  }
  for (const auto& [machine, load] : load_of) oversubscribed_ |= load.ranks > load.threads.count();
  my_local_rank_ = local_rank_[static_cast<std::size_t>(rank_)];
  links_.resize(world_rank_.size());
  if (world_rank_.size() < 2) return;
  const Card first = read_card(addresses[static_cast<std::size_t>(world_rank_.front())]);
  segment_ = std::make_unique<Segment>(fmt::format("/tutti-{:016x}", first.token), my_local_rank_,
                                       static_cast<int>(world_rank_.size()), shape_, options_.copy,
                                       options_.patience);
}

Link& ShmTransport::connect(int peer) {
  const int local = local_rank_[static_cast<std::size_t>(peer)];
  auto& link = links_[static_cast<std::size_t>(local)];
  if (!link) {
    segment_->allocate_pair(my_local_rank_, local);
    link = std::make_unique<ShmLink>(shape_, peer, segment_->inbox(my_local_rank_, local),
                                     segment_->inbox(local, my_local_rank_),
                                     segment_->member(local), segment_->direct());
  }
  return *link;
}

void ShmTransport::say_farewell() noexcept {
  if (segment_) segment_->member(my_local_rank_).farewell = 1;
}

}  // namespace tutti::transport::shm
