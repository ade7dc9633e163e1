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
  Maybe<ScratchBuffer> operands;  // its copies of operands
  Maybe<ReductionBuffer> operand, result;

  // Nothing is to be delivered, and equal arguments will always mean the same.
  bool is_plain() const noexcept {
    return (!from || from->is_plain()) && (!to || to->is_plain()) && !reduction &&
           (!operand || operand->is_plain()) && (!result || result->is_plain());
  }
  // Buffers of data that are moved are all there is.
  bool moves_data() const noexcept { return !reduction && !operand && !result; }
  // Before start(): where the plan can use no views, bytes are copied. Throws as deliver().
  void choose_copies(const Plan& plan) {
    if (call.views) [[unlikely]]
      drop_views(plan);
  }
  void reads(Blocked& buffer) {
    call.input = buffer.source();
    call.views.input = buffer.view();
  }
  // `keep`: see Blocked::room().
  void writes(Blocked& buffer, int keep = Blocked::kNoBlock) {
    call.output = buffer.destination(keep);
    call.views.output = buffer.view();
  }
  // A buffer that is an output on other ranks is only read here.
  void reads_output(Blocked& buffer) {
    call.output = const_cast<std::byte*>(buffer.source());
    call.views.output = buffer.view();
  }
  // Once done: brings the result to where the caller wants it. Throws Error{bad_datatype |
  // out_of_memory}.
  void deliver() {
    if (to) to->deliver();
    if (result) result->deliver();
  }

 private:
  void drop_views(const Plan& plan);
};

}  // namespace tutti
