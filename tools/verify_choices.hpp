// `tutti verify --choices`: what is chosen, held against the simulator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/problem.hpp"

namespace tutti::tools {

struct ChoicesOptions {
  std::optional<collectives::Collective> collective;  // nothing: all
  std::vector<std::string> params{"hardware"}, layouts{"blocks"};
  std::vector<int> nodes{1, 2, 4, 8, 16}, ranks_per_node{1, 4, 8, 16, 64};
  std::vector<std::string> sizes{"8", "4k", "64k", "1M"};
  int sockets = 1;  // of a node
  bool all_parameters = false, json = false;
};
// Cells of more ranks are left out: there a simulation takes minutes.
inline constexpr int kMostRanksJudged = 4096;

// Prints each cell whose choice takes more than 1.1 times as long as the best, and a summary for
// each of the parameters. "all" among these stands for those that Tutti has and for those that
// papers print in full. Returns the exit status: 1 if it is more than 1.25 times in one. Throws
// Error{bad_configuration}.
int verify_choices(const ChoicesOptions& options);

}  // namespace tutti::tools
