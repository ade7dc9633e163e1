// `tutti list`: the algorithms, with what they cost, counted in their schedules.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "collectives/analysis/costs.hpp"
#include "collectives/analysis/formula.hpp"
#include "collectives/selection/rules.hpp"
#include "models/platform/json_text.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/passed_over.hpp"
#include "tools/references.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::Algorithm;
using collectives::Collective;
using collectives::Over;

std::string parameters_of(const Algorithm& a) {
  std::string text;
  const auto add = [&](const std::string& parameter) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", parameter);
  };
  if (a.traits.k) add("k=1");
  if (a.traits.segment) add("segment=0");
  if (a.traits.root) add("root=0");
  if (a.traits.times) add("L=TIME,g=TIME,G=TIME");
  if (a.traits.levels) add("within=NAME,across=NAME");
  return text.empty() ? text : "(" + text + ")";
}

// "rounds 1; with one message at a time P-1; messages …", behind what they are of.
void print_costs(std::string_view of, const Algorithm& a, Over over) {
  const auto costs = collectives::formulas(a, over);
  std::string text = fmt::format("{}rounds {}", of, costs.rounds);
  if (!a.traits.k && costs.one_port != costs.rounds)
    text += fmt::format("; with one message at a time {}", costs.one_port);
  text += fmt::format("; messages {}", costs.messages);
  fmt::print("{}", paragraph(text, 8, 4));
  if (a.collective != Collective::barrier)
    fmt::print("{}", paragraph(fmt::format("most sent by a rank {}; sent by all {}; scratch {}",
                                           costs.sent, costs.total, costs.scratch),
                               12, 8));
}

std::vector<std::string_view> sentences_of(const Algorithm& a) {
  std::vector<std::string_view> all;
  for (const collectives::Condition condition : a.needs.each())
    all.push_back(sentence_of(condition));
  return all;
}

void print_one(const Algorithm& a) {
  fmt::print("{} {}{}\n", name_of(a.collective), a.name, parameters_of(a));
  fmt::print("{}", paragraph(fmt::format("{}  [{}]", a.summary, a.paper), 8, 4));
  const std::vector<std::string_view> conditions = sentences_of(a);
  fmt::print("{}", paragraph(fmt::format("applies {}{}", conditions.empty() ? "always" : "if ",
                                         fmt::join(conditions, "; ")),
                             8, 4));
  print_costs("", a, Over::one_k);
  if (a.traits.k) print_costs("k > 1: ", a, Over::many_k);
  if (a.traits.nodes) print_costs("4 ranks a node: ", a, Over::nodes);
}

nlohmann::json costs_as_json(const Algorithm& a, Over over) {
  const auto costs = collectives::formulas(a, over);
  return {{"rounds", costs.rounds},     {"rounds_one_port", costs.one_port},
          {"messages", costs.messages}, {"sent", costs.sent},
          {"total", costs.total},       {"scratch", costs.scratch}};
}

nlohmann::json as_json(const Algorithm& a) {
  const std::vector<std::string_view> conditions = sentences_of(a);
  nlohmann::json needs = nlohmann::json::array();
  for (const collectives::Condition condition : a.needs.each()) needs.push_back(name_of(condition));
  nlohmann::json one{{"collective", name_of(a.collective)},
                     {"algorithm", a.name},
                     {"summary", a.summary},
                     {"paper", a.paper},
                     {"limits", fmt::format("{}", fmt::join(conditions, "; "))},
                     {"conditions", conditions},
                     {"needs", needs},
                     {"k", a.traits.k},
                     {"segment", a.traits.segment},
                     {"levels", a.traits.levels},
                     {"nodes", a.traits.nodes},
                     {"tree", a.traits.tree},
                     {"root", a.traits.root},
                     {"times", a.traits.times}};
  one.update(costs_as_json(a, Over::one_k));
  if (a.traits.k) one["costs_k"] = costs_as_json(a, Over::many_k);
  if (a.traits.nodes) one["costs_nodes"] = costs_as_json(a, Over::nodes);
  return one;
}

void print_references(bool json) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [name, work, taken] : references()) {
    if (json)
      all.push_back({{"name", name}, {"work", work}, {"taken", taken}});
    else
      fmt::print("{}\n{}{}", name, paragraph(fmt::format("{}.", work), 4), paragraph(taken, 4));
  }
  if (json) fmt::print("{}\n", models::json_text(all, 2));
}

void print_list(std::string_view collective, bool json) {
  nlohmann::json all = nlohmann::json::array();
  std::string papers;
  for (const Algorithm& a : collectives::algorithms()) {
    if (!collective.empty() && collective != name_of(a.collective)) continue;
    if (json)
      all.push_back(as_json(a));
    else
      print_one(a);
    papers += a.paper;
  }
  if (json) return fmt::print("{}\n", models::json_text(all, 2));
  std::string_view legend = collectives::legend();
  fmt::print("\n");
  while (!legend.empty()) {
    const std::size_t end = std::min(legend.find('\n'), legend.size());
    fmt::print("{}", paragraph(legend.substr(0, end), 4, 0));
    legend.remove_prefix(std::min(end + 1, legend.size()));
  }
  fmt::print(
      "\nours: in none of the works below. tree: X: only its tree is from X; and so on.\n\n");
  for (const auto& [name, work, taken] : references())
    if (papers.find(name) != papers.npos)
      fmt::print("{}", paragraph(fmt::format("{}: {}.", name, work), 4, 0));
}

}  // namespace

void add_list(CommandLine& line) {
  struct Arguments {
    std::string collective;
    bool json = false, schema = false, references = false;
  };
  auto arguments = std::make_shared<Arguments>();
  const Command command = line.command(
      "list", "every algorithm: parameters, where it applies, the paper, and what it costs");
  command.collective(arguments->collective, "only this collective");
  command.flag("--json", arguments->json, "as JSON");
  command.flag("--schema", arguments->schema,
               "the JSON schema of a table of algorithms (the setting `table`)");
  command.flag("--references", arguments->references,
               "the papers: authors, titles, and what is taken from each");
  command.footer(
      "Costs are counted in the schedules for P = 2 to 33 and 64 ranks, and written as a formula\n"
      "that gives the same numbers; exceptions for a few numbers of ranks follow in parentheses.\n"
      "In a round a rank sends and receives up to k messages if there is a k, else as many as are\n"
      "ready, or one at a time. The list ends with what the letters and the papers' names mean.\n"
      "Force an algorithm: TUTTI_ALGORITHM=\"allgather=bruck(k=3);bcast=chain(segment=64k)\".");
  command.runs([command, arguments] {
    const std::string& collective = arguments->collective;
    if (arguments->schema)
      refuse_given(command, {"--json", "--collective", "--references"},
                   "lists, not with --schema, which prints one schema, as JSON");
    if (arguments->references)
      refuse_given(command, {"--collective"}, "lists of algorithms, not with --references");
    if (!collective.empty()) collectives::read_collective(collective);
    if (arguments->schema)
      fmt::print("{}", collectives::table_schema());
    else if (arguments->references)
      print_references(arguments->json);
    else
      print_list(collective, arguments->json);
    return 0;
  });
}

}  // namespace tutti::tools
