// Making links, and polling the one completion queue for all of them.
#include "transport/verbs/transport.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::transport::verbs {
namespace {

// Exponents, see LinkOptions. A device in software loses packets by itself, and waits for none
// long.
constexpr int kTimeout = 17, kSoftwareTimeout = 14;

ibv_mtu mtu_for(const Device& device, int bytes) {
  if (bytes == 0) return device.mtu();
  for (const ibv_mtu mtu : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096})
    if (bytes_of(mtu) == bytes && mtu <= device.mtu()) return mtu;
  throw Error(Code::bad_configuration,
              fmt::format("the setting `mtu` is {}; port {} of {} carries 256, 512, … up to {}",
                          bytes, device.port(), device.name(), bytes_of(device.mtu())));
}

}  // namespace

VerbsTransport::VerbsTransport(const Options& options, int world_rank, int world_size,
                               const std::function<InboxShape(bool software)>& shape_for)
    : options_(options),
      device_(options.device, options.log),
      shape_(shape_for(device_.software())),
      registrar_(device_),
      queues_(device_),
      links_(static_cast<std::size_t>(world_size)) {
  if (options_.link.timeout == 0)
    options_.link.timeout = device_.software() ? kSoftwareTimeout : kTimeout;
  if (options_.link.arrival == Arrival::automatic)
    options_.link.arrival =
        Connection::arrival_for(device_, queues_.room_for(0), options_.link, shape_);
  handshake_ = std::make_unique<Handshake>(
      device_, world_rank, static_cast<std::uint16_t>(mtu_for(device_, options.mtu)),
      options.connect_timeout, options.log);
}

VerbsTransport::~VerbsTransport() = default;

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
  const auto completions = static_cast<int>(VerbsLink::completions_for(shape_, options_.link));
  auto link = std::make_unique<VerbsLink>(device_, queues_.room_for(completions), registrar_,
                                          options_.link, peer, shape_);
  queues_.take(completions);
  VerbsLink* const result = made_.emplace_back(std::move(link)).get();
  links_[static_cast<std::size_t>(peer)].store(result, std::memory_order_release);
  return result;
}

Link& VerbsTransport::connect(int peer) {
  const std::lock_guard guard(handshake_->lock());
  VerbsLink* link = links_[static_cast<std::size_t>(peer)].load(std::memory_order_acquire);
  if (!link) {
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
  return queues_.poll([this](const ibv_wc& completion) {
    const auto peer = static_cast<std::size_t>(WorkId(completion.wr_id).peer());
    if (VerbsLink* link = links_[peer].load(std::memory_order_acquire)) link->complete(completion);
  });
}

void VerbsTransport::say_farewell() noexcept {
  const std::lock_guard guard(handshake_->lock());
  for (const auto& link : made_) link->say_farewell();
}

nlohmann::json VerbsTransport::describe() const {
  const VerbsLink* some = made_.empty() ? nullptr : made_.front().get();
  return {{"device",
           {{"name", device_.name()},
            {"port", device_.port()},
            {"gid_index", device_.gid_index()},
            {"why", device_.reason()},
            {"software", device_.software()},
            {"mtu", bytes_of(device_.mtu())},
            {"arrival", name_of(some ? some->connection().arrival() : options_.link.arrival)}}}};
}

}  // namespace tutti::transport::verbs
