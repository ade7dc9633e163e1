// The steps of every collective of the C API with the request that its arguments make.
#pragma once

#include <optional>

#include "src/api/claims.hpp"
#include "src/api/library.hpp"
#include "src/api/prepare.hpp"
#include "src/api/repeats.hpp"
#include "src/api/user_request.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// Within a handler of what was thrown before the request had started, or by its start: goes on
// throwing it. A rank's trouble with its arguments is everybody's: the others may wait for it in
// this call, so they hear of it. The message of an Error says from now on which call it was.
[[noreturn]] void rethrow(Request& request, const Arguments& arguments);

// Starts the request with the plan that `find_plan` returns.
template <class FindPlan>
void start(Request& request, const Arguments& arguments, FindPlan&& find_plan) {
  try {
    request.start(find_plan());
  } catch (...) {
    rethrow(request, arguments);
  }
}

// The last call once more, where it has derived datatypes: with views of the same elements.
void repeat_with_views(Library& state, Communicator& communicator, const Arguments& arguments,
                       const Repeats::Repeat& last);
// The derived datatypes of a call that has started; nothing: there may be another meaning the next
// time.
std::optional<Repeats::Derived> derived_types_of(const Library& state, UserRequest& request);

// A blocking collective: the request lives here. All of it is one function, so that the arguments
// stay in registers where the call is the same once more.
[[gnu::always_inline]] inline int blocking(tutti_comm handle, const Arguments& arguments) noexcept {
  return guard([&](Library & state) __attribute__((always_inline)) {
    Communicator& communicator = communicator_of(handle);
    if (!arguments.by_rank) {
      if (const auto* const last = handle->repeats->find(arguments, communicator)) {
        if (last->derived.frees != 0) [[unlikely]]
          return repeat_with_views(state, communicator, arguments, *last);
        Request request(communicator);
        request.call = last->call;
        start(request, arguments, [&]() -> Plan& { return communicator.again(*last->plan); });
        request.look_around();
        return request.wait();
      }
    }
    UserRequest request(communicator);
    start(request, arguments, [&]() -> Plan& {
      prepare(state, request, arguments);
      if (communicator.agreement().count().counts_checks()) [[unlikely]]
        compare_on_all(state, *handle, request.task, arguments);
      Plan& plan = communicator.plan(request.task);
      request.choose_copies(plan);
      return plan;
    });
    // One that is checked is never the same once more: it would not be checked again.
    if (!arguments.by_rank && !communicator.agreement().count().counts_checks()) {
      if (request.is_plain())
        handle->repeats->note(arguments, request.call, request.plan(), communicator);
      else if (const auto derived = derived_types_of(state, request))
        handle->repeats->note(arguments, request.call, request.plan(), communicator, *derived);
    }
    request.look_around();
    request.wait();
    request.deliver();
  });
}

}  // namespace tutti
