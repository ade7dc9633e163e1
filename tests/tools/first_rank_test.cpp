// The place in a job, as launchers say it in the environment.
#include "tools/first_rank.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using tutti::tools::JobPlace;
using tutti::tools::place_in_job;

namespace {

// The environment has these variables, and no others of launchers.
JobPlace place_with(const std::vector<std::pair<const char*, const char*>>& variables) {
  for (const char* const name :
       {"PMI_RANK", "PMI_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
        "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"})
    unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  const JobPlace place = place_in_job();
  for (const auto& [name, value] : variables) unsetenv(name);
  return place;
}

void check(const JobPlace& place, int rank, int ranks) {
  CHECK(place.rank == rank);
  CHECK(place.ranks == ranks);
}

}  // namespace

TEST_CASE("the place in a job is what a launcher says", "[first_rank]") {
  check(place_with({}), 0, 1);
  check(place_with({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), 3, 4);
  check(place_with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), 0, 2);
  check(place_with({{"SLURM_PROCID", "7"}, {"SLURM_STEP_NUM_TASKS", "9"}}), 7, 9);
  check(place_with({{"SLURM_PROCID", "0"}}), 0, 0);  // a batch script
  check(place_with({{"PMIX_RANK", "5"}}), 5, 0);
  check(place_with({{"PMI_RANK", "none"}, {"PMIX_RANK", "1"}}), 1, 0);
}
