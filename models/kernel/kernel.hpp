// A kernel: what each rank of a program does, call by call, as `tutti predict --program` reads it
// (text.hpp). Pure data. Times in microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/selection/choices.hpp"

namespace tutti::models::kernel {

enum class Kind : std::uint8_t { compute, send, recv, isend, irecv, wait, collective, stage };

// The name by which the text calls it; of a collective that of its call.
std::string_view name_of(Kind kind) noexcept;

struct Operation {
  Kind kind;
  int line;         // of the text
  double time = 0;  // of compute: of this rank
  Rank peer = -1;   // of messages
  Bytes bytes = 0;  // of messages
  int call = -1;    // of collectives: which of Kernel::calls
};

// A collective call. Equal ones are kept once.
struct Call {
  collectives::Collective collective{};
  int group = 0;               // which of Kernel::groups
  Rank root = 0;               // by its number in the group
  Bytes bytes = 0;             // as in collectives::Task
  collectives::Choice choice;  // without an algorithm: by the model
  friend bool operator==(const Call& a, const Call& b) noexcept {
    return a.collective == b.collective && a.group == b.group && a.root == b.root &&
           a.bytes == b.bytes && a.choice.algorithm == b.choice.algorithm &&
           a.choice.parameters == b.choice.parameters;
  }
};

struct Kernel {
  std::vector<std::vector<Operation>> ranks;  // the operations of each, in this order
  std::vector<std::vector<Rank>> groups;      // the first one: all ranks
  std::vector<Call> calls;
  std::vector<int> node;  // of each rank; empty: the text does not say
  std::string unit;       // in which it counts bytes; empty: none is named
  Bytes unit_bytes = 1;

  int P() const noexcept { return static_cast<int>(ranks.size()); }
};

// For readers: "send 4 KiB to rank 1", "bcast of 64 KiB from rank 0 among 4 ranks".
std::string to_string(const Kernel& kernel, const Operation& operation);
std::string to_string(const Kernel& kernel, const Call& call);

}  // namespace tutti::models::kernel
