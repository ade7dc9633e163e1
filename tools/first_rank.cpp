// Reads the environment.
#include "tools/first_rank.hpp"

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace tutti::tools {

bool is_first_rank() noexcept {
  for (const char* const name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

void let_first_rank_speak() noexcept {
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

}  // namespace tutti::tools
