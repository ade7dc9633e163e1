// Windows for one-sided communication are the MPI's. Tutti counts them: as long as there are any, a
// rank that waits in Tutti lets MPI go on all the time (see Waiting::Settings), since other ranks
// may wait for that.
#include "src/api/library.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

int counted(int code, int more) noexcept {
  Library* const state = library();
  if (code == MPI_SUCCESS && state) state->mpi.windows += more;
  return code;
}

// A function of MPI's, after which there are so many windows more.
template <auto function, int more>
struct Counting;
template <class... Arguments, int (*function)(Arguments...), int more>
struct Counting<function, more> {
  static int call(Arguments... arguments) {
    if constexpr (more < 0) {  // it may call functions that delete attributes
      return counted(function(arguments...), more);
    } else {
      const Lending lending(Attributes::may_be_copied);
      return counted(function(arguments...), more);
    }
  }
};

}  // namespace

void add_windows(tutti_function functions[TUTTI_CALLS]) {
#define TUTTI_COUNT(name, more) TUTTI_PUT(name, (Counting<&PMPI_##name, more>::call))
  TUTTI_COUNT(Win_allocate, 1);
  TUTTI_COUNT(Win_allocate_shared, 1);
  TUTTI_COUNT(Win_create, 1);
  TUTTI_COUNT(Win_create_dynamic, 1);
  TUTTI_COUNT(Win_free, -1);
#if MPI_VERSION >= 4
  TUTTI_COUNT(Win_allocate_c, 1);
  TUTTI_COUNT(Win_allocate_shared_c, 1);
  TUTTI_COUNT(Win_create_c, 1);
#endif
}

}  // namespace tutti::drop_in
