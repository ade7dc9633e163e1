// Reads this process's place in the job from the launcher's environment.
#include "tools/first_rank.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tutti::tools {
namespace {

std::optional<int> number_in(const char* name) noexcept {
  const char* const value = name ? std::getenv(name) : nullptr;
  const std::string_view text = value ? value : "";
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

JobPlace place_in_job() noexcept {
  // A batch script has SLURM_PROCID as well, but is no step that srun has started.
  static constexpr const char* kNames[][2] = {{"PMI_RANK", "PMI_SIZE"},
                                              {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                              {"PMIX_RANK", nullptr},
                                              {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& [rank_name, size_name] : kNames)
    if (const auto rank = number_in(rank_name)) return {*rank, number_in(size_name).value_or(0)};
  return {};
}

}  // namespace tutti::tools
