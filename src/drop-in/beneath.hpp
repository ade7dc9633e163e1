// The MPI's own functions, for Tutti behind the entries.
#pragma once

#include "src/drop-in/interface.h"

namespace tutti::drop_in {

// Before any call of MPI. Returns the name of a function that Tutti needs and this MPI has not, but
// for extensions; null: it has all. Others may be called nevertheless.
const char* find_beneath(tutti_function (*find)(const char* name)) noexcept;

}  // namespace tutti::drop_in
