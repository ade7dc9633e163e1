// The two ends of a connection over fake devices, without a handshake: each attaches to the other
// when a test says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/transport/verbs/fake_verbs.hpp"
#include "transport/verbs/connection/link.hpp"

namespace tutti::tests {

inline constexpr transport::InboxShape kEndShape{
    {{{128, 64}, {1088, 16}, {16448, 16}, {64, 16}, {64, 16}}}};

// The names of the devices of an end that has so many rails, one for each.
inline std::vector<std::string> rail_names(std::size_t rails) {
  std::vector<std::string> names;
  for (std::size_t rail = 0; rail < rails; ++rail) names.push_back("fake" + std::to_string(rail));
  return names;
}

inline transport::verbs::Rails further_rails(std::size_t rails) {
  transport::verbs::Rails further;
  for (const std::string& name : rail_names(rails))
    if (name != "fake0")
      further.emplace_back(transport::verbs::DeviceChoice{.device = name}, 0,
                           [](std::string_view) {});
  return further;
}

// A rank without its links.
struct EndSite {
  explicit EndSite(std::size_t rail_count = 1, const transport::verbs::LinkOptions& wanted = {},
                   int ranks = 2)
      : options(wanted),
        rails(further_rails(rail_count)),
        shared(device, ranks),
        queues(device, shared.room()) {}
  std::vector<const transport::verbs::Device*> devices() const {
    std::vector<const transport::verbs::Device*> all{&device};
    for (const transport::verbs::Rail& rail : rails) all.push_back(&rail.device);
    return all;
  }

  const transport::verbs::LinkOptions options;
  const transport::verbs::Device device{{.device = "fake0"}, [](std::string_view) {}};
  transport::verbs::Rails rails;  // the others
  transport::verbs::DeviceRegistrar registrar{devices()};
  transport::verbs::SharedReceives shared;
  transport::verbs::CompletionQueues queues;
  int wanted_larger = 0, datagrams = 0;  // calls of the two functions of its context
  transport::verbs::LinkContext context{device,
                                        queues,
                                        shared,
                                        rails,
                                        registrar,
                                        options,
                                        kEndShape,
                                        [this] { ++wanted_larger; },
                                        [this] { ++datagrams; }};
};

// A rank with one link.
struct End : EndSite {
  explicit End(int peer, std::size_t rail_count = 1,
               const transport::verbs::LinkOptions& wanted = {})
      : EndSite(rail_count, wanted), link(context, peer) {}

  transport::verbs::VerbsLink link;
  transport::Growth& growth() { return *link.capabilities().growth; }
  // Takes all completions.
  void progress() {
    queues.poll([this](const ibv_wc& completion) { link.complete(completion, 0); });
    for (std::size_t i = 0; i < rails.size(); ++i)
      rails[i].queues.poll([&](const ibv_wc& completion) { link.complete(completion, 1 + i); });
  }
  transport::Post put(transport::Ring ring, std::uint32_t sequence, const std::string& text) {
    transport::Trailer trailer{};
    trailer.length = transport::Length(static_cast<std::uint32_t>(text.size()));
    trailer.sequence = sequence;
    return link.put(ring, link.outbox().shape()[ring].index_of(sequence), text.data(), trailer);
  }
  // The payload of a message that has arrived.
  std::string text_of_message(transport::Ring ring, std::uint32_t sequence) {
    const transport::Trailer* const trailer = link.inbox().trailer(ring, sequence);
    const char* const end = reinterpret_cast<const char*>(trailer);
    return {end - transport::padded(trailer->length.bytes()), trailer->length.bytes()};
  }
};

inline void attach_end(End& end, const End& peer, transport::verbs::Arrival arrival) {
  end.link.attach(peer.link.connection().info(), arrival, IBV_MTU_1024, peer.device.lid(),
                  peer.device.gid());
}

// Both can be written to, and know it.
inline void connect_ends(End& a, End& b,
                         transport::verbs::Arrival arrival = transport::verbs::Arrival::imm) {
  attach_end(a, b, arrival);
  attach_end(b, a, arrival);
  a.link.ready();
  b.link.ready();
}

// Both have a larger side, which the other one knows; none writes to it yet.
inline void enlarge_ends(End& a, End& b) {
  for (End* const end : {&a, &b}) end->link.larger().make();
  const auto attach = [](End& end, End& peer) {
    end.link.larger().attach(peer.link.larger().side()->connection.info(),
                             end.link.connection().arrival(), IBV_MTU_1024, peer.device.lid(),
                             peer.device.gid(), peer.link.larger().lane_infos());
  };
  attach(a, b);
  attach(b, a);
  for (End* const end : {&a, &b}) end->link.larger().become_ready();
}

}  // namespace tutti::tests
