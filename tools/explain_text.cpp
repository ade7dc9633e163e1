// From what is chosen to what is left out.
#include "tools/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "base/types.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

double number(const json& object, const char* key) { return object.at(key).get<double>(); }
std::string digits(const json& object, const char* key) { return four_digits(number(object, key)); }

// The statements of HPM, from coarse to fine.
void print_statement(const json& statement) {
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
}

void print_ranges(const json& ranges, bool by_hand) {
  const char* const label = by_hand ? "by the model" : "ranges";
  for (std::size_t i = 0; i < ranges.size(); ++i)
    fmt::print("  {:<20}{:>9} bytes and more: {}\n", i == 0 ? label : "",
               ranges[i]["from"].get<Bytes>(), ranges[i]["algorithm"].get<std::string>());
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

}  // namespace

void print_explanation(const json& all) {
  const auto text = [](const json& value) { return value.get<std::string>(); };
  const std::string collective = text(all["collective"]);
  fmt::print("{}", collective);
  if (collective != "barrier") fmt::print(" of {}", counted(all["bytes"].get<Bytes>(), "byte"));
  fmt::print(", {}, {}; model {} ({})\n\n  parameters          {}\n",
             counted(all["ranks"].get<int>(), "rank"), counted(all["nodes"].get<int>(), "node"),
             text(all["model"]["name"]), text(all["model"]["source"]), text(all["model"]["from"]));
  for (const auto& [name, value] : all["settings"].items())
    fmt::print("  setting {:<12}{}\n", name, text(value));
  if (all["oversubscribed"].get<bool>())
    fmt::print("  cores               {}, which the ranks share\n", all["cores"].get<int>());
  fmt::print("  chosen              {}\n  reason              {}\n", text(all["algorithm"]),
             text(all["reason"]));
  if (all.contains("statement"))
    print_statement(all["statement"]);
  else
    fmt::print("\n  The model does not know its time: see below what is left out.\n");
  print_ranges(all["ranges"], text(all["reason"]).starts_with("by hand"));
  print_candidates(all["candidates"]);
}

}  // namespace tutti::tools
