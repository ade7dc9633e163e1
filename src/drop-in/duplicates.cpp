// Communicators are duplicated by the MPI. That all members do so is what the copy of Tutti's
// attribute means then.
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

// A function of MPI's that duplicates the communicator which is its first argument.
template <auto function>
struct Noting;
template <class... Others, int (*function)(MPI_Comm, Others...)>
struct Noting<function> {
  static int call(MPI_Comm comm, Others... others) noexcept {
    const Duplicating duplicating(comm);
    return function(comm, others...);
  }
};

}  // namespace

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
