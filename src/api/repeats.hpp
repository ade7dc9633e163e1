// Calls that come again. Programs call collectives in loops, on the same buffers; then what the
// arguments mean, and which plan they need, is known from the last time.
#pragma once

#include <array>
#include <cstdint>

#include "src/api/call_arguments.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/data/kept_types.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// The last call of each collective on one communicator, if its arguments mean the same again: no
// counts by rank, predefined operations, buffers that are used as they are or by a view, predefined
// datatypes, or derived ones as long as no type is freed whose form is kept. Handles of other
// types, and of operations, may be freed, and given to something else; and memory of the CPU may
// become a GPU's.
class Repeats {
 public:
  // Elements of a derived datatype, of which a call has a view. No form: the buffer is as it is.
  struct Elements {
    TypeForm* form = nullptr;
    std::byte* first = nullptr;
    Bytes count = 0, extent = 0;
  };
  // The derived datatypes of a call.
  struct Derived {
    std::uint64_t frees = 0;  // KeptTypes::frees() when the call was made; 0: there are none
    Elements input{}, output{};
  };
  struct Repeat {
    Arguments arguments;
    Call call;             // without views
    Plan* plan = nullptr;  // null: there is none
    std::uint64_t dropped_plans = 0;
    Derived derived{};
  };

  // Null: it is another call than the last one. Neither has counts by rank.
  const Repeat* find(const Arguments& arguments, const Communicator& communicator) const noexcept {
    const Repeat& last = last_[static_cast<std::size_t>(arguments.collective)];
    const bool again = last.plan && are_equal(last.arguments, arguments) &&
                       last.dropped_plans == communicator.dropped_plans() &&
                       (last.derived.frees == 0 || last.derived.frees == KeptTypes::frees()) &&
                       !gpu_pointer_query.load(std::memory_order_relaxed);
    return again ? &last : nullptr;
  }
  void note(const Arguments& arguments, const Call& call, Plan& plan,
            const Communicator& communicator) noexcept {
    note(arguments, call, plan, communicator, Derived{});
  }
  void note(const Arguments& arguments, const Call& call, Plan& plan,
            const Communicator& communicator, const Derived& derived) noexcept {
    Repeat& last = last_[static_cast<std::size_t>(arguments.collective)];
    last = {arguments, call, &plan, communicator.dropped_plans(), derived};
    last.call.views = {};
  }

 private:
  std::array<Repeat, collectives::kCollectives> last_{};
};

}  // namespace tutti
