// Finds a transport for a peer, connects to it, and adopts connections that it made.
#include "src/news/connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace tutti {

using protocols::Channel;
using registration::Cache;
using transport::Link;
using transport::Transport;

Connections::Connections(int world_size, const registration::CacheOptions& cache,
                         protocols::Listener& listener, OnChannel on_channel, Log warn)
    : cache_options_(cache),
      listener_(listener),
      on_channel_(std::move(on_channel)),
      warn_(std::move(warn)),
      channels_(static_cast<std::size_t>(world_size)) {}

void Connections::add(Transport& transport) {
  transports_.push_back(&transport);
  if (transport.needs_progress()) active_.push_back(&transport);
}

Transport* Connections::transport_to(int world_rank) const noexcept {
  for (Transport* const transport : transports_)
    if (transport->reaches(world_rank)) return transport;
  return nullptr;
}

Channel& Connections::channel(int world_rank) {
  if (Channel* const known = find(world_rank)) return *known;
  Transport* const transport = transport_to(world_rank);
  if (!transport)
    throw Error(Code::unreachable,
                fmt::format("rank {} of MPI_COMM_WORLD is on another node, or in a container with "
                            "another /dev/shm, and the setting `transport` allows shared memory "
                            "only; set TUTTI_TRANSPORT=auto",
                            world_rank),
                world_rank);
  try {
    return channel_over(transport->connect(world_rank));
  } catch (const Error& error) {
    // User memory that is only kept registered gives way to a connection.
    if (error.code != Code::locked_memory && error.code != Code::out_of_memory) throw;
    if (!free_registered_memory()) throw;
    return channel_over(transport->connect(world_rank));
  }
}

Channel* Connections::channel_at_once(int world_rank) {
  if (Channel* const known = find(world_rank)) return known;
  const Transport* const transport = transport_to(world_rank);
  return transport && transport->connects_at_once() ? &channel(world_rank) : nullptr;
}

Channel& Connections::channel_over(Link& link) {
  auto& channel = channels_[static_cast<std::size_t>(link.peer())];
  if (!channel) {
    connected_.reserve(connected_.size() + 1);
    channel = std::make_unique<Channel>(link, cache_for(link.capabilities().registrar), listener_);
    connected_.push_back(channel.get());
    on_channel_(*channel);
  }
  return *channel;
}

Cache* Connections::cache_for(transport::Registrar* registrar) {
  if (!registrar) return nullptr;
  for (const Registered& known : caches_)
    if (known.registrar == registrar) return known.cache.get();
  caches_.push_back({registrar, std::make_unique<Cache>(*registrar, cache_options_, warn_)});
  return caches_.back().cache.get();
}

bool Connections::free_registered_memory() noexcept {
  bool any = false;
  for (const Registered& known : caches_) any |= known.cache->trim(SIZE_MAX);
  return any;
}

void Connections::progress_some() noexcept {
  if (connected_.size() <= kSome) return progress_all();
  for (std::size_t i = 0; i < kSome; ++i) poll_one();
}

void Connections::progress_all() noexcept {
  for (Channel* const channel : connected_) channel->progress();
}

void Connections::adopt_links() noexcept {
  for (Transport* const transport : transports_) {
    if (transport->take_starved()) free_registered_memory();  // the peer asks again
    while (Link* const link = unadopted_ ? unadopted_ : transport->accepted()) {
      unadopted_ = link;
      try {
        channel_over(*link);
      } catch (const std::exception&) {
        return;  // no memory now: once more at the next look
      }
      unadopted_ = nullptr;
    }
  }
}

}  // namespace tutti
