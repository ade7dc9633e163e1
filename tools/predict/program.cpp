// `tutti predict --program`: what a program of collectives, messages and computation costs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "models/platform/json_text.hpp"
#include "models/kernel/cost.hpp"
#include "models/kernel/courses.hpp"
#include "models/kernel/text.hpp"
#include "models/simulation/layout.hpp"
#include "models/platform/names.hpp"
#include "tools/predict/predict.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using models::kernel::Cost;
using models::kernel::Kernel;
using nlohmann::json;

constexpr std::size_t kMostLinesShown = 10;
constexpr int kMostRanksShown = 64;

Kernel kernel_of(const PredictOptions& options) {
  const std::string text = read_stream(options.program);
  try {
    return models::kernel::parse_kernel(text);
  } catch (const Error& error) {
    bad_configuration(fmt::format("{:.200}: {}", options.program, error.message));
  }
}

std::vector<int> nodes_of(const PredictOptions& options, const Kernel& kernel) {
  return kernel.node.empty() ? nodes_of(options, kernel.P()) : kernel.node;
}

std::string microseconds(double time) { return fmt::format("{:.3f}", time); }

// "bcast of 4 bytes with root 0": what the text has in this line, of the first rank that has it.
std::string in_words(const Kernel& kernel, int line) {
  for (const auto& all : kernel.ranks)
    for (const auto& some : all)
      if (some.line == line) return to_string(kernel, some);
  return {};
}

void print_ranks(const Cost& cost, bool all) {
  const int P = static_cast<int>(cost.ranks.size());
  fmt::print("  {:>8} {:>14} {:>14} {:>14} {:>14}  {}\n", "rank", "finished us", "computing",
             "communicating", "waiting", "waits most in");
  for (int rank = 0; rank < P; ++rank) {
    if (!all && rank == kMostRanksShown) {
      fmt::print("  {:>8} --details prints all {} ranks\n", "...", P);
      break;
    }
    const Cost::OfRank& one = cost.ranks[static_cast<std::size_t>(rank)];
    fmt::print("  {:>8} {:>14} {:>14} {:>14} {:>14}{}\n", rank, microseconds(one.finished),
               microseconds(one.computing), microseconds(one.communicating),
               microseconds(one.waiting),
               one.waits_in == 0 ? "" : fmt::format("  line {}", one.waits_in));
  }
}

void print_text(const Kernel& kernel, const models::Platform& platform, const Cost& cost,
                bool details) {
  const auto& result = cost.result;
  fmt::print("{}; {}\n", counted(kernel.P(), "rank"), describe(platform));
  fmt::print("  {:<14} {} us\n", "time", microseconds(result.time));
  fmt::print("  {:<14} {} between nodes ({}), {} within ({})\n", "messages",
             result.between.messages, counted(result.between.bytes, "byte"), result.within.messages,
             counted(result.within.bytes, "byte"));
  for (std::size_t i = 0; i < kernel.calls.size(); ++i)
    fmt::print("  {:<14} {}: {}{}\n", i == 0 ? "collectives" : "",
               to_string(kernel, kernel.calls[i]), with_units(to_string(cost.choices[i])),
               kernel.calls[i].choice.algorithm ? "" : " (by the model)");
  print_ranks(cost, details);
  if (cost.lines.empty()) return;
  fmt::print("  {:>8} {:>14} {:>14} {:>8}  {}\n", "line", "waiting us", "longest", "of rank",
             "where ranks wait");
  for (std::size_t i = 0; i < std::min(cost.lines.size(), kMostLinesShown); ++i) {
    const Cost::OfLine& one = cost.lines[i];
    fmt::print("  {:>8} {:>14} {:>14} {:>8}  {}\n", one.line, microseconds(one.waiting),
               microseconds(one.longest), one.waits_longest, in_words(kernel, one.line));
  }
}

json json_of(const Kernel& kernel, const models::Platform& platform, const Cost& cost,
             const std::vector<int>& node) {
  json one = {{"ranks", kernel.P()},
              {"model", name_of(platform.between)},
              {"parameters", platform.name},
              {"time_us", cost.result.time},
              {"messages_within_nodes", cost.result.within.messages},
              {"bytes_within_nodes", cost.result.within.bytes},
              {"messages_between_nodes", cost.result.between.messages},
              {"bytes_between_nodes", cost.result.between.bytes},
              {"node_of_rank", node},
              {"collectives", json::array()},
              {"of_rank", json::array()},
              {"of_line", json::array()}};
  for (std::size_t i = 0; i < kernel.calls.size(); ++i)
    one["collectives"].push_back({{"call", to_string(kernel, kernel.calls[i])},
                                  {"algorithm", to_string(cost.choices[i])},
                                  {"by_the_model", !kernel.calls[i].choice.algorithm}});
  for (const Cost::OfRank& some : cost.ranks)
    one["of_rank"].push_back({{"finished_us", some.finished},
                              {"computing_us", some.computing},
                              {"communicating_us", some.communicating},
                              {"waiting_us", some.waiting},
                              {"waits_most_in_line", some.waits_in}});
  for (const Cost::OfLine& some : cost.lines)
    one["of_line"].push_back({{"line", some.line},
                              {"what", in_words(kernel, some.line)},
                              {"waiting_us", some.waiting},
                              {"longest_us", some.longest},
                              {"of_rank", some.waits_longest}});
  return one;
}

int print_expression(const PredictOptions& options, const Kernel& kernel) {
  if (!options.symbolic)
    bad_configuration("tau-lop has an expression for a program, and no time: add --symbolic");
  const auto must_be_named = [&](const collectives::Problem& problem) -> collectives::Choice {
    bad_configuration(
        fmt::format("tau-lop chooses no algorithm: name one for {}, such as "
                    "algorithm=binomial",
                    collectives::name_of(problem.collective)));
  };
  const auto normal = models::kernel::courses_of(kernel, nodes_of(options, kernel), must_be_named);
  const std::string text = models::kernel::text_of(normal, kernel.unit_bytes);
  if (!options.json) {
    fmt::print("{}", text);
    if (kernel.unit_bytes > 1)
      fmt::print("; in {}s of {}", kernel.unit, counted(kernel.unit_bytes, "byte"));
    fmt::print("\n");
    return 0;
  }
  json one = {{"model", "tau-lop"},
              {"ranks", kernel.P()},
              {"expression", text},
              {"unit", kernel.unit},
              {"unit_bytes", kernel.unit_bytes},
              {"terms", json::array()}};
  for (const auto& [key, bytes] : normal)
    one["terms"].push_back({{"channel", key.first}, {"tau", key.second}, {"bytes", bytes}});
  fmt::print("{}\n", models::json_text(one, 2));
  return 0;
}

}  // namespace

int run_program(const PredictOptions& options) {
  if (!options.collectives.empty() || !options.algorithms.empty() || options.calls != 0 ||
      !options.svg.empty() || options.root != 0)
    bad_configuration(
        "--program names the calls itself: --collective, --algorithm, --root, --calls and --svg do "
        "not go with it");
  const Kernel kernel = kernel_of(options);
  if (is_tau_lop(options)) return print_expression(options, kernel);
  json all = json::array();
  bool first = true;
  const std::vector<int> node = nodes_of(options, kernel);
  const bool several_nodes = *std::ranges::max_element(node) > 0;
  for (const models::Platform& platform : platforms_of(options, several_nodes)) {
    models::SimulationOptions setting = setting_of(options, kernel.P());
    setting.node = node;
    setting.socket = models::sockets_of(node, options.sockets);
    const Cost cost = models::kernel::cost_of(kernel, platform, setting,
                                              [&](const collectives::Problem& problem) {
                                                return models::kernel::chosen_by(platform, problem);
                                              });
    if (options.json) {
      all.push_back(json_of(kernel, platform, cost, setting.node));
      continue;
    }
    if (!std::exchange(first, false)) fmt::print("\n");
    print_text(kernel, platform, cost, options.details);
  }
  if (options.json) fmt::print("{}\n", models::json_text(all, 2));
  return 0;
}

}  // namespace tutti::tools
