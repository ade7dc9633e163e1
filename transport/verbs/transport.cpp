// Makes links, and polls the completion queues for all of them.
#include "transport/verbs/transport.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace tutti::transport::verbs {
namespace {

// Exponents, see LinkOptions. A device in software loses packets by itself, and waits for none
// long.
constexpr int kTimeout = 17, kSoftwareTimeout = 14;

Rails open_rails(const Options& options) {
  Rails rails;
  for (std::size_t i = 1; i < options.devices.size(); ++i)
    rails.emplace_back(options.devices[i], options.mtu, options.log);
  return rails;
}

nlohmann::json describe_port(const Device& device) {
  return {{"name", device.name()},
          {"port", device.port()},
          {"gid_index", device.gid_index()},
          {"why", device.reason()}};
}

}  // namespace

VerbsTransport::VerbsTransport(const Options& options, int world_rank, int world_size,
                               const std::function<InboxShape(bool software)>& shape_for)
    : options_(options),
      device_(options.devices.at(0), options.log),
      rails_(open_rails(options)),
      shape_(shape_for(device_.software())),
      registrar_(devices()),
      shared_(device_, world_size),
      queues_(device_, shared_.room()),
      link_context_{device_,
                    queues_,
                    shared_,
                    rails_,
                    registrar_,
                    options_.link,
                    shape_,
                    [this] { handshake_->ask_for_larger(); },
                    [this] { handshake_->request_link_datagrams(); }},
      links_(static_cast<std::size_t>(world_size)) {
  if (options_.link.timeout == 0)
    options_.link.timeout = device_.software() ? kSoftwareTimeout : kTimeout;
  if (device_.software()) options_.link = options_.link.in_software();
  if (options_.link.arrival == Arrival::automatic)
    options_.link.arrival =
        Connection::arrival_for(device_, queues_.room_for(0), options_.link, shape_);
  handshake_ = std::make_unique<Handshake>(device_, world_rank, world_size,
                                           static_cast<std::uint16_t>(device_.mtu_for(options.mtu)),
                                           options.connect_timeout, options.log);
}

VerbsTransport::~VerbsTransport() = default;

std::vector<const Device*> VerbsTransport::devices() const {
  std::vector<const Device*> all{&device_};
  for (const Rail& rail : rails_) all.push_back(&rail.device);
  return all;
}

Address VerbsTransport::address() const {
  Address address;
  const HandshakeCard card = handshake_->card();
  std::memcpy(address.bytes.data(), &card, sizeof card);
  return address;
}

void VerbsTransport::set_peers(std::span<const Address> addresses) {
  std::vector<HandshakeCard> cards(addresses.size());
  for (std::size_t i = 0; i < cards.size(); ++i)
    std::memcpy(&cards[i], addresses[i].bytes.data(), sizeof(HandshakeCard));
  const auto make = [this](int peer) -> VerbsLink* {
    try {
      accepted_.reserve(accepted_.size() + 1);
      VerbsLink* const link = make_link(peer);
      accepted_.push_back(link);
      any_accepted_ = true;
      return link;
    } catch (const Error& error) {
      options_.log(
          fmt::format("rank {} of MPI_COMM_WORLD asks for a connection, which cannot be "
                      "made: {}",
                      peer, error.message));
      if (error.code == Code::locked_memory || error.code == Code::out_of_memory) starved_ = true;
      return nullptr;
    }
  };
  handshake_->start(std::move(cards), links_, make);
}

VerbsLink* VerbsTransport::make_link(int peer) {
  // First: the numbers of queue pairs that share receives are never forgotten.
  if (made_.size() == made_.capacity()) made_.reserve(2 * made_.size() + 1);
  VerbsLink* const result =
      made_.emplace_back(std::make_unique<VerbsLink>(link_context_, peer)).get();
  links_[static_cast<std::size_t>(peer)].store(result, std::memory_order_release);
  return result;
}

Link& VerbsTransport::connect(int peer) {
  const std::lock_guard guard(handshake_->lock());
  VerbsLink* link = links_[static_cast<std::size_t>(peer)].load(std::memory_order_acquire);
  if (!link) {
    handshake_->make_room();
    link = make_link(peer);
    handshake_->begin(*link);
  }
  return *link;
}

Link* VerbsTransport::accepted() noexcept {
  if (!any_accepted_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard guard(handshake_->lock());
  if (accepted_.empty()) {
    any_accepted_ = false;
    return nullptr;
  }
  Link* const link = accepted_.back();
  accepted_.pop_back();
  return link;
}

bool VerbsTransport::progress() noexcept {
  const auto hand_to_link = [this](std::size_t rail) {
    return [this, rail](const ibv_wc& completion) {
      const WorkId id(completion.wr_id);
      const int peer = id.is_shared() ? shared_.peer_of(completion.qp_num) : id.peer();
      if (peer == kNoPeer) return;
      if (VerbsLink* link = links_[static_cast<std::size_t>(peer)].load(std::memory_order_acquire))
        link->complete(completion, rail);
    };
  };
  bool any = queues_.poll(hand_to_link(0));
  for (std::size_t i = 0; i < rails_.size(); ++i) any |= rails_[i].queues.poll(hand_to_link(1 + i));
  return any;
}

void VerbsTransport::send_disconnect() noexcept {
  const std::lock_guard guard(handshake_->lock());
  for (const auto& link : made_) link->send_disconnect();
}

std::vector<std::pair<std::string, std::uint64_t>> VerbsTransport::counters() const {
  std::map<std::string, std::uint64_t> sums;
  for (const Device* const device : devices())
    for (const auto& [name, value] : device->counters()) sums[name] += value;
  return {sums.begin(), sums.end()};
}

nlohmann::json VerbsTransport::describe() const {
  const std::lock_guard guard(handshake_->lock());
  const VerbsLink* some = made_.empty() ? nullptr : made_.front().get();
  nlohmann::json device = describe_port(device_), others = nlohmann::json::array();
  device["software"] = device_.software();
  device["mtu"] = bytes_of(device_.mtu());
  device["arrival"] = name_of(some ? some->connection().arrival() : options_.link.arrival);
  for (const Rail& rail : rails_) others.push_back(describe_port(rail.device));
  const std::size_t at_first = bytes_per_connection(),
                    when_grown =
                        most_bytes_per_connection(shape_, 1 + rails_.size(), software_wire());
  std::size_t held = 0;
  for (const auto& link : made_) held += link->larger().side() ? when_grown : at_first;
  const auto grown = std::ranges::count_if(
      made_, [](const auto& link) { return link->inbox().grown() && link->outbox().grown(); });
  return {{"device", device},
          {"other_rails", others},
          {"grown_connections", grown},
          {"connection_bytes", held},
          {"most_bytes_per_connection", when_grown}};
}

}  // namespace tutti::transport::verbs
