// A request of the C API: what is asked for, and how its result reaches the caller's buffers. It
// holds everything that must outlive the function that began it: packed data, reduction, counts.
#pragma once

#include "src/data/buffers.hpp"
#include "src/data/maybe.hpp"
#include "src/data/reduction.hpp"
#include "src/data/reduction_buffer.hpp"
#include "src/job/request.hpp"

namespace tutti {

class UserRequest final : public Request {
 public:
  using Request::Request;

  // Filled in by the function that checks the arguments, along with `call`.
  collectives::Task task;
  Maybe<Blocked> from, to;        // of collectives that move data
  Maybe<Reduction> reduction;     // of the others, where it is this call's own
  Maybe<ScratchBuffer> operands;  // what that copies
  Maybe<ReductionBuffer> operand, result;

  // Nothing is to be delivered, and equal arguments will always mean the same.
  bool is_plain() const noexcept {
    return (!from || from->is_plain()) && (!to || to->is_plain()) && !reduction &&
           (!operand || operand->is_plain()) && (!result || result->is_plain());
  }
  // Once done: brings the result to where the caller wants it. Throws Error{bad_datatype |
  // out_of_memory}.
  void deliver() {
    if (to) to->deliver();
    if (result) result->deliver();
  }
};

}  // namespace tutti
