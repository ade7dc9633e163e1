// Shared receives: the receive requests of all small connections of a rank, where the device has
// shared receive queues, and whose queue pair used one up. If all are used up, senders try again
// for as long as it takes.
//
// The constructor and add() belong to set-up; add() may run in another thread than the rest, which
// is data path.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "transport/verbs/connection/arrival.hpp"
#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

class SharedReceives {
 public:
  // `ranks`: how many queue pairs there may be. Does without a queue if the device has none.
  SharedReceives(const Device& device, int ranks);

  ibv_srq* queue() const noexcept { return queue_.get(); }  // null: none
  // Completions that can be under way.
  int room() const noexcept { return queue_ ? static_cast<int>(kReceives) : 0; }
  // One was used up. false: the device takes no more receives.
  bool replace_one() noexcept { return receives_->replace_one(); }

  // The queue pair of that peer uses the queue.
  void add(std::uint32_t queue_pair, int peer) noexcept;
  // kNoPeer: none.
  int peer_of(std::uint32_t queue_pair) const noexcept;

  // Memory kept for each rank of the job, connected or not.
  static constexpr std::size_t kBytesPerRank = 2 * sizeof(std::atomic<std::uint64_t>);

 private:
  // Ranks that send to a rank before they are hot have some messages each under way. Half of the
  // smallest completion queue that devices have.
  static constexpr std::uint32_t kReceives = 1024;
  using Queue = std::unique_ptr<ibv_srq, Releaser<ibv_destroy_srq>>;

  // The first place to look at; the next ones follow.
  std::size_t place_of(std::uint32_t queue_pair) const noexcept {
    return queue_pair & (owners_.size() - 1);
  }

  Queue queue_;
  std::unique_ptr<Receives> receives_;
  // By number, with open places: the queue pair's number and one more than its peer. Never full.
  std::vector<std::atomic<std::uint64_t>> owners_;
};

}  // namespace tutti::transport::verbs
