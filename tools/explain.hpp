// The question of `tutti explain`, for other commands that want to know which algorithm would run.
#pragma once

#include <string>

#include "tools/mapping.hpp"

namespace tutti::tools {

// The options as the user wrote them.
struct ExplainOptions {
  std::string collective, algorithm, params, bytes = "8", mapping = "blocks", torus;
  std::string params_option = "--params";  // by which name `params` was given
  int ranks = 8, ranks_per_node = kNotSaid, cores = 0, sockets = 1;
  bool json = false;
};

// The algorithm, with its parameters, that would run the call in a job with the settings of this
// environment. Throws Error, as the command says it.
std::string algorithm_of_job(const ExplainOptions& options);

}  // namespace tutti::tools
