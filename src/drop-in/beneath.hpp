// The MPI's own functions and communicators, for Tutti behind the entries.
#pragma once

#include "src/drop-in/interface.h"

namespace tutti::drop_in {

// Before any call of MPI. Keeps `entries`. Returns the name of a function that Tutti needs and this
// MPI has not, but for extensions; null: it has all. Others may be called nevertheless.
const char* find_beneath(const tutti_drop_in_entries& entries) noexcept;

// Whether a function of this address is in the MPI's library.
bool is_of_mpi(const void* function) noexcept;

MPI_Comm world() noexcept;
MPI_Comm self() noexcept;

}  // namespace tutti::drop_in
