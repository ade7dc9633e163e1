// A rank's claim about a call before it is made, where the setting `check` asks for that.
#pragma once

#include "src/api/library.hpp"
#include "src/api/call_arguments.hpp"

namespace tutti {

// As the function is called: "allgatherv".
std::string name_of(const Arguments& arguments);

// Compares the call with those of all ranks, and returns if they match. `task` is what it means
// here, and its arguments have been checked. Throws Error{calls_differ} on all ranks, and what the
// exchange throws.
void compare_on_all(Library& state, tutti_comm_object& handle, const collectives::Task& task,
                    const Arguments& arguments);

}  // namespace tutti
