// Translates the arguments of non-blocking and persistent collectives into Tutti's, for plain and
// large counts. Each function has the arguments of MPI's up to the communicator.
#pragma once

#include <mpi.h>

#include <vector>

#include "src/api/library.hpp"
#include "src/api/stated.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {

// Numbers in Tutti's type, which live as long as the call.
using Numbers = std::vector<MPI_Count>;

}  // namespace tutti::drop_in

namespace tutti::drop_in::given {

// An entry for each rank as Tutti wants it, in part `part` of room for four arrays. Null if there
// are none. Throws std::bad_alloc.
template <class Number>
const MPI_Count* kept(const Communicator& comm, Numbers& room, int part, const Number* numbers) {
  return widened(numbers, comm.size, [&] {
    if (room.empty()) room.resize(4 * static_cast<std::size_t>(comm.size));
    return room.data() + static_cast<std::ptrdiff_t>(part) * comm.size;
  });
}

// The neighbours to which a rank sends, and those from which it receives; of a communicator that is
// not Tutti's: none.
struct Degrees {
  int out = 0, in = 0;
};
inline Degrees degrees_of(const Communicator& comm) {
  if (comm.tutti == TUTTI_COMM_NULL) return {};
  const auto& around = tutti::communicator_of(comm.tutti).neighbours();
  if (!around) return {};
  return {static_cast<int>(around->to.size()), static_cast<int>(around->from.size())};
}

// As kept(), for arrays with an entry for each neighbour: two for each side.
class KeptForNeighbours {
 public:
  KeptForNeighbours(const Communicator& comm, Numbers& room)
      : degrees_(degrees_of(comm)), room_(room) {}

  template <class Number>
  const MPI_Count* sent(int part, const Number* numbers) {
    return keep(part * degrees_.out, numbers, degrees_.out);
  }
  template <class Number>
  const MPI_Count* received(int part, const Number* numbers) {
    return keep(2 * degrees_.out + part * degrees_.in, numbers, degrees_.in);
  }

 private:
  template <class Number>
  const MPI_Count* keep(int place, const Number* numbers, int count) {
    return widened(numbers, count, [&] {
      room_.resize(2 * static_cast<std::size_t>(degrees_.out + degrees_.in));
      return room_.data() + place;
    });
  }

  const Degrees degrees_;
  Numbers& room_;
};

inline Arguments barrier(const Communicator&, Numbers&) { return stated::barrier(); }

template <class Count>
Arguments bcast(const Communicator&, Numbers&, void* buffer, Count count, MPI_Datatype type,
                int root) {
  return stated::bcast(buffer, count, type_of(count, type), root);
}

// Gather and scatter differ in nothing but their names, and so do allgather and alltoall.
#define TUTTI_ROOTED(name)                                                                     \
  template <class Count>                                                                       \
  Arguments name(const Communicator&, Numbers&, const void* in, Count sends,                   \
                 MPI_Datatype send_type, void* out, Count receives, MPI_Datatype receive_type, \
                 int root) {                                                                   \
    return stated::name(in, sends, type_of(sends, send_type), out, receives,                   \
                        type_of(receives, receive_type), root);                                \
  }
#define TUTTI_UNROOTED(name)                                                                     \
  template <class Count>                                                                         \
  Arguments name(const Communicator&, Numbers&, const void* in, Count sends,                     \
                 MPI_Datatype send_type, void* out, Count receives, MPI_Datatype receive_type) { \
    return stated::name(in, sends, type_of(sends, send_type), out, receives,                     \
                        type_of(receives, receive_type));                                        \
  }
TUTTI_ROOTED(gather)
TUTTI_ROOTED(scatter)
TUTTI_UNROOTED(allgather)
TUTTI_UNROOTED(alltoall)
TUTTI_UNROOTED(neighbor_allgather)
TUTTI_UNROOTED(neighbor_alltoall)

// Arguments that only the root has are not looked at elsewhere.
template <class Count, class Displacement>
Arguments gatherv(const Communicator& c, Numbers& room, const void* in, Count sends,
                  MPI_Datatype send_type, void* out, const Count* receives,
                  const Displacement* places, MPI_Datatype receive_type, int root) {
  const bool looks = looks_at_counts(c, root);
  return stated::gatherv(in, sends, type_of(sends, send_type), out,
                         looks ? kept(c, room, 0, receives) : nullptr,
                         looks ? kept(c, room, 1, places) : nullptr,
                         looks ? type_of(c, receives, receive_type) : receive_type, root);
}

template <class Count, class Displacement>
Arguments scatterv(const Communicator& c, Numbers& room, const void* in, const Count* sends,
                   const Displacement* places, MPI_Datatype send_type, void* out, Count receives,
                   MPI_Datatype receive_type, int root) {
  const bool looks = looks_at_counts(c, root);
  return stated::scatterv(in, looks ? kept(c, room, 0, sends) : nullptr,
                          looks ? kept(c, room, 1, places) : nullptr,
                          looks ? type_of(c, sends, send_type) : send_type, out, receives,
                          type_of(receives, receive_type), root);
}

template <class Count, class Displacement>
Arguments allgatherv(const Communicator& c, Numbers& room, const void* in, Count sends,
                     MPI_Datatype send_type, void* out, const Count* receives,
                     const Displacement* places, MPI_Datatype receive_type) {
  return stated::allgatherv(in, sends, type_of(sends, send_type), out, kept(c, room, 0, receives),
                            kept(c, room, 1, places), type_of(c, receives, receive_type));
}

template <class Count, class Displacement>
Arguments alltoallv(const Communicator& c, Numbers& room, const void* in, const Count* sends,
                    const Displacement* from, MPI_Datatype send_type, void* out,
                    const Count* receives, const Displacement* to, MPI_Datatype receive_type) {
  const bool sent = in != MPI_IN_PLACE;
  return stated::alltoallv(
      in, sent ? kept(c, room, 0, sends) : nullptr, sent ? kept(c, room, 1, from) : nullptr,
      sent ? type_of(c, sends, send_type) : send_type, out, kept(c, room, 2, receives),
      kept(c, room, 3, to), type_of(c, receives, receive_type));
}

// Each block has a type of its own, and places are in bytes.
template <class Count, class Displacement>
Arguments alltoallw(const Communicator& c, Numbers& room, const void* in, const Count* sends,
                    const Displacement* from, const MPI_Datatype* send_types, void* out,
                    const Count* receives, const Displacement* to,
                    const MPI_Datatype* receive_types) {
  const bool sent = in != MPI_IN_PLACE;
  return stated::alltoallw(in, sent ? kept(c, room, 0, sends) : nullptr,
                           sent ? kept(c, room, 1, from) : nullptr, sent ? send_types : nullptr,
                           out, kept(c, room, 2, receives), kept(c, room, 3, to), receive_types);
}

template <class Count, class Displacement>
Arguments neighbor_allgatherv(const Communicator& c, Numbers& room, const void* in, Count sends,
                              MPI_Datatype send_type, void* out, const Count* receives,
                              const Displacement* places, MPI_Datatype receive_type) {
  KeptForNeighbours kept(c, room);
  return stated::neighbor_allgatherv(in, sends, type_of(sends, send_type), out,
                                     kept.received(0, receives), kept.received(1, places),
                                     receive_type);
}

template <class Count, class Displacement>
Arguments neighbor_alltoallv(const Communicator& c, Numbers& room, const void* in,
                             const Count* sends, const Displacement* from, MPI_Datatype send_type,
                             void* out, const Count* receives, const Displacement* to,
                             MPI_Datatype receive_type) {
  KeptForNeighbours kept(c, room);
  return stated::neighbor_alltoallv(in, kept.sent(0, sends), kept.sent(1, from), send_type, out,
                                    kept.received(0, receives), kept.received(1, to), receive_type);
}

template <class Count>
Arguments neighbor_alltoallw(const Communicator& c, Numbers& room, const void* in,
                             const Count* sends, const MPI_Aint* from,
                             const MPI_Datatype* send_types, void* out, const Count* receives,
                             const MPI_Aint* to, const MPI_Datatype* receive_types) {
  KeptForNeighbours kept(c, room);
  return stated::neighbor_alltoallw(in, kept.sent(0, sends), kept.sent(1, from), send_types, out,
                                    kept.received(0, receives), kept.received(1, to),
                                    receive_types);
}

// Nothing is combined where there are no elements: then type and operation do not matter.
inline Arguments combined(Arguments arguments, bool anything) {
  if (anything) return arguments;
  arguments.send.type = MPI_INT;
  arguments.operation = MPI_SUM;
  return arguments;
}

template <class Count>
Arguments reduce(const Communicator&, Numbers&, const void* in, void* out, Count count,
                 MPI_Datatype type, MPI_Op op, int root) {
  return combined(stated::reduce(in, out, count, type, op, root), count != 0);
}

#define TUTTI_COMBINED(name)                                                            \
  template <class Count>                                                                \
  Arguments name(const Communicator&, Numbers&, const void* in, void* out, Count count, \
                 MPI_Datatype type, MPI_Op op) {                                        \
    return combined(stated::name(in, out, count, type, op), count != 0);                \
  }
TUTTI_COMBINED(allreduce)
TUTTI_COMBINED(reduce_scatter_block)
TUTTI_COMBINED(scan)
TUTTI_COMBINED(exscan)

template <class Count>
Arguments reduce_scatter(const Communicator& c, Numbers& room, const void* in, void* out,
                         const Count* counts, MPI_Datatype type, MPI_Op op) {
  return stated::reduce_scatter(in, out, kept(c, room, 0, counts), type, op);
}

#undef TUTTI_ROOTED
#undef TUTTI_UNROOTED
#undef TUTTI_COMBINED

}  // namespace tutti::drop_in::given
