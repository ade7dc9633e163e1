// Binding: what a run keeps from call to call where it is started again and again on the same
// buffers: what its long messages need registered, found once for each step.
//
// Knows programs and buffers; knows no call.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "collectives/execution/program.hpp"
#include "protocols/bound.hpp"

namespace tutti::collectives {

class Binding {
 public:
  using Buffers = std::array<std::byte*, 3>;  // input, output, scratch: where each begins

  // `program` must outlive the binding, and the buffers must stay where they are. Registers
  // nothing yet. Throws std::bad_alloc.
  Binding(const Program& program, const Buffers& buffers);
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  bool is_on(const void* input, const void* output, const void* scratch) const noexcept {
    return buffers_[0] == input && buffers_[1] == output && buffers_[2] == scratch;
  }
  // Before each start: sees that all is registered.
  void renew() noexcept {
    if (memory_.renew()) [[unlikely]]
      look_up();
  }
  // No message needs anything registered.
  bool empty() const noexcept { return memory_.empty(); }
  // Unless it is empty: what the step's message needs; null: nothing, or it registers its bytes
  // itself.
  registration::Region* region(StepId id) const noexcept { return regions_[id]; }

 private:
  void look_up() noexcept;

  const Program& program_;
  const Buffers buffers_;
  protocols::BoundMemory memory_;
  std::vector<registration::Region*> regions_;  // by step, unless no step needs any
};

}  // namespace tutti::collectives
