// Connections: the channels of this process, over whatever transports reach its peers.
//
// Knows transports by their interface only: the first of the list that reaches a peer takes it.
// Knows no communicator: who must hear of a new connection is told so.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "protocols/channel.hpp"
#include "registration/cache.hpp"
#include "transport/transport.hpp"

namespace tutti {

using Log = std::function<void(std::string_view)>;

class Connections {
 public:
  using OnChannel = std::function<void(protocols::Channel&)>;
  // Memory kept for each rank of the job, connected or not.
  static constexpr std::size_t kBytesPerRank = sizeof(std::unique_ptr<protocols::Channel>);

  // `listener` hears what all channels bring; `on_channel` is called once for each new channel.
  // Both, and what is added, must outlive this object. `warn` takes what the user should mend.
  Connections(int world_size, const registration::CacheOptions& cache,
              protocols::Listener& listener, OnChannel on_channel, Log warn);

  // In the order of preference.
  void add(transport::Transport& transport);

  // The channel to a rank of MPI_COMM_WORLD, connected when first asked for. Throws Error.
  protocols::Channel& channel(int world_rank);
  // The channel if there is one, or if connecting costs no more than sending; else null.
  protocols::Channel* channel_at_once(int world_rank);
  // Null: not connected.
  protocols::Channel* find(int world_rank) const noexcept {
    return channels_[static_cast<std::size_t>(world_rank)].get();
  }
  const std::vector<protocols::Channel*>& all() const noexcept { return connected_; }

  // Advances all transports; whether anything came.
  bool progress_transports() noexcept {
    bool any = false;
    for (transport::Transport* const transport : active_) any |= transport->progress();
    return any;
  }
  // Reads the control messages of one connection, round-robin: a rank that never waits would
  // otherwise never hear of anything.
  void poll_one() noexcept {
    if (!connected_.empty()) connected_[polled_++ % connected_.size()]->progress();
  }
  // Looks after so many connections, in turn: what nobody waits for is in no hurry, and a look must
  // not cost what is connected.
  void progress_some() noexcept;
  static constexpr std::size_t kSome = 16;
  void progress_all() noexcept;
  // For those to whom there is no connection, and no memory for one: see
  // Transport::leave_notice().
  void leave_notice(const transport::Notice& notice) noexcept {
    for (transport::Transport* const transport : transports_) transport->leave_notice(notice);
  }
  // Makes channels for the links that peers began.
  void adopt_links() noexcept;

 private:
  transport::Transport* transport_to(int world_rank) const noexcept;
  protocols::Channel& channel_over(transport::Link& link);
  registration::Cache* cache_for(transport::Registrar* registrar);
  bool free_registered_memory() noexcept;

  std::vector<transport::Transport*> transports_;
  std::vector<transport::Transport*> active_;  // those in which progress() does something
  const registration::CacheOptions cache_options_;
  protocols::Listener& listener_;
  const OnChannel on_channel_;
  const Log warn_;
  struct Registered {
    transport::Registrar* registrar;
    std::unique_ptr<registration::Cache> cache;
  };
  std::vector<Registered> caches_;                             // one for each device
  std::vector<std::unique_ptr<protocols::Channel>> channels_;  // by world rank
  std::vector<protocols::Channel*> connected_;                 // in the order of connecting
  transport::Link* unadopted_ = nullptr;  // begun by a peer, and there was no memory for a channel
  std::size_t polled_ = 0;
};

}  // namespace tutti
