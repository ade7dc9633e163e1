// The costs of a machine: a model for messages within a node and one for messages between nodes,
// and the times of combining and copying. Pure.
#pragma once

#include <optional>
#include <string>

#include "models/platform/point_to_point.hpp"

namespace tutti::models {

struct Machine {
  std::string cpu;  // as the kernel names it
  int cores = 0;    // hardware threads
  friend bool operator==(const Machine&, const Machine&) = default;
};

// Where and how parameters were measured. Empty or 0: not said, as of published parameters.
struct Origin {
  Machine machine{};
  std::string wire{};    // of the messages between nodes: "shm", "rxe", "hardware" or "mpi"
  std::string device{};  // its name
  std::string date{}, command{};
  friend bool operator==(const Origin&, const Origin&) = default;
};

// Structs that only selection reads; each() is as that of a model (point_to_point.hpp).

// The costs of cores where ranks share them, and where they do the work of an adapter.
struct Cores {
  double wake = 0;  // from a message until a rank that waits without a core of its own runs, us
  // If packets between nodes cost CPU time: of the cores of both ends together, us.
  double per_message = 0, per_byte = 0;
  bool move_packets() const noexcept { return per_message + per_byte > 0; }
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("wake", self.wake, "until a rank that waits without a core of its own runs, us");
    visit("per_message", self.per_message, "work of cores for a message between nodes, us");
    visit("per_byte", self.per_byte, "the same for a byte");
  }
  friend bool operator==(const Cores&, const Cores&) = default;
};

// The costs of connections and memory beside the time of a call.
struct Budget {
  // The first message to a peer makes the connection, which later calls use: us, and so many calls.
  double connect = 500, uses = 100000;
  Bytes connection = Bytes{64} * 1024;  // bytes of one
  Bytes memory = Bytes{1} << 30;        // a rank should hold no more for them and for scratch
  double calls = 1;  // of a collective in a row, whose mean time counts; 1: the time of one
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("connect", self.connect, "the first message to a peer, which makes the connection, us");
    visit("uses", self.uses, "calls over which that is spread");
    visit("connection", self.connection, "bytes of one connection");
    visit("memory", self.memory, "bytes that a rank should hold for them and for scratch");
    visit("calls", self.calls, "calls that follow each other, whose mean time counts");
  }
  friend bool operator==(const Budget&, const Budget&) = default;
};

inline constexpr int kMostAdapters = 64;

// The factor on the gap of a rank's sending port, by how many ranks it sends to over that level in
// one collective; nothing: 1. OCC §6.2 has measured that dependence, and §7 leaves it open.
struct GapByDestinations {
  std::optional<Curve> within{}, between_sockets{}, between{};
  friend bool operator==(const GapByDestinations&, const GapByDestinations&) = default;
};

struct Platform {
  std::string name;    // for readers
  std::string source;  // where the numbers are from
  Model between;
  std::optional<Model> within;  // nothing: every message goes under `between`, through its ports
  // For messages between two sockets of a node; nothing: as within one. Only the simulator reads
  // it.
  std::optional<Model> between_sockets{};
  double reduce_per_byte = 0;  // γ: combining two operands, us per byte of one
  double copy_per_byte = 0;    // us
  // Within a node longer messages are received and combined in such pieces, while the rest is on
  // its way; 0: when they are there as a whole.
  Bytes piece = 0;
  // The ranks of a node share one port for sending to other nodes, and one for receiving from
  // them; else each rank has its own.
  bool shared_ports = false;
  int adapters = 1;  // messages at a time through such a port between nodes (BEO's o)
  GapByDestinations gap_by_destinations{};
  Origin origin{};
  std::optional<Cores> cores{};  // nothing: not said
  std::optional<Budget> budget{};
};

}  // namespace tutti::models
