// Neighbourhoods of the ranks of an MPI communicator.
#pragma once

#include <mpi.h>

#include <optional>

#include "collectives/schedule/neighbourhood.hpp"

namespace tutti {

// This rank's neighbourhood in the topology of a communicator; nothing: it has none. A local call,
// which finds the torus of a grid, and none of a graph. Throws std::bad_alloc.
std::optional<collectives::Neighbourhood> neighbours_in(MPI_Comm mpi);

}  // namespace tutti
