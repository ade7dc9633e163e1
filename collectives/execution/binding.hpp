// Binding: what a run keeps from call to call where it is started again and again on the same
// buffers: what its long messages need registered, found once for each step, or how its messages
// go, if all are short.
//
// Knows programs and buffers; knows no call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/execution/program.hpp"
#include "protocols/bound.hpp"
#include "protocols/slot_message.hpp"

namespace tutti::collectives {

// A step of a program whose messages all fit one slot each, with the addresses of one call.
struct ShortStep {
  std::optional<protocols::SlotMessage> message;  // nullopt: a local step
  StepKind kind;
  Ordinal ordinal;
  std::byte* place;  // the message: where it lies, or is to lie
  Operand operand;   // of recv_reduce
};

class Binding {
 public:
  using Buffers = std::array<std::byte*, 3>;  // input, output, scratch: where each begins

  // `program` must outlive the binding, and so must `combine`; the buffers must stay where they
  // are. Registers nothing yet. Throws std::bad_alloc.
  Binding(const Program& program, const Buffers& buffers, const Combine& combine);
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
  // If no step waits for another one: all steps, by bits. 0: some does, or there are too many.
  std::uint64_t at_once() const noexcept;
  // By step; null: some message does not fit one slot.
  const ShortStep* short_steps() const noexcept {
    return short_steps_.empty() ? nullptr : short_steps_.data();
  }

 private:
  void look_up() noexcept;
  void shorten(const Combine& combine);
  std::byte* at(const Slice& slice) const noexcept {
    return buffers_[index(slice.buffer)] + slice.offset;
  }

  const Program& program_;
  const Buffers buffers_;
  protocols::BoundMemory memory_;
  std::vector<registration::Region*> regions_;  // by step, unless no step needs any
  std::vector<ShortStep> short_steps_;          // by step, unless one is not short
};

}  // namespace tutti::collectives
