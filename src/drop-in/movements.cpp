// The collectives that move data, in their plain and their large-count forms.
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

int barrier(MPI_Comm comm) {
  return take(
      TUTTI_CALL_Barrier, comm, [](Communicator& c) { return tutti_barrier(c.tutti); },
      [&] { return PMPI_Barrier(comm); }, [](const Communicator&) { return MPI_Count{0}; });
}

template <class Count>
int bcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Bcast, comm,
      [&](Communicator& c) {
        return tutti_bcast(buffer, count, type_of(count, type), root, c.tutti);
      },
      TUTTI_BENEATH(Bcast, Count, buffer, count, type, root, comm),
      [&](const Communicator&) { return count * size_of(type); });
}

template <class Count>
int gather(const void* in, Count sends, MPI_Datatype send_type, void* out, Count receives,
           MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Gather, comm,
      [&](Communicator& c) {
        return tutti_gather(in, sends, type_of(sends, send_type), out, receives,
                            type_of(receives, receive_type), root, c.tutti);
      },
      TUTTI_BENEATH(Gather, Count, in, sends, send_type, out, receives, receive_type, root, comm),
      [&](const Communicator&) { return in == MPI_IN_PLACE ? 0 : sends * size_of(send_type); });
}

template <class Count>
int scatter(const void* in, Count sends, MPI_Datatype send_type, void* out, Count receives,
            MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Scatter, comm,
      [&](Communicator& c) {
        return tutti_scatter(in, sends, type_of(sends, send_type), out, receives,
                             type_of(receives, receive_type), root, c.tutti);
      },
      TUTTI_BENEATH(Scatter, Count, in, sends, send_type, out, receives, receive_type, root, comm),
      [&](const Communicator&) {
        return out == MPI_IN_PLACE ? 0 : receives * size_of(receive_type);
      });
}

// Arguments that only the root has are not looked at elsewhere.
template <class Count, class Displacement>
int gatherv(const void* in, Count sends, MPI_Datatype send_type, void* out, const Count* receives,
            const Displacement* places, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Gatherv, comm,
      [&](Communicator& c) {
        const bool looks = looks_at_counts(c, root);
        return tutti_gatherv(
            in, sends, type_of(sends, send_type), out, looks ? widened(c, 0, receives) : nullptr,
            looks ? widened(c, 1, places) : nullptr,
            looks ? type_of(c, receives, receive_type) : receive_type, root, c.tutti);
      },
      TUTTI_BENEATH(Gatherv, Count, in, sends, send_type, out, receives, places, receive_type, root,
                    comm),
      [&](const Communicator&) { return in == MPI_IN_PLACE ? 0 : sends * size_of(send_type); });
}

template <class Count, class Displacement>
int scatterv(const void* in, const Count* sends, const Displacement* places, MPI_Datatype send_type,
             void* out, Count receives, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Scatterv, comm,
      [&](Communicator& c) {
        const bool looks = looks_at_counts(c, root);
        return tutti_scatterv(in, looks ? widened(c, 0, sends) : nullptr,
                              looks ? widened(c, 1, places) : nullptr,
                              looks ? type_of(c, sends, send_type) : send_type, out, receives,
                              type_of(receives, receive_type), root, c.tutti);
      },
      TUTTI_BENEATH(Scatterv, Count, in, sends, places, send_type, out, receives, receive_type,
                    root, comm),
      [&](const Communicator&) {
        return out == MPI_IN_PLACE ? 0 : receives * size_of(receive_type);
      });
}

template <class Count>
int allgather(const void* in, Count sends, MPI_Datatype send_type, void* out, Count receives,
              MPI_Datatype receive_type, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Allgather, comm,
      [&](Communicator& c) {
        return tutti_allgather(in, sends, type_of(sends, send_type), out, receives,
                               type_of(receives, receive_type), c.tutti);
      },
      TUTTI_BENEATH(Allgather, Count, in, sends, send_type, out, receives, receive_type, comm),
      [&](const Communicator&) { return receives * size_of(receive_type); });
}

template <class Count, class Displacement>
int allgatherv(const void* in, Count sends, MPI_Datatype send_type, void* out,
               const Count* receives, const Displacement* places, MPI_Datatype receive_type,
               MPI_Comm comm) {
  return take(
      TUTTI_CALL_Allgatherv, comm,
      [&](Communicator& c) {
        return tutti_allgatherv(in, sends, type_of(sends, send_type), out, widened(c, 0, receives),
                                widened(c, 1, places), type_of(c, receives, receive_type), c.tutti);
      },
      TUTTI_BENEATH(Allgatherv, Count, in, sends, send_type, out, receives, places, receive_type,
                    comm),
      [&](const Communicator&) { return in == MPI_IN_PLACE ? 0 : sends * size_of(send_type); });
}

template <class Count>
int alltoall(const void* in, Count sends, MPI_Datatype send_type, void* out, Count receives,
             MPI_Datatype receive_type, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Alltoall, comm,
      [&](Communicator& c) {
        return tutti_alltoall(in, sends, type_of(sends, send_type), out, receives,
                              type_of(receives, receive_type), c.tutti);
      },
      TUTTI_BENEATH(Alltoall, Count, in, sends, send_type, out, receives, receive_type, comm),
      [&](const Communicator& c) { return size_of(receive_type) * receives * c.size; });
}

template <class Count, class Displacement>
int alltoallv(const void* in, const Count* sends, const Displacement* from, MPI_Datatype send_type,
              void* out, const Count* receives, const Displacement* to, MPI_Datatype receive_type,
              MPI_Comm comm) {
  return take(
      TUTTI_CALL_Alltoallv, comm,
      [&](Communicator& c) {
        const bool sent = in != MPI_IN_PLACE;
        return tutti_alltoallv(
            in, sent ? widened(c, 0, sends) : nullptr, sent ? widened(c, 1, from) : nullptr,
            sent ? type_of(c, sends, send_type) : send_type, out, widened(c, 2, receives),
            widened(c, 3, to), type_of(c, receives, receive_type), c.tutti);
      },
      TUTTI_BENEATH(Alltoallv, Count, in, sends, from, send_type, out, receives, to, receive_type,
                    comm),
      [&](const Communicator& c) { return sum_of(c, receives) * size_of(receive_type); });
}

// Each block has a type of its own, and places are in bytes.
template <class Count, class Displacement>
int alltoallw(const void* in, const Count* sends, const Displacement* from,
              const MPI_Datatype* send_types, void* out, const Count* receives,
              const Displacement* to, const MPI_Datatype* receive_types, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Alltoallw, comm,
      [&](Communicator& c) {
        const bool sent = in != MPI_IN_PLACE;
        return tutti_alltoallw(in, sent ? widened(c, 0, sends) : nullptr,
                               sent ? widened(c, 1, from) : nullptr, sent ? send_types : nullptr,
                               out, widened(c, 2, receives), widened(c, 3, to), receive_types,
                               c.tutti);
      },
      TUTTI_BENEATH(Alltoallw, Count, in, sends, from, send_types, out, receives, to, receive_types,
                    comm),
      [&](const Communicator& c) { return bytes_by_type(c, receives, receive_types); });
}

}  // namespace

void add_movements(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Barrier, barrier);
  TUTTI_PUT(Bcast, bcast<int>);
  TUTTI_PUT(Gather, gather<int>);
  TUTTI_PUT(Scatter, scatter<int>);
  TUTTI_PUT(Gatherv, (gatherv<int, int>));
  TUTTI_PUT(Scatterv, (scatterv<int, int>));
  TUTTI_PUT(Allgather, allgather<int>);
  TUTTI_PUT(Allgatherv, (allgatherv<int, int>));
  TUTTI_PUT(Alltoall, alltoall<int>);
  TUTTI_PUT(Alltoallv, (alltoallv<int, int>));
  TUTTI_PUT(Alltoallw, (alltoallw<int, int>));
#if MPI_VERSION >= 4
  TUTTI_PUT(Bcast_c, bcast<MPI_Count>);
  TUTTI_PUT(Gather_c, gather<MPI_Count>);
  TUTTI_PUT(Scatter_c, scatter<MPI_Count>);
  TUTTI_PUT(Gatherv_c, (gatherv<MPI_Count, MPI_Aint>));
  TUTTI_PUT(Scatterv_c, (scatterv<MPI_Count, MPI_Aint>));
  TUTTI_PUT(Allgather_c, allgather<MPI_Count>);
  TUTTI_PUT(Allgatherv_c, (allgatherv<MPI_Count, MPI_Aint>));
  TUTTI_PUT(Alltoall_c, alltoall<MPI_Count>);
  TUTTI_PUT(Alltoallv_c, (alltoallv<MPI_Count, MPI_Aint>));
  TUTTI_PUT(Alltoallw_c, (alltoallw<MPI_Count, MPI_Aint>));
#endif
}

}  // namespace tutti::drop_in
