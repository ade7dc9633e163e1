// The bootstrap over MPI.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/bootstrap.hpp"

namespace tutti::transport {

// Over an intracommunicator, which must outlive it and is not duplicated: use only inside calls
// that are collective over it.
std::unique_ptr<Bootstrap> bootstrap_over(MPI_Comm comm);

}  // namespace tutti::transport
