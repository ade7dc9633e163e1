// What every collective of the C API does with the request that its arguments make.
#pragma once

#include "src/api/claims.hpp"
#include "src/api/library.hpp"
#include "src/api/repeats.hpp"
#include "src/api/user_request.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// Within a handler of what was thrown before the request had started, or by its start: goes on
// throwing it. A rank's trouble with its arguments is everybody's: the others may wait for it in
// this call, so they hear of it. The message of an Error says from now on which call it was.
[[noreturn]] void rethrow(Request& request, const Arguments& arguments, const Varying* varying);

// Starts the request with what `prepare` returns, its plan.
template <class Prepare>
void start(Request& request, const Arguments& arguments, const Varying* varying,
           Prepare&& prepare) {
  try {
    request.start(prepare());
  } catch (...) {
    rethrow(request, arguments, varying);
  }
}

// A blocking collective: the request lives here. All of it is one function, so that the arguments
// stay in registers. `prepare(library, request)` checks the arguments, and puts what they mean into
// the request. `varying`: the arguments that are arrays of counts; null: there are none.
template <class Prepare>
[[gnu::always_inline]] inline int blocking(tutti_comm handle, const Arguments& arguments,
                                           const Varying* varying, Prepare&& prepare) noexcept {
  return guard([&](Library & state) __attribute__((always_inline)) {
    Communicator& communicator = communicator_of(handle);
    if (!varying) {
      if (const auto* const last = handle->repeats->find(arguments, communicator)) {
        Request request(communicator);
        request.call = last->call;
        start(request, arguments, varying,
              [&]() -> Plan& { return communicator.again(*last->plan); });
        return request.wait();
      }
    }
    UserRequest request(communicator);
    start(request, arguments, varying, [&]() -> Plan& {
      prepare(state, request);
      if (communicator.agreement().counts_checks()) [[unlikely]]
        compare_on_all(state, *handle, request.task, arguments, varying);
      Plan& plan = communicator.plan(request.task);
      request.choose_copies(plan);
      return plan;
    });
    // One that is checked is never the same once more: it would not be checked again.
    if (!varying && request.is_plain() && !communicator.agreement().counts_checks())
      handle->repeats->note(arguments, request.call, request.plan(), communicator);
    request.wait();
    request.deliver();
  });
}

}  // namespace tutti
