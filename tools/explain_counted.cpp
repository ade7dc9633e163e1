// Counts an algorithm's messages by the formulas of `tutti list`, and plays its schedules.
#include "tools/explain_counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "base/text.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/asymptotic.hpp"
#include "collectives/analysis/costs.hpp"
#include "collectives/analysis/formula.hpp"
#include "models/simulation/layout.hpp"
#include "models/simulation/simulator.hpp"
#include "models/simulation/steps.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::AsymptoticClass;
using collectives::Choice;
using collectives::Collective;
using collectives::Formulas;
using collectives::Over;
using collectives::Problem;
using models::Platform;
using nlohmann::json;

constexpr double kMostSteps = 2e6;  // the simulator takes about a second

// The formulas of the choice; nothing: those of `tutti list` are of other parameters or places.
std::optional<Formulas> formulas_of(const Choice& choice, const Problem& problem) {
  const collectives::Traits& traits = choice.algorithm->traits;
  const bool grid_of_nodes = traits.nodes && !problem.node.empty();
  if (traits.levels || grid_of_nodes || traits.times || choice.parameters.segment > 0 ||
      collectives::is_of_neighbours(problem.collective))
    return std::nullopt;
  return formulas(*choice.algorithm, choice.parameters.k > 1 ? Over::many_k : Over::one_k);
}

// The bytes of the messages that go one after another: as many messages, of the mean length.
std::optional<std::string> class_of(const Formulas& formulas, Collective collective) {
  using collectives::asymptotic_class;
  const auto in_turn = asymptotic_class(formulas.one_port),
             messages = asymptotic_class(formulas.messages),
             total = asymptotic_class(formulas.total);
  if (!in_turn) return std::nullopt;
  std::string text = to_string(*in_turn);
  if (collective == Collective::barrier) return text;
  if (!messages || !total) return std::nullopt;
  const AsymptoticClass bytes{in_turn->power + total->power - messages->power,
                              in_turn->logs + total->logs - messages->logs};
  const std::string factor = to_string(bytes);
  return fmt::format("{} + m{}", text, factor == "1" ? "" : " " + factor);
}

// Messages: of the rank that sends most; in a row if ranks send and get one at a time, in rounds;
// and the mean length.
struct Counts {
  double busiest, in_rounds, bytes_each;
};
std::optional<Counts> counts_of(const Choice& choice, const Problem& problem,
                                const std::optional<Formulas>& formulas) {
  constexpr int kMostCounted = 64;
  if (problem.P <= kMostCounted) {
    const auto costs = count(*choice.algorithm, problem, choice.parameters);
    const double each =
        static_cast<double>(costs.total) / static_cast<double>(std::max<Bytes>(1, costs.messages));
    return Counts{each > 0 ? static_cast<double>(costs.sent) / each : 1, 1. * costs.one_port, each};
  }
  const auto is_exact = [](std::string_view text) {
    return !text.starts_with("no formula") && !text.starts_with("at most");
  };
  if (!formulas || !is_exact(formulas->one_port)) return std::nullopt;
  const auto value = [&](std::string_view text) {
    return collectives::evaluate(text.substr(0, text.find(" (P=")), problem.P, choice.parameters.k);
  };
  const double each = value(formulas->total) / value(formulas->messages);
  return Counts{value(formulas->sent) / each, value(formulas->one_port),
                each * static_cast<double>(problem.bytes)};
}

double most_on_a_node(const Problem& problem) {
  std::size_t most = 1;
  for (const auto& ranks : problem.node.ranks()) most = std::max(most, ranks.size());
  return static_cast<double>(most);
}

// A rank's first message, and its turns at the port, of which it has one for each level.
double least_time(const std::vector<const models::Model*>& levels, const Platform& platform,
                  double messages, Bytes bytes) {
  double first = 1e300, gap = 1e300;
  for (const models::Model* const level : levels) {
    const models::Costs costs = costs_of(*level, bytes);
    first = std::min(first, time_of(*level, bytes));
    gap = std::min(gap, costs.ahead > 0 ? 0 : costs.gap);
  }
  if (platform.gap_by_destinations != models::GapByDestinations{}) gap = 0;
  const double ports = static_cast<double>(levels.size()) * platform.adapters;
  return first + std::max(0., std::ceil(messages / ports) - 1) * gap;
}

// The levels that messages of the problem may have.
std::vector<const models::Model*> levels_of(const Problem& problem, const Platform& platform) {
  if (!platform.within || most_on_a_node(problem) == 1)
    if (!problem.node.empty() || !platform.within) return {&platform.between};
  if (problem.node.empty()) return {&*platform.within};
  return {&*platform.within, &platform.between};
}

void add_bounds(json& all, const Counts& counts, const Choice& choice, const Problem& problem,
                const Platform& platform) {
  const auto bytes = static_cast<Bytes>(counts.bytes_each);
  const auto levels = levels_of(problem, platform);
  // By datagrams all ranks may get the message at once, or none of them does.
  const bool datagrams = choice.algorithm->needs.has(collectives::Condition::datagrams);
  const double combining = collectives::reduces(problem.collective) ? platform.reduce_per_byte : 0;
  // Messages of the ranks of a node may wait for each other at its port.
  const double at_port =
      platform.shared_ports && !problem.node.empty() ? most_on_a_node(problem) : 1;
  double message = 0;
  for (const models::Model* const level : levels)
    message = std::max(message, time_of(*level, bytes) * (level == levels.back() ? at_port : 1));
  all["least"] = least_time(levels, platform, datagrams ? 1 : counts.busiest, bytes);
  all["in_rounds"] =
      counts.in_rounds * (message + counts.bytes_each * (combining + platform.copy_per_byte));
  all["messages"] = {{"busiest", counts.busiest}, {"in_rounds", counts.in_rounds}};
  all["bytes_each"] = bytes;
  if (at_port > 1) all["at_port"] = at_port;
  if (datagrams) all["datagrams"] = true;
}

struct Player {
  const Choice& choice;
  const Problem& problem;
  const Platform& platform;
  int sockets;

  double operator()(Bytes bytes) const {
    Problem here = problem;
    here.bytes = bytes;
    models::SimulationOptions setting;
    setting.node = here.node.empty() ? std::vector<int>(index(here.P)) : here.node.of_rank();
    setting.socket = models::sockets_of(setting.node, sockets);
    return simulate(
               here.P,
               [&](Rank rank) {
                 return choice.algorithm->build(problem_of_rank(here, rank), choice.parameters);
               },
               platform, setting)
        .time;
  }
};

void add_played(json& all, const Choice& choice, const Problem& problem, const Platform& platform,
                int sockets) {
  const double steps = models::steps_of_all(problem.P, problem.root, [&](Rank rank) {
    return choice.algorithm->build(problem_of_rank(problem, rank), choice.parameters);
  });
  if (steps > kMostSteps) return;
  const Player play{choice, problem, platform, sockets};
  const bool barrier = problem.collective == Collective::barrier;
  const Bytes more = std::max<Bytes>(problem.bytes, 8);
  const double time = play(problem.bytes);
  const double slope = barrier ? 0 : (play(2 * more) - play(more)) / static_cast<double>(more);
  all["simulated"] = time;
  all["per_byte"] = slope;
  all["constant"] = time - slope * static_cast<double>(problem.bytes);
}

void print_line(std::string_view label, const std::string& text) {
  constexpr std::size_t kColumn = 22;  // where all that is said begins
  fmt::print("  {:<{}}{}", label, kColumn - 2, paragraph(text, kColumn).substr(kColumn));
}

void print_bounds(const json& counted) {
  const auto number = [&](const char* key) { return counted.at(key).get<double>(); };
  const auto messages = [&](const char* key) { return counted["messages"][key].get<double>(); };
  const std::string bytes = size_text(counted["bytes_each"].get<Bytes>());
  const bool datagrams = counted.contains("datagrams");
  const std::string least =
      datagrams ? "as long as one message: no datagram is lost"
                : fmt::format("a rank sends {:.0f} messages of {}", messages("busiest"), bytes);
  print_line("at least", fmt::format("{} us: {}", four_digits(number("least")), least));
  const std::string how =
      datagrams ? ", if all datagrams are lost, beside the wait for these"
      : counted.contains("at_port")
          ? fmt::format(", each behind those of the {:.0f} ranks of its node", number("at_port"))
          : "";
  print_line(datagrams ? "at most" : "in rounds",
             fmt::format("{} us: {:.0f} messages of {} one after another{}",
                         four_digits(number("in_rounds")), messages("in_rounds"), bytes, how));
}

}  // namespace

json counted_statement(const Choice& choice, const Problem& problem, const Platform& platform,
                       int sockets, bool bounded) {
  json all = json::object();
  const std::optional<Formulas> formulas = formulas_of(choice, problem);
  if (formulas) {
    all["rounds"] = formulas->rounds;
    all["rounds_one_port"] = formulas->one_port;
    all["sent"] = formulas->sent;
    if (const auto found = class_of(*formulas, problem.collective)) all["class"] = *found;
  }
  if (bounded || sockets > 1) add_played(all, choice, problem, platform, sockets);
  if (bounded)
    if (const auto counts = counts_of(choice, problem, formulas))
      add_bounds(all, *counts, choice, problem, platform);
  return all;
}

void print_counted_statement(const json& counted, bool estimated) {
  const auto text = [&](const char* key) { return counted.at(key).get<std::string>(); };
  if (!estimated && counted.contains("class")) print_line("class", text("class"));
  if (counted.contains("rounds"))
    print_line("counted", fmt::format("rounds {}; with one message at a time {}; most sent by a "
                                      "rank {} (`tutti list`)",
                                      text("rounds"), text("rounds_one_port"), text("sent")));
  if (counted.contains("simulated")) {
    const double slope = counted["per_byte"], constant = counted["constant"];
    if (!estimated && slope > 0)
      print_line("dominant terms", fmt::format("T(m) = {} + {} m us, near this size",
                                               four_digits(constant), four_digits(slope)));
    print_line("simulated",
               fmt::format("{} us{}", four_digits(counted["simulated"].get<double>()),
                           counted.contains("datagrams") ? ", if all datagrams are lost" : ""));
  }
  if (counted.contains("least")) print_bounds(counted);
}

}  // namespace tutti::tools
