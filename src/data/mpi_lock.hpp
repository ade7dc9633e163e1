// One thread at a time is in MPI's progress, as far as Tutti brings it there without being asked by
// the program: some programs have several threads in collectives though they have asked MPI for
// less than MPI_THREAD_MULTIPLE.
#pragma once

#include <mutex>

namespace tutti {

// Held for single calls of MPI that wait for no other rank. Its holder takes no other lock; but the
// MPI may have a communicator left to free, and calls a function of the program's then, which may
// come here again.
inline std::recursive_mutex mpi_lock;

}  // namespace tutti
