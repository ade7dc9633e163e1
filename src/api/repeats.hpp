// Calls that come again. Programs call collectives in loops, on the same buffers; then what the
// arguments mean, and which plan they need, is known from the last time.
#pragma once

#include <array>
#include <cstdint>

#include "src/api/call_arguments.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// The last call of each collective on one communicator, if its arguments mean the same for ever: no
// counts by rank, buffers that are used as they are, predefined datatypes and operations. The
// handles of others may be freed, and given to something else; and memory of the CPU may become a
// GPU's.
class Repeats {
 public:
  struct Repeat {
    Arguments arguments;
    Call call;
    Plan* plan = nullptr;  // null: there is none
    std::uint64_t dropped_plans = 0;
  };

  // Null: it is another call than the last one. Neither has counts by rank.
  const Repeat* find(const Arguments& arguments, const Communicator& communicator) const noexcept {
    const Repeat& last = last_[static_cast<std::size_t>(arguments.collective)];
    const bool again = last.plan && are_equal(last.arguments, arguments) &&
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
