// Communicators are duplicated and freed by the MPI. That all members duplicate one is what the
// copy of Tutti's attribute means then.
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

// A function of MPI's that duplicates the communicator which is its first argument.
template <auto function>
struct Noting;
template <class... Others, int (*function)(MPI_Comm, Others...)>
struct Noting<function> {
  static int call(MPI_Comm comm, Others... others) {
    const Duplicating duplicating(comm);
    return function(comm, others...);
  }
};

// One that waits: the MPI may call functions of the program's that copy attributes, so nothing is
// lent. `begin` does not wait.
template <auto function, auto begin>
struct Waited;
template <class... Others, int (*function)(MPI_Comm, Others...), auto begin>
struct Waited<function, begin> {
  static int call(MPI_Comm comm, Others... others) {
    const Duplicating duplicating(comm);
    if (!needs_this_rank()) [[likely]]
      return function(comm, others...);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = begin(comm, others..., &request);
    return code == MPI_SUCCESS ? wait_for(&request, MPI_STATUS_IGNORE) : code;
  }
};

// A function of MPI's that frees a communicator.
template <auto function>
int free_by(MPI_Comm* comm) {
  if (!comm || *comm == MPI_COMM_NULL) return function(comm);
  const Freeing freeing(*comm);
  return freeing.error() == MPI_SUCCESS ? function(comm) : freeing.error();
}

}  // namespace

void add_frees(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Comm_disconnect, free_by<&PMPI_Comm_disconnect>);
  TUTTI_PUT(Comm_free, free_by<&PMPI_Comm_free>);
}

void add_duplicates(tutti_function functions[TUTTI_CALLS]) {
#define TUTTI_NOTE(name) TUTTI_PUT(name, Noting<&PMPI_##name>::call)
  TUTTI_PUT(Comm_dup, (Waited<&PMPI_Comm_dup, &PMPI_Comm_idup>::call));
  TUTTI_NOTE(Comm_idup);
#if MPI_VERSION < 4
  TUTTI_NOTE(Comm_dup_with_info);
#else
  TUTTI_PUT(Comm_dup_with_info,
            (Waited<&PMPI_Comm_dup_with_info, &PMPI_Comm_idup_with_info>::call));
  TUTTI_NOTE(Comm_idup_with_info);
#endif
}

}  // namespace tutti::drop_in
