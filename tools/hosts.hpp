// The hosts of the job, and what else they do.
#pragma once

#include <vector>

#include "tools/busy.hpp"

namespace tutti::tools {

// At rank 0 all hosts, in the order of their first ranks; elsewhere nothing. To be called before
// anything polls: the ranks sleep a moment. Collective over MPI_COMM_WORLD.
std::vector<Host> hosts_of_job();

}  // namespace tutti::tools
