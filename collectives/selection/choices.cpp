// Reads and writes choices. Pure.
#include "collectives/selection/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"

namespace tutti::collectives {
namespace {

constexpr int kLargestK = 4096;
constexpr Rank kLargestRoot = 1 << 30;
constexpr double kLongestTime = 1e9;  // microseconds

// Takes the part before the first `separator` that is outside of parentheses off the front of
// `text`, and the separator with it; everything if there is none.
std::string_view next_part(std::string_view& text, char separator) {
  std::size_t at = 0;
  for (int depth = 0; at < text.size() && (depth > 0 || text[at] != separator); ++at)
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  if (at == text.size()) at = text.npos;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return trimmed(part);
}

// `level`: those that can be a level of a hierarchical one.
std::vector<std::string_view> names_of(Collective collective, bool level) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.collective == collective && (!level || can_be_level(algorithm)))
      names.emplace_back(algorithm.name);
  return names;
}

// `level`: the parameter of a hierarchical algorithm that this is the value of; else empty.
Choice read_choice(Collective collective, std::string_view text, std::string_view level = {});

// A level of a hierarchical algorithm: within the nodes a broadcast, which names a tree; across
// them an algorithm of the collective itself.
Nested read_level(const Algorithm& algorithm, std::string_view name, std::string_view value) {
  const Collective collective =
      name == "within" ? Collective::bcast : across_of(algorithm.collective);
  const auto refuse = [&] {
    bad_configuration(fmt::format(
        "'{}={:.200}': a level is a plain algorithm, with no parameter but k, without datagrams or "
        "prefer",
        name, value));
  };
  // Asked before its own parameters are read, so that a text of any depth is refused here.
  const Algorithm* const named = find(collective, trimmed(value.substr(0, value.find('('))));
  if (named && named->traits.levels) refuse();
  const Choice inner = read_choice(collective, value, name);
  if (!can_be_level(*inner.algorithm) || inner.parameters != Parameters{.k = inner.parameters.k} ||
      inner.preferred)
    refuse();
  return {inner.algorithm, inner.parameters.k};
}

// "no parameters", "only the parameter k", "the parameters k and segment".
std::string parameters_of(const Algorithm& algorithm) {
  std::vector<std::string_view> names;
  if (algorithm.traits.levels) names.insert(names.end(), {"within", "across"});
  if (algorithm.traits.k) names.push_back("k");
  if (algorithm.traits.segment) names.push_back("segment");
  if (algorithm.traits.root) names.push_back("root");
  if (algorithm.traits.times) names.insert(names.end(), {"L", "g", "G"});
  if (names.empty()) return "no parameters";
  if (names.size() == 1) return fmt::format("only the parameter {}", names.front());
  const auto last = names.end() - 1;
  return fmt::format("the parameters {} and {}", fmt::join(names.begin(), last, ", "), *last);
}

// The times of LogGP by their names.
template <class Times>
auto* time_named(std::string_view name, Times& times) {
  return name == "L" ? &times.L : name == "g" ? &times.g : name == "G" ? &times.G : nullptr;
}

void read_parameter(std::string_view text, Choice& choice) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest, '='), value = trimmed(rest);
  const Algorithm& algorithm = *choice.algorithm;
  if (name == "k" && algorithm.traits.k) {
    const auto k = parse_number(value);
    if (!k || *k < 1 || *k > kLargestK)
      bad_configuration(fmt::format("'{:.200}': k is a number from 1 to {}; write for example k=3",
                                    text, kLargestK));
    choice.parameters.k = static_cast<int>(*k);
  } else if (name == "segment" && algorithm.traits.segment) {
    const auto segment = parse_size(value);
    if (!segment || *segment < 0)
      bad_configuration(
          fmt::format("'{:.200}': a segment is a number of bytes, such as 8192 or 8k; "
                      "write for example segment=64k, or segment=0 for whole messages",
                      text));
    choice.parameters.segment = *segment;
  } else if (name == "root" && algorithm.traits.root) {
    const auto root = parse_number(value);
    if (!root || *root < 0 || *root > kLargestRoot)
      bad_configuration(
          fmt::format("'{:.200}': a root is the number of a rank; write for example root=1", text));
    choice.parameters.root = static_cast<Rank>(*root);
  } else if (double* const time = time_named(name, choice.parameters.times);
             time && algorithm.traits.times) {
    const auto given = parse_decimal(value);
    if (!given || *given < 0 || *given > kLongestTime)
      bad_configuration(fmt::format(
          "'{:.200}': {} is a time in microseconds; write for example {}=0.4", text, name, name));
    *time = *given;
  } else if ((name == "within" || name == "across") && algorithm.traits.levels) {
    (name == "within" ? choice.parameters.within : choice.parameters.across) =
        read_level(algorithm, name, value);
  } else {
    bad_configuration(fmt::format("unknown parameter '{:.200}': {} {} has {}", text,
                                  name_of(algorithm.collective), algorithm.name,
                                  parameters_of(algorithm)));
  }
}

// A hint for users who separate choices as the values of other lists; empty: there is no comma.
std::string_view about_commas(std::string_view text) {
  return text.find(',') == text.npos ? "" : ", and `;` separates choices, not `,`";
}

Choice read_choice(Collective collective, std::string_view text, std::string_view level) {
  constexpr std::string_view prefer = "prefer";
  const bool preferred = text.starts_with(prefer) && text.size() > prefer.size() &&
                         kBlanks.find(text[prefer.size()]) != kBlanks.npos;
  if (preferred) text = trimmed(text.substr(prefer.size()));
  const auto open = text.find('(');
  const std::string_view name = trimmed(text.substr(0, open));
  Choice choice{find(collective, name), {}, preferred};
  if (choice.algorithm == nullptr) {
    const auto names = names_of(collective, !level.empty());
    const std::string_view near = nearest(name, names);
    throw Error{
        Code::unknown_algorithm,
        fmt::format(
            "{0} has no algorithm '{1:.200}'{4}{6}; {2} {5}= and one of: {3}", name_of(collective),
            name, near.empty() ? "write" : fmt::format("did you mean {}? Write", near),
            fmt::join(names, ", "), level.empty() ? "" : fmt::format(" for `{}`", level),
            level.empty() ? name_of(collective) : level, level.empty() ? about_commas(name) : "")};
  }
  if (open == text.npos) return choice;
  std::size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  if (close == text.size())
    bad_configuration(
        fmt::format("'{:.200}': the closing ')' is missing; write for example bruck(k=3)", text));
  if (close + 1 != text.size())
    bad_configuration(
        fmt::format("'{:.200}': '{:.200}' after the ')' means nothing; separate choices by ';'",
                    text, text.substr(close + 1)));
  std::string_view inside = trimmed(text.substr(open + 1, close - open - 1));
  std::vector<std::string_view> names;
  while (!inside.empty()) {
    const std::string_view parameter = next_part(inside, ',');
    std::string_view rest = parameter;
    names.push_back(next_part(rest, '='));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      bad_configuration(fmt::format("'{:.200}': {:.200} is written twice; remove one of the two",
                                    parameter, names.back()));
    read_parameter(parameter, choice);
  }
  return choice;
}

}  // namespace

std::string to_string(const Choice& choice) {
  std::string inside;
  if (choice.algorithm->traits.k) inside = fmt::format("k={}", choice.parameters.k);
  const auto add = [&](const std::string& parameter) {
    inside += (inside.empty() ? "" : ",") + parameter;
  };
  if (choice.algorithm->traits.segment && choice.parameters.segment > 0)
    add(fmt::format("segment={}", choice.parameters.segment));
  if (choice.algorithm->traits.root && choice.parameters.root > 0)
    add(fmt::format("root={}", choice.parameters.root));
  for (const std::string_view name : {"L", "g", "G"}) {
    const double time = *time_named(name, choice.parameters.times);
    if (choice.algorithm->traits.times && time != LogGP::kUnset)
      add(fmt::format("{}={}", name, time));
  }
  for (const auto& [name, level] : {std::pair{"within", choice.parameters.within},
                                    std::pair{"across", choice.parameters.across}})
    if (choice.algorithm->traits.levels && level.algorithm)
      add(fmt::format("{}={}", name, to_string({level.algorithm, {.k = level.k, .segment = 0}})));
  return inside.empty() ? std::string{choice.algorithm->name}
                        : fmt::format("{}({})", choice.algorithm->name, inside);
}

Collective read_collective(std::string_view name) {
  if (const auto found = collective_named(name)) return *found;
  bad_configuration(no_such("collective", name, names_of_collectives()));
}

std::map<Collective, Choice> parse_choices(std::string_view text) {
  std::map<Collective, Choice> choices;
  while (!text.empty()) {
    std::string_view part = next_part(text, ';');
    if (part.empty()) continue;
    const std::string_view whole = part;
    const std::string_view name = next_part(part, '=');
    const auto collective = collective_named(name);
    if (!collective) {
      bad_configuration(
          fmt::format("'{:.200}': there is no collective '{:.200}'{}; write for example "
                      "allgather=bruck(k=3);bcast=chain(segment=64k), "
                      "the collective being one of: {}",
                      whole, name, about_commas(whole), fmt::join(names_of_collectives(), ", ")));
    }
    if (choices.count(*collective) != 0)
      bad_configuration(fmt::format("{} is chosen twice; remove one of the two", name));
    choices[*collective] = read_choice(*collective, trimmed(part));
  }
  return choices;
}

}  // namespace tutti::collectives
