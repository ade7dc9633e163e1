// Reads tables of rules, and asks the sources of a choice in turn. Pure.
#include "collectives/selection/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace tutti::collectives {
namespace {

using Json = nlohmann::json;

// The JSON library's message begins with "[json.exception…] parse error", then gives line and
// column, and ends with the offending token, however long that is.
Json json_of(std::string_view text) {
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();
    const auto place = what.find("at line");
    bad_configuration(
        fmt::format("it is not JSON: {:.200}", place == what.npos ? what : what.substr(place)));
  }
}

Interval interval_of(const Json& rule, const char* name, std::size_t number) {
  if (!rule.contains(name)) return {};
  const Json& value = rule[name];
  const auto whole = [](const Json& v) { return v.is_number_integer() && v.get<Bytes>() >= 0; };
  if (whole(value)) return {value.get<Bytes>(), value.get<Bytes>()};
  if (!value.is_array() || value.size() != 2 || !whole(value[0]) ||
      !(whole(value[1]) || value[1].is_null()))
    bad_configuration(fmt::format(
        "rule {}: \"{}\" is a number or [least, most], where most may be null", number, name));
  const Interval interval{value[0].get<Bytes>(), value[1].is_null() ? -1 : value[1].get<Bytes>()};
  if (interval.most >= 0 && interval.least > interval.most)
    bad_configuration(fmt::format("rule {}: \"{}\": {} is more than {}; write [least, most]",
                                  number, name, interval.least, interval.most));
  return interval;
}

// The choice of a rule, read in the same way as the setting `algorithm`.
std::pair<Collective, Choice> choice_of(const std::string& collective, const std::string& algorithm,
                                        std::size_t number) {
  if (!collective_named(collective))
    bad_configuration(fmt::format("rule {}: {}", number,
                                  no_such("collective", collective, names_of_collectives())));
  std::map<Collective, Choice> choices;
  try {
    choices = parse_choices(fmt::format("{}={}", collective, algorithm));
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("rule {}: {}", number, error.message));
  }
  if (choices.size() != 1)
    bad_configuration(fmt::format("rule {}: '{:.200}' is more than one choice", number, algorithm));
  return *choices.begin();
}

Rule rule_of(const Json& json, std::size_t number) {
  if (!json.is_object() || !json.contains("collective") || !json.contains("algorithm") ||
      !json["collective"].is_string() || !json["algorithm"].is_string())
    bad_configuration(
        fmt::format("rule {} needs a \"collective\" and an \"algorithm\", both texts", number));
  for (const auto& [name, value] : json.items())
    if (name != "collective" && name != "algorithm" && name != "ranks" &&
        name != "ranks_per_node" && name != "bytes" && name != "comment")
      bad_configuration(
          fmt::format("rule {}: there is no \"{:.200}\"; there are collective, algorithm, ranks, "
                      "ranks_per_node, bytes, comment",
                      number, name));
  if (json.contains("comment") && !json["comment"].is_string())
    bad_configuration(fmt::format("rule {}: the \"comment\" is not a string", number));
  const auto [collective, choice] = choice_of(json["collective"], json["algorithm"], number);
  return {collective, interval_of(json, "ranks", number),
          interval_of(json, "ranks_per_node", number), interval_of(json, "bytes", number), choice};
}

[[noreturn]] void refuse(const Choice& choice, const Problem& problem, const std::string& reason) {
  throw Error(Code::algorithm_not_applicable,
              fmt::format("{0} cannot run this {1}: {2}; choose another, or write {1}=prefer {0} "
                          "to fall back where it does not apply",
                          to_string(choice), name_of(problem.collective), reason));
}

}  // namespace

std::vector<Rule> parse_table(std::string_view text) {
  const Json json = json_of(text);
  if (!json.is_object() || !json.contains("rules") || !json["rules"].is_array())
    bad_configuration("it has no array \"rules\"");
  std::vector<Rule> rules;
  for (const Json& rule : json["rules"]) rules.push_back(rule_of(rule, rules.size() + 1));
  return rules;
}

std::string_view table_schema() noexcept {
  return R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Tutti's table of algorithms",
  "type": "object",
  "required": ["rules"],
  "properties": {
    "rules": {
      "description": "The first rule that fits a call chooses its algorithm.",
      "type": "array",
      "items": {
        "type": "object",
        "required": ["collective", "algorithm"],
        "additionalProperties": false,
        "properties": {
          "collective": {"enum": ["barrier", "bcast", "scatter", "gather", "allgather", "alltoall", "neighbor_allgather", "neighbor_alltoall", "reduce", "allreduce", "reduce_scatter", "scan", "exscan"]},
          "algorithm": {"type": "string", "description": "as in TUTTI_ALGORITHM, such as bruck(k=3) or prefer neighbor-exchange"},
          "ranks": {"$ref": "#/$defs/interval", "description": "of the communicator"},
          "ranks_per_node": {"$ref": "#/$defs/interval", "description": "most ranks on one node"},
          "bytes": {"$ref": "#/$defs/interval", "description": "of one block, or of the message where there are no blocks"},
          "comment": {"type": "string"}
        }
      }
    }
  },
  "$defs": {
    "interval": {
      "oneOf": [
        {"type": "integer", "minimum": 0},
        {
          "description": "least, most; null: no limit",
          "type": "array",
          "minItems": 2,
          "maxItems": 2,
          "prefixItems": [{"type": "integer", "minimum": 0}, {"type": ["integer", "null"], "minimum": 0}]
        }
      ]
    }
  }
}
)";
}

bool wants_datagrams(const Rules& rules) noexcept {
  const Algorithm* const multicast = find(Collective::bcast, "multicast");
  return std::any_of(rules.forced.begin(), rules.forced.end(),
                     [&](const auto& f) { return f.second.algorithm == multicast; }) ||
         std::any_of(rules.table.begin(), rules.table.end(),
                     [&](const Rule& r) { return r.choice.algorithm == multicast; });
}

std::optional<Choice> choose(const Problem& problem, const Facts& facts, const Rules& rules) {
  std::vector<Choice> by_hand;
  const auto add = [&](const Choice& choice, std::string_view reason) {
    by_hand.push_back(choice);
    by_hand.back().reason = reason;
  };
  if (const auto forced = rules.forced.find(problem.collective); forced != rules.forced.end())
    add(forced->second, "by hand: the setting `algorithm` names it");
  const Bytes bytes = typical_bytes(problem);
  const auto rule = std::find_if(rules.table.begin(), rules.table.end(), [&](const Rule& r) {
    return r.collective == problem.collective && r.ranks.holds(facts.P) &&
           r.ranks_per_node.holds(facts.max_ranks_per_node) && r.bytes.holds(bytes);
  });
  if (rule != rules.table.end())
    add(rule->choice, "by hand: a rule of the setting `table` names it");
  for (const Choice& choice : by_hand) {
    const auto reason = why_not(*choice.algorithm, problem, choice.parameters);
    if (!reason) return choice;
    if (!choice.preferred) refuse(choice, problem, *reason);
  }
  return std::nullopt;
}

}  // namespace tutti::collectives
