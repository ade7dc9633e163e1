// Arguments of a call are checked, and become a task and buffers.
#pragma once

#include "src/api/call_arguments.hpp"
#include "src/api/library.hpp"
#include "src/api/user_request.hpp"

namespace tutti {

// The parts of prepare(): collectives that move data, among all ranks and among neighbours, and
// those that combine them.
void prepare_movement(Library& state, UserRequest& request, const Arguments& arguments);
void prepare_neighbours(Library& state, UserRequest& request, const Arguments& arguments);
void prepare_reduction(Library& state, UserRequest& request, const Arguments& arguments);

// Fills in the request's task, its buffers, and all of `call`. Throws Error: an argument is wrong,
// or there is no memory.
inline void prepare(Library& state, UserRequest& request, const Arguments& arguments) {
  collectives::reduces(arguments.collective) ? prepare_reduction(state, request, arguments)
                                             : prepare_movement(state, request, arguments);
}

}  // namespace tutti
