// Calls that come again. Programs call collectives in loops, on the same buffers; then what the
// arguments mean, and which plan they need, is known from the last time.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "src/data/gpu_memory.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// What the caller wrote, of the collectives without arrays of counts. What a collective has not, is
// zero.
struct Arguments {
  collectives::Collective collective;
  int root = 0;
  const void* sends = nullptr;
  const void* receives = nullptr;
  MPI_Count send_count = 0, receive_count = 0;
  MPI_Datatype send_type{}, receive_type{};
  MPI_Op operation{};
  friend bool operator==(const Arguments&, const Arguments&) = default;
};

// Of the v-forms: the counts by rank that are the same on all ranks. Null: there are no such ones.
struct Varying {
  const MPI_Count* counts = nullptr;
};

// The last call of each collective on one communicator, if its arguments mean the same for ever:
// buffers that are used as they are, predefined datatypes and operations. The handles of others may
// be freed, and given to something else; and memory of the CPU may become a GPU's.
class Repeats {
 public:
  struct Repeat {
    Arguments arguments;
    Call call;
    Plan* plan = nullptr;  // null: there is none
    std::uint64_t dropped_plans = 0;
  };

  // Null: it is another call than the last one.
  const Repeat* find(const Arguments& arguments, const Communicator& communicator) const noexcept {
    const Repeat& last = last_[static_cast<std::size_t>(arguments.collective)];
    const bool again = last.plan && last.arguments == arguments &&
                       last.dropped_plans == communicator.dropped_plans() &&
                       !gpu_pointer_query.load(std::memory_order_relaxed);
    return again ? &last : nullptr;
  }
  void note(const Arguments& arguments, const Call& call, Plan& plan,
            const Communicator& communicator) noexcept {
    last_[static_cast<std::size_t>(arguments.collective)] = {arguments, call, &plan,
                                                             communicator.dropped_plans()};
  }

 private:
  std::array<Repeat, collectives::kCollectives> last_{};
};

}  // namespace tutti
