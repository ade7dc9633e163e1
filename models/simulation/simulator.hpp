// Plays the schedules of all ranks, event by event, with the times of a platform. costs.hpp says
// what a model's numbers mean for a step. Pure; equal arguments give equal results on every run.
//
// Memory: for each rank that has not finished, a cursor (some 9 bytes a step); the scripts that no
// other rank shares (script_cache.hpp); and the events that are due.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "models/platform/platform.hpp"
#include "protocols/protocol_for.hpp"

namespace tutti::models {

struct SimulationOptions {
  // The node of each rank; empty: each rank has a node of its own.
  std::vector<int> node{};
  // The socket of each rank on its node; empty: each node has one.
  std::vector<int> socket{};
  // If there are any: what the channel sends as a rendezvous waits for the receiver.
  std::optional<protocols::Limits> limits{};
  // Every time is 1 + noise·x times what the model says, x exponentially distributed with mean 1.
  double noise = 0;
  // Each rank enters at a random time up to this, us.
  double late = 0;
  std::uint64_t seed = 1;  // of both
  bool record = false;     // keep all bars; memory grows with the number of steps
  bool links = false;      // count the traffic of each pair of nodes
  // Time of a `reduce` of no bytes, which stands for a program's computation: us. Empty: 0.
  std::function<double(Rank, collectives::StepId)> computing{};
  // Ranks that never finish are a result, and no error.
  bool may_block = false;
};

struct Traffic {
  Bytes messages = 0, bytes = 0;
};

// A step, as it was: the processor was busy (or for a model without overhead: the port was) from
// `begin` to `busy`; at `end` steps that waited for it could start.
struct Bar {
  Rank rank, peer;  // −1: no message
  collectives::StepId step;
  collectives::StepKind kind;
  Bytes bytes;
  double begin, busy, end;
  double turn;               // of a send: until then the port was busy
  double arrived;            // of a receive: when what it may begin with had passed the port
  std::int64_t from;         // of a receive: the number of its sender's bar; else −1
  std::int64_t behind = -1;  // of a send: that of the one for which it waited at the port; else −1
};

struct Result {
  double time = 0;               // when the last rank had finished, us; the first one entered at 0
  std::vector<double> finished;  // of each rank
  Traffic within, between;       // nodes
  Traffic between_sockets;       // of nodes; also in `within`
  struct Node {
    Traffic sent, received;  // to and from other nodes
  };
  std::vector<Node> nodes;
  std::map<std::pair<int, int>, Traffic> links;  // from node to node, if counted
  std::vector<Bar> bars;                         // if recorded, by the time of `begin`
  // The steps that decided `time`, each of which waited for the one before; if recorded.
  std::vector<std::size_t> critical_path;  // numbers of bars
  // A rank that never finishes, if it may: it waits for a message or its receiver.
  struct Blocked {
    Rank rank, peer;
    collectives::StepId step;
  };
  std::vector<Blocked> blocked;
  std::uint64_t events = 0;
  std::size_t scripts = 0;  // different schedules
};

// schedule_of() is called once for each rank, in their order. Throws Error{internal} if a peer is
// no rank, if messages do not pair off, or if some rank never finishes.
Result simulate(int P, const std::function<collectives::Schedule(Rank)>& schedule_of,
                const Platform& platform, const SimulationOptions& setting = {});

}  // namespace tutti::models
