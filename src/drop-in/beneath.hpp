// The MPI's own functions, for Tutti behind the entries.
#pragma once

#include "src/drop-in/interface.h"

namespace tutti::drop_in {

// Before any call of MPI. Throws Error{unsupported}, naming the function that this MPI has not.
void find_beneath(tutti_function (*find)(const char* name));

}  // namespace tutti::drop_in
