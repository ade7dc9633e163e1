// Communicators are duplicated and freed by the MPI. Within these functions a copy of Tutti's
// attribute means that all members duplicate the communicator.
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
    const Lending lending(Attributes::may_be_copied);
    return function(comm, others...);
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
  TUTTI_NOTE(Comm_dup);
  TUTTI_NOTE(Comm_dup_with_info);
  TUTTI_NOTE(Comm_idup);
#if MPI_VERSION >= 4
  TUTTI_NOTE(Comm_idup_with_info);
#endif
}

}  // namespace tutti::drop_in
