// Shared memory among the ranks of one node, as a Transport.
#pragma once

#include <memory>
#include <vector>

#include "transport/shm/segment.hpp"
#include "transport/placement.hpp"
#include "transport/transport.hpp"

namespace tutti::transport::shm {

struct Options {
  std::uint64_t node = 0;                     // see node_identity()
  std::uint64_t machine = 0;                  // see machine_identity()
  Locality locality;                          // where this process may run
  Copy copy = Copy::automatic;                // of large messages
  std::chrono::milliseconds patience{20000};  // for the other ranks of the node, at the start
};

class ShmTransport final : public Transport {
 public:
  ShmTransport(const Options& options, int world_rank, const InboxShape& shape);
  ~ShmTransport() override;

  const char* kind() const noexcept override { return "shm"; }
  Address address() const override;
  void set_peers(std::span<const Address> addresses) override;
  Link& connect(int peer) override;
  Link* accepted() noexcept override {
    return nullptr;
  }                                                    // an inbox is there before anyone connects
  bool progress() noexcept override { return false; }  // receivers poll their inboxes
  void say_farewell() noexcept override;

  bool reaches(int peer) const noexcept { return local_rank_[static_cast<std::size_t>(peer)] >= 0; }
  std::uint64_t node_of(int peer) const noexcept { return nodes_[static_cast<std::size_t>(peer)]; }
  // Ranks of this node, by local rank.
  std::span<const int> local_ranks() const noexcept { return world_rank_; }
  // Some machine (of one or several nodes) has more ranks than hardware threads that they may run
  // on: the same answer on every rank.
  bool oversubscribed() const noexcept { return oversubscribed_; }
  // How many ranks (this one counts) share the node, and of those the socket and the last-level
  // cache; 0: bound to none.
  struct Sharing {
    int node = 0, package = 0, cache = 0;
  };
  Sharing sharing() const noexcept { return sharing_; }
  bool direct() const noexcept { return segment_ && segment_->direct(); }
  std::size_t bytes_per_connection() const noexcept {
    return segment_ ? segment_->bytes_per_pair() : 0;
  }

 private:
  const Options options_;
  const int rank_;
  const InboxShape shape_;
  std::uint64_t token_;               // random; names the segment if we are the node's first rank
  std::vector<int> local_rank_;       // by world rank; -1: on another node
  std::vector<std::uint64_t> nodes_;  // by world rank
  std::vector<int> world_rank_;       // by local rank
  int my_local_rank_ = 0;
  bool oversubscribed_ = false;
  Sharing sharing_;
  std::unique_ptr<Segment> segment_;
  std::vector<std::unique_ptr<Link>> links_;  // by local rank
};

}  // namespace tutti::transport::shm
