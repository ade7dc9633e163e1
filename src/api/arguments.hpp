// Checks of arguments that several functions of the C API share. All throw Error, with a message
// that says which argument is wrong and what to do.
#pragma once

#include <mpi.h>

#include "src/api/library.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

inline constexpr const char* kUseInPlace =
    "to use the data of the receive buffer, pass MPI_IN_PLACE as the send buffer";

// Errors of the checks below, away from the path of a call that is right.
[[noreturn]] void throw_bad_root(int root, const Communicator& comm);
[[noreturn]] void throw_in_place(const char* name);
[[noreturn]] void throw_unequal(Bytes sent, Bytes received);

inline void check_root(int root, const Communicator& comm) {
  if (root < 0 || root >= comm.size()) [[unlikely]]
    throw_bad_root(root, comm);
}
// `name` is the argument's.
inline void forbid_in_place(const void* buffer, const char* name) {
  if (buffer == MPI_IN_PLACE) [[unlikely]]
    throw_in_place(name);
}
// Once.
void warn_of_shared_bytes(const Library& state);
// The block that a rank sends to itself has one length at both ends.
inline void check_equal(Bytes sent, Bytes received) {
  if (sent != received) [[unlikely]]
    throw_unequal(sent, received);
}
// The send and the receive buffer of a collective, or those of the root. `same_place`: what a rank
// gives to itself is where it is to arrive.
template <class Buffer>
void keep_apart(const Library& state, Buffer& sent, const Buffer& received, bool same_place) {
  const Manner& manner = state.manner;
  if (!manner.lenient || (same_place && !manner.equal_buffers))
    return sent.must_not_share(received, kUseInPlace);
  if (!sent.shares(received)) return;
  warn_of_shared_bytes(state);
  sent.detach();
}
const MPI_Count* must_have(const MPI_Count* counts, const char* name);
// The counts of a v-form of scatter or gather; not null even where they are not looked at.
const MPI_Count* counts_at_root(const Library& state, const Communicator& comm, int root,
                                const MPI_Count* counts, const char* name);

}  // namespace tutti
