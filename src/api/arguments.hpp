// Checks of arguments that several functions of the C API share. All throw Error, with a message
// that says which argument is wrong and what to do.
#pragma once

#include <mpi.h>

#include "src/api/library.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

inline constexpr const char* kUseInPlace =
    "to use the data of the receive buffer, pass MPI_IN_PLACE as the send buffer";

void check_root(int root, const Communicator& comm);
// `name` is the argument's.
void forbid_in_place(const void* buffer, const char* name);
// Of a block that a rank sends to itself.
void check_equal(Bytes sent, Bytes received);
const MPI_Count* must_have(const MPI_Count* counts, const char* name);
// Of the v-forms of scatter and gather: not null even where they are not looked at.
const MPI_Count* counts_at_root(const Library& state, const Communicator& comm, int root,
                                const MPI_Count* counts, const char* name);

}  // namespace tutti
