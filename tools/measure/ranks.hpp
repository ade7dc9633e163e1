// Which ranks of a job measure which level of its machines. Not part of the measurement: who takes
// part in one, who sleeps meanwhile, and on which cores.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "src/job/engine.hpp"
#include "src/calibration/own_core.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

struct Level {
  std::string name;
  std::vector<int> ranks;  // of MPI_COMM_WORLD; the first one has the clock
  // The ranks that make rings: within a node the same ones, else of two nodes in turn.
  std::vector<int> ring;
  bool between = false;
};

// A node with most ranks; and rank 0 with the ranks of other nodes. Where shared memory is not
// used, all ranks are a level between nodes.
std::vector<Level> levels_of(Engine& engine);

// A communicator of so many first ones of these ranks, each on a core of its own as far as there
// are any; null for the others. Collective over MPI_COMM_WORLD.
class Members {
 public:
  Members(Engine& engine, const std::vector<int>& ranks, std::size_t count);
  ~Members();
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;
  tutti_comm comm() const noexcept { return comm_; }

 private:
  MPI_Comm mpi_ = MPI_COMM_NULL;
  tutti_comm comm_ = TUTTI_COMM_NULL;
  std::optional<OwnCore> core_;
};

}  // namespace tutti::tools
