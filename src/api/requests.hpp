// The forms of a collective that leave a request behind: non-blocking and persistent.
#pragma once

#include "src/api/call_arguments.hpp"
#include "tutti/tutti.h"

namespace tutti {

// Begins the call. Returns the code of the C API's function; *request is null after an error.
int begin(tutti_comm comm, const Arguments& arguments, tutti_request* request) noexcept;
// Prepares the call, which tutti_start begins.
int keep(tutti_comm comm, const Arguments& arguments, tutti_request* request) noexcept;

}  // namespace tutti
