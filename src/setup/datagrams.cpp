// Joins the multicast group on all ranks, or on none.
#include "src/setup/datagrams.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "base/error.hpp"
#include "transport/verbs/transport.hpp"

namespace tutti {

using transport::verbs::Delivery;
using transport::verbs::Joining;

namespace {

transport::verbs::MulticastOptions options_for(MulticastWay way, int members, std::uint64_t job) {
  transport::verbs::MulticastOptions options;
  options.delivery = way == MulticastWay::each ? Delivery::each : Delivery::group;
  options.joining = way == MulticastWay::manager  ? Joining::manager
                    : way == MulticastWay::direct ? Joining::direct
                                                  : Joining::automatic;
  options.group = static_cast<std::uint32_t>(job);
  options.members = static_cast<std::uint32_t>(members);
  return options;
}

// A rank's word to the others after it has joined, or failed to.
struct Joined {
  bool joined = false;
  std::uint32_t capacity = 0, slots = 0;
  transport::verbs::MulticastCard card{};
};

}  // namespace

// All join or none, so all must ask, whatever their own settings say.
std::unique_ptr<JobDatagrams> JobDatagrams::open(
    bool wanted, const TransportContext& context,
    std::span<const std::unique_ptr<transport::Transport>> transports,
    transport::Bootstrap& bootstrap) {
  const MulticastWay way = context.configuration.multicast;
  if (bootstrap.size() == 1 || bootstrap.maximum(wanted && way != MulticastWay::off ? 1 : 0) == 0)
    return nullptr;
  for (const auto& transport : transports)
    if (const auto* verbs = dynamic_cast<const transport::verbs::VerbsTransport*>(transport.get()))
      return std::make_unique<JobDatagrams>(verbs->device(), way, bootstrap, context.log);
  context.log(
      "no multicast: all ranks are on one node, and no RDMA device is open; the setting "
      "transport=verbs opens one");
  return nullptr;
}

JobDatagrams::JobDatagrams(const transport::verbs::Device& device, MulticastWay way,
                           transport::Bootstrap& bootstrap, const Log& log) {
  const auto size = static_cast<std::size_t>(bootstrap.size());
  // Rank 0's number names the group, and tells our datagrams from those of other jobs.
  std::vector<std::uint64_t> numbers(size);
  const std::uint64_t mine = random_number();
  bootstrap.allgather(&mine, sizeof mine, numbers.data());
  Joined here;
  try {
    datagrams_ = std::make_unique<transport::verbs::Multicast>(
        device, options_for(way, bootstrap.size(), numbers[0]), log);
    here = {true, datagrams_->capacity(), datagrams_->slots(), datagrams_->card()};
  } catch (const Error& error) {
    log("no multicast: " + error.message);
  }
  std::vector<Joined> all(size);
  bootstrap.allgather(&here, sizeof here, all.data());
  std::string why_not;
  for (std::size_t rank = 0; rank < size && why_not.empty(); ++rank)
    if (!all[rank].joined)
      why_not =
          fmt::format("no multicast: rank {} of MPI_COMM_WORLD has not joined; see its log", rank);
  if (why_not.empty()) {
    std::vector<transport::verbs::MulticastCard> cards;
    cards.reserve(size);
    for (const Joined& joined : all) cards.push_back(joined.card);
    try {
      datagrams_->set_members(cards);
    } catch (const Error& error) {
      why_not = "no multicast: " + error.message;
    }
  }
  if (!why_not.empty()) log(why_not);
  if (bootstrap.maximum(why_not.empty() ? 0 : 1) != 0) {
    datagrams_.reset();
    return;
  }
  const auto less = [](auto member) {
    return [member](const Joined& a, const Joined& b) { return a.*member < b.*member; };
  };
  mailbox_ = std::make_unique<protocols::Mailbox>(
      *datagrams_, numbers[0], bootstrap.rank(),
      std::ranges::min_element(all, less(&Joined::capacity))->capacity,
      std::ranges::min_element(all, less(&Joined::slots))->slots);
}

nlohmann::json JobDatagrams::describe() const {
  if (!mailbox_) return {{"multicast", nullptr}};
  return {{"multicast",
           {{"way", datagrams_->describe()},
            {"payload_bytes", mailbox_->payload_bytes()},
            {"slots", mailbox_->slots()},
            {"dropped", mailbox_->dropped()}}}};
}

}  // namespace tutti
