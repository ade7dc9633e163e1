// What every collective of the C API does with the request that its arguments make.
#pragma once

#include <new>
#include <string_view>

#include "src/api/claims.hpp"
#include "src/api/library.hpp"
#include "src/api/repeats.hpp"
#include "src/api/user_request.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// Starts the request with what `prepare` returns, its plan. A rank's trouble with its arguments is
// everybody's: the others may wait for it in this call, so they hear of it.
template <class Prepare>
void start(Request& request, Prepare&& prepare) {
  const auto refuse = [&](Code code, std::string_view why = {}) {
    if (request.state() == Request::State::idle) request.communicator().refuse(code, why);
  };
  try {
    request.start(prepare());
  } catch (const Error& error) {
    refuse(error.code, error.message);
    throw;
  } catch (const std::bad_alloc&) {
    refuse(Code::out_of_memory, kOutOfMemory);
    throw;
  } catch (...) {
    refuse(Code::internal);
    throw;
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
        start(request, [&]() -> Plan& { return communicator.again(*last->plan); });
        return request.wait();
      }
    }
    UserRequest request(communicator);
    start(request, [&]() -> Plan& {
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
