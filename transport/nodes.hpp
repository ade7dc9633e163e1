// Nodes: which ranks share memory, found out by trying.
//
// Ranks of one kernel and one host name may still be in containers that share nothing. So the
// lowest rank of each supposed node puts a file with a secret into /dev/shm, and whoever reads the
// secret there is on its node. The others try the same among themselves.
#pragma once

#include <span>

#include "transport/bootstrap.hpp"
#include "transport/placement.hpp"

namespace tutti::transport {

// Divides the nodes of these cards, which are the same on all ranks, until all ranks of a node
// share /dev/shm. The result is the same on all ranks. Collective. Throws Error{bootstrap_failed}.
void divide_nodes(Bootstrap& bootstrap, std::span<PlacementCard> cards);

}  // namespace tutti::transport
