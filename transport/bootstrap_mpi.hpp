// The bootstrap over MPI.
#pragma once

#include <mpi.h>

#include <memory>

#include "transport/bootstrap.hpp"

namespace tutti::transport {

// `comm` is an intracommunicator. It is not duplicated: it must outlive the bootstrap, which may be
// used only inside calls that are collective over it.
std::unique_ptr<Bootstrap> bootstrap_over(MPI_Comm comm);

}  // namespace tutti::transport
