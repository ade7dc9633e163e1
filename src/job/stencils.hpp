// Whether all ranks of a communicator have their neighbours at the same offsets on a torus, so that
// messages to them can be combined. Knows the bootstrap; knows no MPI.
#pragma once

#include "collectives/schedule/neighbourhood.hpp"
#include "transport/bootstrap.hpp"

namespace tutti {

// Sets the torus of `mine`, this rank's neighbourhood, if there is one on which combining saves
// messages. Collective. Throws Error{bootstrap_failed}, std::bad_alloc.
void agree_on_torus(transport::Bootstrap& bootstrap, collectives::Neighbourhood& mine);

}  // namespace tutti
