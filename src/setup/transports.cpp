// Opens the transports that settings allow, with options that both ends of a connection share.
#include "src/setup/transports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "transport/verbs/discovery/survey.hpp"

namespace tutti {

using transport::InboxShape;
using transport::Transport;

namespace {

// A slot stride that is an odd number of cache lines spreads the slots' ends, which are all that is
// touched of a slot with a small message, over the cache's sets.
constexpr std::uint32_t slot_for(Bytes payload) {
  const auto lines = static_cast<std::uint32_t>(
      (payload + static_cast<Bytes>(sizeof(transport::Trailer)) + 63) / 64);
  return (lines | 1u) * 64;
}

}  // namespace

InboxShape inbox_shape(const Configuration& c, Bytes eager_limit) {
  const auto slots = [](int n) { return static_cast<std::uint32_t>(n); };
  // Two lines for the shortest messages, which lie close to each other: in the slots for longer
  // ones a few numbers took a fifth more time.
  constexpr auto line = static_cast<std::uint32_t>(kCacheLine);
  return {{{{2 * line, slots(c.line_slots)},
            {slot_for(c.small_bytes), slots(c.small_slots)},
            {slot_for(eager_limit), slots(c.eager_slots)},
            {line, slots(c.ready_slots)},
            {line, slots(c.ready_slots)}}}};
}

// Where packets cost CPU, a copy is cheaper than the messages of a rendezvous for longer: measured
// over rxe, a broadcast of 64 KiB among four ranks takes half the time. An adapter moves the data
// itself, and there the copies would cost.
Bytes verbs_eager_limit(const Configuration& c, bool costly) {
  return c.eager_limit != 0 ? c.eager_limit : (costly ? 64 : 16) * 1024;
}

bool costly_packets(const Configuration& c, bool software) {
  return c.wire == Wire::automatic ? software : c.wire == Wire::software;
}

transport::shm::Options shm_options(const Configuration& c) {
  transport::shm::Options options;
  options.copy = c.shm_copy;
  options.memory = c.shm_memory;
  return options;
}

transport::verbs::Options verbs_options(const Configuration& c) {
  transport::verbs::Options options;
  options.mtu = c.mtu;
  options.link.arrival = c.arrival;
  options.link.timeout = c.verbs_timeout;
  options.link.retry_count = c.verbs_retry;
  options.connect_timeout = std::chrono::milliseconds(c.connect_timeout_ms);
  return options;
}

transport::verbs::DeviceSettings device_settings(const Configuration& c, int node, int local_rank) {
  transport::verbs::DeviceSettings settings;
  settings.rails = c.rails;
  settings.node = node;
  settings.other = {.port = c.port,
                    .gid_index = c.gid_index,
                    .pkey = c.pkey,
                    .local_rank = local_rank,
                    .traffic = {c.service_level, c.traffic_class, c.hop_limit}};
  settings.devices = device_names(c.device);
  return settings;
}

namespace {

bool wants_shm(const TransportContext& context) {
  return context.configuration.transport != TransportChoice::verbs;
}

std::unique_ptr<Transport> open_shm(const TransportContext& context,
                                    transport::Bootstrap& bootstrap) {
  transport::shm::Options options = shm_options(context.configuration);
  options.log = context.log;
  options.machine = context.machine;
  return std::make_unique<transport::shm::ShmTransport>(
      options, context.placement,
      inbox_shape(context.configuration, context.configuration.shm_eager_limit),
      [&bootstrap](std::int64_t mine) { return bootstrap.maximum(mine); });
}

bool wants_verbs(const TransportContext& context) {
  return context.configuration.transport == TransportChoice::verbs ||
         (context.configuration.transport == TransportChoice::automatic &&
          context.placement.nodes() > 1);
}

// The first rank that has no kind of fabric in common with this one is named.
[[noreturn]] void throw_apart(std::span<const transport::verbs::Offer> offers, int rank) {
  const auto kinds = [&](std::size_t of) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < offers[of].count; ++i)
      names.insert(transport::verbs::name_of(offers[of].fabrics[i].kind));
    return names;
  };
  const auto mine = kinds(static_cast<std::size_t>(rank));
  std::size_t other = 0;
  const auto meets = [&](std::string_view name) { return mine.contains(name); };
  while (other + 1 < offers.size() &&
         (offers[other].count == 0 || std::ranges::any_of(kinds(other), meets)))
    ++other;
  throw Error(Code::unreachable,
              fmt::format("the ranks' RDMA devices have no network in common: rank {} of the MPI "
                          "communicator has {}, and rank {} {}; see `tutti info` on each host, and "
                          "set TUTTI_DEVICE, TUTTI_PORT or TUTTI_GID_INDEX",
                          rank, fmt::join(mine, ", "), other, fmt::join(kinds(other), ", ")));
}

// All ranks take ports of one fabric. A rank with no usable port offers nothing, and fails with a
// message of its own.
std::vector<transport::verbs::DeviceChoice> settle_on_devices(const TransportContext& context,
                                                              transport::Bootstrap& bootstrap) {
  using transport::verbs::Offer;
  const std::span<const int> node_ranks = context.placement.node_ranks();
  const transport::verbs::PortChoice choice(
      device_settings(context.configuration, context.placement.node_of(context.placement.rank()),
                      context.placement.local_rank()));
  const Offer mine = choice.offer();
  std::vector<Offer> offers(static_cast<std::size_t>(bootstrap.size())), node;
  bootstrap.allgather(&mine, sizeof mine, offers.data());
  choice.check_list(offers, static_cast<std::size_t>(bootstrap.rank()));
  const auto rails =
      transport::verbs::common_rails(offers, static_cast<std::size_t>(bootstrap.rank()));
  if (rails.empty() && mine.count != 0) throw_apart(offers, bootstrap.rank());
  node.reserve(node_ranks.size());
  for (const int rank : node_ranks) node.push_back(offers[static_cast<std::size_t>(rank)]);
  auto devices = choice.settle(rails, node);
  if (const auto wanted = transport::verbs::rails_missed(offers, rails.size());
      wanted != 0 && !rails.empty() && bootstrap.rank() == 0)
    context.warn(
        fmt::format("rails is {}, and all ranks have ports for {} only; set rails to {}, or see by "
                    "`tutti info` on each host why its other ports are left out",
                    wanted, rails.size(), rails.size()));
  for (const std::string& name : choice.missing())
    context.log(fmt::format("device {}: not on this host", name));
  for (const auto& [candidate, words] : choice.verdicts(devices))
    context.log(fmt::format("device {}, port {}: {}", candidate.device, candidate.port, words));
  return devices;
}

// A job on one node needs no device. Without this check a misspelt name would first show in a job
// on two nodes.
void check_unused_verbs(const TransportContext& context) {
  const Configuration& c = context.configuration;
  const bool speaks = context.placement.node_ranks().front() == context.placement.rank();
  if (!speaks || (c.device.empty() && c.port == 0)) return;
  const auto all = transport::verbs::candidates(c.gid_index);
  const std::string words = transport::verbs::not_there(all, device_names(c.device), c.port);
  if (!words.empty()) context.warn(words + ". This job goes over shared memory, and needs none");
}

std::unique_ptr<Transport> open_verbs(const TransportContext& context,
                                      transport::Bootstrap& bootstrap) {
  const Configuration& c = context.configuration;
  transport::verbs::Options options = verbs_options(c);
  options.devices = settle_on_devices(context, bootstrap);
  options.log = context.log;
  return std::make_unique<transport::verbs::VerbsTransport>(
      options, context.placement.rank(), context.placement.size(), [&](bool software) {
        // Ranks whose devices or settings differ must have the same slots.
        const bool costly = bootstrap.maximum(costly_packets(c, software) ? 1 : 0) != 0;
        return inbox_shape(c, verbs_eager_limit(c, costly));
      });
}

}  // namespace

std::span<const TransportKind> transport_kinds() {
  static const auto& kinds = *new std::array<TransportKind, 2>{
      {{wants_shm, open_shm}, {wants_verbs, open_verbs, check_unused_verbs}}};
  return kinds;
}

}  // namespace tutti
