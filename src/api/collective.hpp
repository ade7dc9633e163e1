// What every collective of the C API does with the request that its arguments make.
#pragma once

#include <new>

#include "src/api/library.hpp"
#include "src/api/user_request.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// Starts what `prepare` has put into the request. A rank's trouble with its arguments is
// everybody's: the others may wait for it in this call, so they hear of it.
template <class Prepare>
void start(Library& state, UserRequest& request, Prepare&& prepare) {
  const auto refuse = [&](Code code) {
    if (request.state() == Request::State::idle) request.communicator().refuse(code);
  };
  try {
    prepare(state, request);
    request.start(request.communicator().plan(request.task));
  } catch (const Error& error) {
    refuse(error.code);
    throw;
  } catch (const std::bad_alloc&) {
    refuse(Code::out_of_memory);
    throw;
  } catch (...) {
    refuse(Code::internal);
    throw;
  }
}

// A blocking collective: the request lives here. All of it is one function, so that the arguments
// stay in registers.
template <class Prepare>
int blocking(tutti_comm handle, Prepare&& prepare) noexcept {
  return guard([&](Library & state) __attribute__((always_inline)) {
    UserRequest request(communicator_of(handle));
    start(state, request, prepare);
    request.wait();
    request.deliver();
  });
}

}  // namespace tutti
