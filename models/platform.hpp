// What a machine costs: a model for messages within a node and one for messages between nodes, and
// what combining and copying take. Pure.
#pragma once

#include <optional>
#include <string>

#include "models/point_to_point.hpp"

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

struct Platform {
  std::string name;    // for readers
  std::string source;  // where the numbers are from
  Model between;
  std::optional<Model> within;  // nothing: every message goes under `between`, through its ports
  double reduce_per_byte = 0;   // γ: combining two operands, us per byte of one
  double copy_per_byte = 0;     // us
  // The ranks of a node share one port for sending to other nodes, and one for receiving from
  // them; else each rank has its own.
  bool shared_ports = false;
  Origin origin{};
};

}  // namespace tutti::models
