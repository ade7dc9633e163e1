// The errors of arguments, with what to do about each.
#include "src/api/arguments.hpp"

#include <fmt/format.h>

namespace tutti {

void throw_bad_root(int root, const Communicator& comm) {
  throw Error(Code::bad_root, fmt::format("the root is {}, and the communicator has ranks 0 to {}",
                                          root, comm.size() - 1));
}

void throw_in_place(const char* name) {
  throw Error(Code::bad_buffer,
              fmt::format("MPI_IN_PLACE is not allowed as `{}` here; pass the buffer", name));
}

void throw_unequal(Bytes sent, Bytes received) {
  throw Error(Code::size_mismatch,
              fmt::format("a block of {} bytes is sent and one of {} bytes received; they must be "
                          "equal",
                          sent, received));
}

void warn_of_shared_bytes(const Library& state) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    state.engine->log().warn(
        "the send and the receive buffer of a call share bytes, which MPI forbids: "
        "such calls copy their data");
}

const MPI_Count* must_have(const MPI_Count* counts, const char* name) {
  if (!counts)
    throw Error(Code::bad_buffer,
                fmt::format("`{}` is NULL; it has an entry for every rank", name));
  return counts;
}

const MPI_Count* counts_at_root(const Library& state, const Communicator& comm, int root,
                                const MPI_Count* counts, const char* name) {
  static constexpr MPI_Count kNone = 0;
  return comm.rank() == root || state.configuration.counts == Counts::all ? must_have(counts, name)
                                                                          : &kNone;
}

}  // namespace tutti
