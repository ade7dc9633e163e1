// Prints the rows of the proof of several calls at once, and the model that it holds for.
#include "tools/verify_interleaved.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/platform/json_text.hpp"
#include "tools/progress_bar.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::InterleavedRow;

constexpr const char* kModel =
    "The model: all messages of one rank to another go through one ring of one slot and one "
    "credit,\nwhatever their calls and lengths. A receive that waits while that credit is used up "
    "sets aside what\nlies in the slot and asks for its message, as protocols/asks.hpp says. "
    "Messages, credits and asks\ncome as late as they like; ranks attempt the steps of all calls "
    "that they have started in any order.\nRings: each message whose two ends are under way "
    "passes, whatever all others do; so calls do not wait\nfor each other, and one execution "
    "decides for all. Pairs in all orders: the same, by going through all\nof them. Pairs and "
    "triples: an execution over rendezvous, with the data of each call, and three over\nrings.\n"
    "Not in the model: connections that fail or grow, identifiers of rendezvous, messages that are "
    "either\nfetched or sent in pieces, a rank that never comes back to Tutti.\n";

nlohmann::json to_json(const std::vector<InterleavedRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const InterleavedRow& row : rows)
    all.push_back({{"what", row.what},
                   {"varied", row.varied},
                   {"cases", row.cases},
                   {"states", row.states},
                   {"incomplete", row.incomplete},
                   {"violations", row.violations},
                   {"first_violation", row.first_violation},
                   {"seconds", row.seconds}});
  return all;
}

void print(const std::vector<InterleavedRow>& rows, const std::vector<int>& P) {
  fmt::print("{:<20} {:>8} {:>11} {:>9} {:>7}  {}\n", "proof of", "proved", "states", "too many",
             "CPU s", "varied");
  std::size_t cases = 0, violations = 0;
  for (const InterleavedRow& row : rows) {
    cases += row.cases;
    violations += row.violations;
    fmt::print("{:<20} {:>8} {:>11} {:>9} {:>7.2f}  {}\n", row.what,
               row.cases - row.violations - row.incomplete,
               row.states == 0 ? "" : fmt::format("{}", row.states),
               row.states == 0 ? "" : fmt::format("{}", row.incomplete), row.seconds, row.varied);
  }
  for (const InterleavedRow& row : rows)
    if (row.violations != 0)
      fmt::print("\n{}: {} violations; the first:\n  {}\n", row.what, row.violations,
                 row.first_violation);
  fmt::print("\nP = {}\n{}{} cases: nothing deadlocks, and every result is right: {}\n",
             ranges_text(P), kModel, cases,
             violations == 0 ? "proved" : fmt::format("VIOLATED in {}", violations));
}

}  // namespace

int verify_interleaved(collectives::InterleavedOptions options, bool json) {
  if (options.P.empty()) options.P = collectives::interleaved_sizes(options.quick);
  ProgressBar bar("proving");
  options.progress = [&](std::size_t done, std::size_t total) { bar.show(done, total); };
  const std::vector<InterleavedRow> rows = collectives::prove_interleaved(options);
  if (rows.empty())
    throw Error(
        Code::unknown_algorithm,
        fmt::format("there is no algorithm '{}' here; `tutti list` names them", options.algorithm));
  if (json)
    fmt::print("{}\n", models::json_text(to_json(rows), 2));
  else
    print(rows, options.P);
  for (const InterleavedRow& row : rows)
    if (row.violations != 0) return 1;
  return 0;
}

}  // namespace tutti::tools
