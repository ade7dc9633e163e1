// Writes an explanation as text: the choice, the candidates, and those that are left out.
#include "tools/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/types.hpp"
#include "tools/explain_counted.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

double number(const json& object, const char* key) { return object.at(key).get<double>(); }
std::string digits(const json& object, const char* key) { return four_digits(number(object, key)); }

// Empty: near this size the time is a start-up and something for each byte, as it should be.
std::string why_bad_fit(const json& statement) {
  const double rounding = 1e-9 * number(statement, "latency");
  if (number(statement, "constant") < -rounding)
    return "the start-up is negative: twice the bytes take more than twice the time";
  return number(statement, "per_byte") < -rounding ? "more bytes take less time" : "";
}

// By which command the parameters, if any, were measured.
void print_bad_fit(const std::string& why, const json& model) {
  constexpr std::size_t kColumn = 22;  // where all that is said begins
  const std::string command = model.value("command", "");
  const std::string lines = paragraph(
      fmt::format("{}. The parameters {} do not fit here ({}). Measure {} where nothing else runs: "
                  "{}",
                  why, model["name"].get<std::string>(), model["from"].get<std::string>(),
                  command.empty() ? "this machine's" : "them again",
                  command.empty() ? "mpiexec -n 2 tutti measure --save" : command),
      kColumn);
  fmt::print("  {:<{}}{}", "bad fit", kColumn - 2, lines.substr(kColumn));
}

// The statements of HPM, from coarse to fine.
void print_statement(const json& statement, const json& model) {
  fmt::print("\n  class               {}\n", statement["class"].get<std::string>());
  const double constant = number(statement, "constant"), slope = number(statement, "per_byte");
  if (slope > 0)
    fmt::print("  dominant terms      T(m) = {} + {} m us, near this size\n", four_digits(constant),
               four_digits(slope));
  else
    fmt::print("  dominant terms      T = {} us\n", four_digits(constant));
  if (const std::string why = why_bad_fit(statement); !why.empty()) print_bad_fit(why, model);
  fmt::print("  over mappings       {} to {} us\n", digits(statement, "least_over_mappings"),
             digits(statement, "most_over_mappings"));
  std::string terms;
  // Parts are differences, which rounding may leave above zero.
  const double least_shown = 1e-9 * number(statement, "latency");
  for (const auto& [name, value] : statement["parts"].items())
    if (value.get<double>() > least_shown)
      terms += fmt::format("{}{} {}", terms.empty() ? " = " : " + ",
                           four_digits(value.get<double>()), name);
  fmt::print("  exact               {} us{}\n", digits(statement, "latency"), terms);
  const json& parts = statement["parts"];
  if (const double shared = number(parts, "cores") + number(parts, "turns"); shared > 0)
    fmt::print(
        "  without sharing     {} us, if no rank shared a core and packets needed none, "
        "about as `tutti predict` has it\n",
        four_digits(number(statement, "latency") - shared));
}

void print_ranges(const json& ranges, bool by_hand) {
  const char* const label = by_hand ? "by the model" : "ranges";
  for (std::size_t i = 0; i < ranges.size(); ++i)
    fmt::print("  {:<20}{:>9} and more: {}\n", i == 0 ? label : "",
               size_text(ranges[i]["from"].get<Bytes>()),
               with_units(ranges[i]["algorithm"].get<std::string>()));
}

using Row = std::vector<std::string>;

// The first column to the left, the others to the right, as wide as what they hold.
void print_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line = fmt::format("  {:<{}}", row.front(), widths.front());
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    fmt::print("{}\n", line);
  }
}

// One call of several in a row may take less time than one alone.
bool calls_differ(const json& one) {
  const double of_several = number(one, "time") - number(one, "set_up");
  return std::abs(of_several - number(one, "latency")) > 1e-9 * number(one, "latency");
}

void print_candidates(const json& candidates, const json& connecting) {
  std::vector<json> applying;
  for (const json& one : candidates)
    if (!one.contains("excluded")) applying.push_back(one);
  const bool repeated = std::ranges::any_of(applying, calls_differ);
  std::vector<Row> rows{{"candidate", "us", "set-up", "rounds", "messages", "peers", "bytes"}};
  if (repeated) rows[0].insert(rows[0].begin() + 2, "alone");
  for (const json& one : applying) {
    const json& messages = one["messages"];
    Row& row = rows.emplace_back(
        Row{with_units(one["algorithm"].get<std::string>()), digits(one, "time")});
    if (repeated) row.push_back(digits(one, "latency"));
    row.push_back(digits(one, "set_up"));
    row.push_back(fmt::format("{:.0f}", number(one, "rounds")));
    row.push_back(
        fmt::format("{:.0f}+{:.0f}", number(messages, "within"), number(messages, "between")));
    row.push_back(fmt::format("{}", one["peers"].get<int>()));
    row.push_back(fmt::format("{:.0f}", number(one, "memory")));
    if (one.contains("times_over_limit"))
      row.push_back(fmt::format("{} x the limit", digits(one, "times_over_limit")));
  }
  fmt::print("\n");
  print_table(rows);
  fmt::print(
      "\n{}",
      paragraph(fmt::format("us: the time by which it is chosen, of {}; {}set-up: its part for the "
                            "first messages to all peers, {} us each, spread over {:.0f} calls; "
                            "messages: on the critical path, within nodes + between them; bytes: "
                            "scratch and connections, {} each. Where a rank would hold more than "
                            "{}, the time counts as many times. Times that differ by less than 2 % "
                            "do not differ: then less memory counts, then fewer rounds.",
                            repeated ? "one of several calls in a row" : "one call",
                            repeated ? "alone: the time of one call without the set-up; " : "",
                            digits(connecting, "time"), number(connecting, "calls"),
                            connecting["bytes"].get<Bytes>(),
                            size_text(connecting["memory_limit"].get<Bytes>())),
                2));
}

// Each reason once, with the algorithms that it keeps out.
void print_reasons(std::string_view title,
                   const std::vector<std::pair<std::string, std::string>>& left_out) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& [why, name] : left_out) {
    const auto known = std::ranges::find(reasons, why, &std::pair<std::string, std::string>::first);
    if (known == reasons.end())
      reasons.emplace_back(why, name);
    else
      known->second += ", " + name;
  }
  if (!reasons.empty()) fmt::print("\n{}\n", title);
  for (const auto& [why, names] : reasons)
    fmt::print("{}", paragraph(fmt::format("{}: {}", names, why), 4, 2));
}

// Why the model does not choose an algorithm, without the words that it is chosen by hand only;
// empty: `why` has no such words.
std::string beyond_by_hand(const std::string& why) {
  constexpr std::string_view kByHand = "it is chosen by hand only", kColon = ": ";
  const std::size_t colon = why.starts_with(kByHand) ? why.find(kColon) : why.npos;
  return colon == why.npos ? std::string() : why.substr(colon + kColon.size());
}

void print_no_estimate(const std::string& why) {
  const std::string reason = beyond_by_hand(why);
  fmt::print(
      "\n{}",
      paragraph(fmt::format("It can run this call. The model has no estimate of its time: {}. "
                            "What follows is counted in its schedules, or simulated.",
                            reason.empty() ? why : reason),
                2));
}

// Reasons of candidates that the model leaves out begin alike: the common words stand above them.
void print_left_out(const json& candidates) {
  std::vector<std::pair<std::string, std::string>> by_hand, others;
  for (const json& one : candidates) {
    if (!one.contains("excluded")) continue;
    auto why = one["excluded"].get<std::string>(), name = one["algorithm"].get<std::string>();
    if (std::string reason = beyond_by_hand(why); reason.empty())
      others.emplace_back(std::move(why), std::move(name));
    else
      by_hand.emplace_back(std::move(reason), std::move(name));
  }
  print_reasons("Left out, and chosen by hand only:", by_hand);
  print_reasons("Left out, as they cannot run this call:", others);
}

}  // namespace

void print_explanation(const json& all) {
  const auto text = [](const json& value) { return value.get<std::string>(); };
  const std::string collective = text(all["collective"]);
  fmt::print("{}", collective);
  const bool has_bytes = collective != "barrier";
  if (has_bytes) fmt::print(" of {}", size_text(all["bytes"].get<Bytes>()));
  const std::string source = text(all["model"]["source"]);
  fmt::print(", {}, {}; model {}{}\n\n  parameters          {}\n",
             counted(all["ranks"].get<int>(), "rank"), counted(all["nodes"].get<int>(), "node"),
             text(all["model"]["name"]), source.empty() ? "" : fmt::format(" ({})", source),
             text(all["model"]["from"]));
  for (const auto& [name, value] : all["settings"].items())
    fmt::print("  {:<19} {}\n", "setting " + name, text(value));
  if (all["oversubscribed"].get<bool>())
    fmt::print("  cores               {}, which the ranks share\n", all["cores"].get<int>());
  fmt::print("  chosen              {}\n  reason              {}\n",
             with_units(text(all["algorithm"])), text(all["reason"]));
  if (all.contains("statement"))
    print_statement(all["statement"], all["model"]);
  else
    print_no_estimate(text(all["no_estimate"]));
  print_counted_statement(all["counted"], all.contains("statement"));
  if (has_bytes) print_ranges(all["ranges"], text(all["reason"]).starts_with("by hand"));
  print_candidates(all["candidates"], all["connecting"]);
  print_left_out(all["candidates"]);
}

}  // namespace tutti::tools
