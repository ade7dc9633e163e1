// `tutti explain`: which algorithm would run a call, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/decision/explanation.hpp"
#include "models/decision/shipped.hpp"
#include "models/json.hpp"
#include "models/json_text.hpp"
#include "models/names.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/text.hpp"
#include "base/files.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

struct ExplainOptions {
  std::string collective, model, bytes = "8";
  int ranks = 8, ranks_per_node = 1, cores = 0;
  bool in_turn = false, json = false;
};

constexpr int kMostRanksExplained = 1 << 24;  // each has a node in the problem that is explained

std::string read_parameters(const std::string& path) try {
  return read_stream(path);
} catch (const Error& error) {
  std::vector<std::string_view> names;
  for (const auto& some : models::shipped_platforms()) names.push_back(some.name);
  for (const auto& some : models::published()) names.push_back(some.name);
  bad_configuration(
      fmt::format("--model: {}; what needs no file is {}", error.message, fmt::join(names, ", ")));
}

models::Platform platform_of(const std::string& name, std::string_view wire) {
  if (const auto* const shipped = models::find_shipped(name.empty() ? wire : name)) return *shipped;
  std::string text;
  std::string_view source;
  if (const auto* const published = models::find_published(name)) {
    if (!published->complete)
      bad_configuration(fmt::format("--model {}: the paper does not print all parameters", name));
    text = published->json;
    source = published->source;
  } else {
    text = read_parameters(name);
  }
  try {
    models::Platform platform = models::completed(models::parse_platform(text), wire);
    if (platform.name.empty()) platform.name = name;
    if (platform.source.empty()) platform.source = source;
    return platform;
  } catch (const Error& error) {
    bad_configuration(fmt::format("--model {:.200}: {}", name, error.message));
  }
}

// What the table took from which the call's algorithm is read.
struct Effort {
  std::size_t estimates = 0;
  std::chrono::duration<double, std::micro> time{};
};

json explain(const ExplainOptions& options, Effort& effort) {
  const auto collective = collectives::collective_named(options.collective);
  if (!collective)
    bad_configuration(fmt::format("there is no collective '{}', but {}", options.collective,
                                  fmt::join(collectives::names_of_collectives(), ", ")));
  const auto bytes = parse_size(options.bytes);
  if (!bytes || *bytes < 0)
    bad_configuration(
        fmt::format("--bytes '{}': write a size, with k, M or G if you like", options.bytes));
  if (*bytes > models::kMostInAll / options.ranks)
    bad_configuration(
        fmt::format("--bytes '{}' for each of {} ranks are too many: at most {} in all",
                    options.bytes, options.ranks, models::kMostInAll));
  collectives::Facts facts{.P = options.ranks};
  facts.max_ranks_per_node = std::min(options.ranks_per_node, options.ranks);
  facts.nodes = (facts.P + facts.max_ranks_per_node - 1) / facts.max_ranks_per_node;
  facts.in_order = !options.in_turn || facts.nodes == 1;
  facts.cores = options.cores;
  facts.oversubscribed = options.cores > 0 && options.cores < options.ranks;
  const models::Platform platform =
      platform_of(options.model, models::wire_of(facts.nodes > 1, false));
  const models::Cores cores = platform.cores.value_or(models::Cores{});
  facts.software_wire = facts.nodes > 1 && cores.per_message + cores.per_byte > 0;
  collectives::Problem problem{{.collective = *collective, .bytes = *bytes}, facts.P};
  problem.datagrams = false;
  std::vector<int> nodes(facts.nodes > 1 ? static_cast<std::size_t>(facts.P) : 0);
  for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank)
    nodes[static_cast<std::size_t>(rank)] =
        facts.in_order ? rank / facts.max_ranks_per_node : rank % facts.nodes;
  problem.node = std::move(nodes);
  const auto begin = std::chrono::steady_clock::now();
  models::Decisions decisions{platform, facts};
  decisions.table(problem);
  effort = {decisions.estimates(), std::chrono::steady_clock::now() - begin};
  return models::explanation(decisions, problem);
}

double number(const json& object, const char* key) { return object.at(key).get<double>(); }
std::string digits(const json& object, const char* key) { return four_digits(number(object, key)); }

// The statements of HPM, from coarse to fine.
void print_statement(const json& all) {
  const json& statement = all["statement"];
  fmt::print("\n  class               {}\n", statement["class"].get<std::string>());
  const double constant = number(statement, "constant"), slope = number(statement, "per_byte");
  if (slope > 0)
    fmt::print("  dominant terms      T(m) = {} + {} m us, near this size\n", four_digits(constant),
               four_digits(slope));
  else
    fmt::print("  dominant terms      T = {} us\n", four_digits(constant));
  fmt::print("  over mappings       {} to {} us\n", digits(statement, "least_over_mappings"),
             digits(statement, "most_over_mappings"));
  std::string terms;
  for (const auto& [name, value] : statement["parts"].items())
    if (value.get<double>() > 0)
      terms += fmt::format("{}{} {}", terms.empty() ? " = " : " + ",
                           four_digits(value.get<double>()), name);
  fmt::print("  exact               {} us{}\n", digits(statement, "latency"), terms);
  for (std::size_t i = 0; i < all["ranges"].size(); ++i)
    fmt::print("  {:<20}{:>9} bytes and more: {}\n", i == 0 ? "ranges" : "",
               all["ranges"][i]["from"].get<Bytes>(),
               all["ranges"][i]["algorithm"].get<std::string>());
}

void print_candidates(const json& candidates) {
  // Calls in a row differ from one alone if there is a root.
  const bool in_a_row = std::ranges::any_of(candidates, [](const json& one) {
    return !one.contains("excluded") && one["time"] != one["latency"];
  });
  std::size_t width = 44;
  for (const json& one : candidates)
    if (!one.contains("excluded"))
      width = std::max(width, one["algorithm"].get_ref<const std::string&>().size());
  fmt::print("\n  {:<{}}{:>11}", "candidate", width, "us");
  if (in_a_row) fmt::print("{:>11}", "alone");
  fmt::print("{:>8}{:>18}{:>8}{:>14}\n", "rounds", "messages in+out", "peers", "bytes");
  for (const json& one : candidates) {
    if (one.contains("excluded")) continue;
    const json& messages = one["messages"];
    fmt::print("  {:<{}}{:>11}", one["algorithm"].get<std::string>(), width, digits(one, "time"));
    if (in_a_row) fmt::print("{:>11}", digits(one, "latency"));
    fmt::print(
        "{:>8.0f}{:>18}{:>8}{:>14.0f}{}\n", number(one, "rounds"),
        fmt::format("{:.0f}+{:.0f}", number(messages, "within"), number(messages, "between")),
        one["peers"].get<int>(), number(one, "memory"),
        one.contains("times_over_limit") ? "  over the limits" : "");
  }
  fmt::print(
      "\n  us: the time of a call{};\n"
      "  messages: on the critical path, within nodes + between them; bytes: memory of "
      "connections\n"
      "  and scratch.\n",
      in_a_row ? ", of several in a row, by which it is chosen; alone: of one call" : "");
  bool first = true;
  for (const json& one : candidates) {
    if (!one.contains("excluded")) continue;
    fmt::print("{}  {}: {}\n", std::exchange(first, false) ? "\nLeft out:\n" : "",
               one["algorithm"].get<std::string>(), one["excluded"].get<std::string>());
  }
}

int run_explain(const ExplainOptions& options) {
  Effort effort;
  const json all = explain(options, effort);
  if (options.json) {
    fmt::print("{}\n", models::json_text(all, 2));
    return 0;
  }
  fmt::print("{}", options.collective);
  if (options.collective != "barrier")
    fmt::print(" of {}", counted(all["bytes"].get<Bytes>(), "byte"));
  fmt::print(", {}, {}; model {} ({})\n\n  chosen              {}\n",
             counted(options.ranks, "rank"), counted(all["nodes"].get<int>(), "node"),
             all["model"]["name"].get<std::string>(), all["model"]["source"].get<std::string>(),
             all["algorithm"].get<std::string>());
  fmt::print("  reason              {}\n", all["reason"].get<std::string>());
  print_statement(all);
  print_candidates(all["candidates"]);
  fmt::print("\nThe table of this collective took {} estimates and {:.0f} us.\n", effort.estimates,
             effort.time.count());
  return 0;
}

}  // namespace

void add_explain(CommandLine& line) {
  auto options = std::make_shared<ExplainOptions>();
  const Command command =
      line.command("explain", "which algorithm would run a call by the cost model, and why");
  ExplainOptions& o = *options;
  command.option("collective", o.collective, "a collective, such as allgather").required();
  command.option("-P,--ranks", o.ranks, "ranks").between(1, kMostRanksExplained).show_default();
  command.option("-m,--bytes", o.bytes, "size of the message, or of one rank's block")
      .show_default();
  command.option("--ppn", o.ranks_per_node, "ranks per node")
      .between(1, kMostRanksExplained)
      .show_default();
  command
      .option("--cores", o.cores,
              "cores of all machines together, if ranks share them (default: one a rank)")
      .between(1, kMostRanksExplained);
  command.flag("--in-turn", o.in_turn, "ranks are dealt out to the nodes in turn");
  command.option("--model", o.model,
                 "parameters: shm, rxe, hardware, published ones by name, or a JSON file "
                 "(default: hardware, or shm on one node)");
  command.flag("--json", o.json, "as JSON, as tutti_explain(3) has it");
  command.footer(
      "Times are in microseconds. Examples:\n"
      "  tutti explain allgather -P 64 -m 4096 --ppn 8\n"
      "  tutti explain barrier -P 8 --ppn 2 --model rxe --cores 4");
  command.runs([options] { return run_explain(*options); });
}

}  // namespace tutti::tools
