// The one table of all algorithms (their lines: algorithms/list.def), and the reader of the user's
// choice. Pure.
#include "collectives/algorithms/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/algorithms/algorithms.hpp"
#include "collectives/schedule/segmented.hpp"

namespace tutti::collectives {
namespace {

constexpr int kLargestK = 4096;

std::optional<std::string> always(const Problem&, const Parameters&) { return std::nullopt; }

std::optional<std::string> no_fold(const Problem& problem, const Parameters&) {
  if (!problem.left_fold) return std::nullopt;
  return "it does not combine from left to right, as the setting `reproducible` demands";
}

std::optional<std::string> commutative_only(const Problem& problem, const Parameters& parameters) {
  if (problem.commutative) return no_fold(problem, parameters);
  return "it does not keep the order of the ranks, and the operation is not commutative";
}

std::optional<std::string> even_ranks(const Problem& problem, const Parameters&) {
  if (problem.P % 2 == 0) return std::nullopt;
  return fmt::format("it needs an even number of ranks, not {}", problem.P);
}

std::optional<std::string> power_of_two(const Problem& problem, const Parameters&) {
  if ((problem.P & (problem.P - 1)) == 0) return std::nullopt;
  return fmt::format("it needs a power of two of ranks, not {}", problem.P);
}

std::optional<std::string> power_of_two_no_fold(const Problem& problem,
                                                const Parameters& parameters) {
  if (auto reason = power_of_two(problem, parameters)) return reason;
  return no_fold(problem, parameters);
}

std::optional<std::string> power_of_two_commutative(const Problem& problem,
                                                    const Parameters& parameters) {
  if (auto reason = power_of_two(problem, parameters)) return reason;
  return commutative_only(problem, parameters);
}

std::optional<std::string> known_counts(const Problem& problem, const Parameters&) {
  if (problem.counts_known) return std::nullopt;
  return "only the root knows the counts, and ranks that hand on would need them";
}

std::optional<std::string> equal_blocks(const Problem& problem, const Parameters&) {
  if (problem.counts.empty() && problem.receive_counts.empty()) return std::nullopt;
  return "its blocks must have one length";
}

std::optional<std::string> nodes_in_order(const Problem& problem, const Parameters&) {
  if (std::is_sorted(problem.node.begin(), problem.node.end())) return std::nullopt;
  return "the ranks of a node must follow each other";
}

// Hierarchical algorithms: what runs within must do so for as many ranks as each node has, what
// runs across for as many as there are nodes.
std::optional<std::string> levels_apply(const Problem& problem, const Parameters& parameters) {
  std::vector<int> ranks_on(1, problem.node.empty() ? problem.P : 0);
  for (const int node : problem.node) {
    ranks_on.resize(std::max(ranks_on.size(), static_cast<std::size_t>(node) + 1));
    ++ranks_on[static_cast<std::size_t>(node)];
  }
  const auto why_not = [&](const Nested& level, int ranks) -> std::optional<std::string> {
    if (!level.algorithm || ranks < 2) return std::nullopt;
    const Problem part{{.collective = level.algorithm->collective, .bytes = problem.bytes}, ranks};
    return level.algorithm->not_applicable(part, {.k = level.k, .segment = 0});
  };
  if (const auto reason = why_not(parameters.across, static_cast<int>(ranks_on.size())))
    return "across the nodes: " + *reason;
  for (const int ranks : ranks_on)
    if (const auto reason = why_not(parameters.within, ranks)) return "within a node: " + *reason;
  return std::nullopt;
}

// A broadcast in which every rank but the root gets one message, which is so for all numbers of
// ranks or none.
bool is_tree(const Algorithm& broadcast) {
  constexpr int P = 8;
  for (Rank rank = 1; rank < P; ++rank) {
    const Schedule schedule =
        broadcast.build({{.collective = Collective::bcast, .bytes = 64}, P, rank}, {});
    if (std::count_if(schedule.steps.begin(), schedule.steps.end(),
                      [](const Step& s) { return receives(s.kind); }) != 1)
      return false;
  }
  return true;
}

std::optional<std::string> tree_levels(const Problem& problem, const Parameters& parameters) {
  if (const Algorithm* const within = parameters.within.algorithm; within && !is_tree(*within))
    return fmt::format("within a node it goes up a tree as well, and the broadcast '{}' is none",
                       within->name);
  return levels_apply(problem, parameters);
}

std::optional<std::string> commutative_levels(const Problem& problem,
                                              const Parameters& parameters) {
  if (auto reason = commutative_only(problem, parameters)) return reason;
  const Algorithm* const within = parameters.within.algorithm;
  if (problem.collective == Collective::allreduce && within &&
      !find(Collective::reduce, within->name))
    return fmt::format("within a node it would reduce as well, and there is no reduce '{}'",
                       within->name);
  return levels_apply(problem, parameters);
}

std::optional<std::string> levels_in_order(const Problem& problem, const Parameters& parameters) {
  if (auto reason = nodes_in_order(problem, parameters)) return reason;
  return tree_levels(problem, parameters);
}

std::optional<std::string> datagrams(const Problem& problem, const Parameters&) {
  if (problem.datagrams) return std::nullopt;
  return "no multicast group was joined by all ranks when Tutti started; the settings `multicast` "
         "and `transport` and the log (`log=info`) "
         "say why";
}

// What an algorithm's parameters are.
struct Takes {
  bool k = false, segment = false, levels = false, nodes = false;
};
namespace takes {
constexpr Takes nothing{}, k{.k = true}, segment{.segment = true},
    k_segment{.k = true, .segment = true}, levels{.levels = true},
    levels_segment{.segment = true, .levels = true}, nodes{.nodes = true};
}

// The author's whole messages, cut into the segments of the parameters.
template <auto Author>
Schedule cut(const Problem& problem, const Parameters& parameters) {
  return segmented(Author(problem, parameters), segment_of(problem, parameters));
}

template <auto Author, bool Cut>
constexpr Algorithm algorithm(Collective collective, std::string_view name, Takes takes,
                              decltype(Algorithm::not_applicable) not_applicable,
                              std::string_view paper, std::string_view summary) {
  Algorithm one{collective,     name,          paper,        summary,
                takes.k,        takes.segment, takes.levels, takes.nodes || takes.levels,
                not_applicable, Author};
  if constexpr (Cut) one.build = cut<Author>;
  return one;
}

constexpr std::array kAlgorithms{
#define ALGORITHM(collective, function, name, parameters, applies, paper, summary)                \
  algorithm<function, takes::parameters.segment>(Collective::collective, name, takes::parameters, \
                                                 applies, paper, summary),
#include "collectives/algorithms/list.def"
#undef ALGORITHM
};

[[noreturn]] void bad(std::string message) {
  throw Error{Code::bad_configuration, std::move(message)};
}

// Takes what stands before the first `separator` outside of parentheses off the front of `text`;
// all of it if there is none.
std::string_view next_part(std::string_view& text, char separator) {
  std::size_t at = 0;
  for (int depth = 0; at < text.size() && (depth > 0 || text[at] != separator); ++at)
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  if (at == text.size()) at = text.npos;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return trimmed(part);
}

std::string names_of_collectives() {
  std::string names;
  for (std::size_t c = 0; c < kCollectives; ++c)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(static_cast<Collective>(c)));
  return names;
}

std::string names_of(Collective collective) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", algorithm.name);
  }
  return names;
}

Choice read_choice(Collective collective, std::string_view text);

// A level of a hierarchical algorithm: a tree by its broadcast's name within, the collective's own
// algorithms across.
Nested read_level(const Algorithm& algorithm, std::string_view name, std::string_view value) {
  const Collective collective =
      name == "within" ? Collective::bcast : across_of(algorithm.collective);
  const auto refuse = [&] {
    bad(fmt::format(
        "'{}={:.200}': a level is a plain algorithm, without levels, segments, datagrams or prefer",
        name, value));
  };
  // Before what is within it is read: however deep it is, it ends here.
  const Algorithm* const named = find(collective, trimmed(value.substr(0, value.find('('))));
  if (named && named->has_levels) refuse();
  const Choice inner = read_choice(collective, value);
  if (!can_be_level(*inner.algorithm) || inner.parameters.segment != 0 || inner.preferred) refuse();
  return {inner.algorithm, inner.parameters.k};
}

void read_parameter(std::string_view text, Choice& choice) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest, '='), value = trimmed(rest);
  const Algorithm& algorithm = *choice.algorithm;
  if (name == "k" && algorithm.has_k) {
    const auto k = parse_number(value);
    if (!k || *k < 1 || *k > kLargestK)
      bad(fmt::format("'{:.200}': k is a number from 1 to {}; write for example k=3", text,
                      kLargestK));
    choice.parameters.k = static_cast<int>(*k);
  } else if (name == "segment" && algorithm.has_segment) {
    const auto segment = parse_size(value);
    if (!segment || *segment < 0)
      bad(
          fmt::format("'{:.200}': a segment is a number of bytes, with k, M or G if you like; "
                      "write for example segment=64k, or segment=0 for whole messages",
                      text));
    choice.parameters.segment = *segment;
  } else if ((name == "within" || name == "across") && algorithm.has_levels) {
    (name == "within" ? choice.parameters.within : choice.parameters.across) =
        read_level(algorithm, name, value);
  } else {
    const char* known =
        algorithm.has_levels ? (algorithm.has_segment ? "the parameters within, across and segment"
                                                      : "the parameters within and across")
        : algorithm.has_k
            ? (algorithm.has_segment ? "the parameters k and segment" : "only the parameter k")
            : (algorithm.has_segment ? "only the parameter segment" : "no parameters");
    bad(fmt::format("unknown parameter '{:.200}': {} {} has {}", text,
                    name_of(algorithm.collective), algorithm.name, known));
  }
}

Choice read_choice(Collective collective, std::string_view text) {
  constexpr std::string_view prefer = "prefer";
  const bool preferred = text.starts_with(prefer) && text.size() > prefer.size() &&
                         kBlanks.find(text[prefer.size()]) != kBlanks.npos;
  if (preferred) text = trimmed(text.substr(prefer.size()));
  const auto open = text.find('(');
  const std::string_view name = trimmed(text.substr(0, open));
  Choice choice{find(collective, name), {}, preferred};
  if (choice.algorithm == nullptr) {
    throw Error{Code::unknown_algorithm,
                fmt::format("{0} has no algorithm '{1:.200}'; write {0}= and one of: {2}",
                            name_of(collective), name, names_of(collective))};
  }
  if (open == text.npos) return choice;
  std::size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  if (close == text.size())
    bad(fmt::format("'{:.200}': the closing ')' is missing; write for example bruck(k=3)", text));
  if (close + 1 != text.size())
    bad(fmt::format("'{:.200}': '{:.200}' after the ')' means nothing; separate choices by ';'",
                    text, text.substr(close + 1)));
  std::string_view inside = trimmed(text.substr(open + 1, close - open - 1));
  std::vector<std::string_view> names;
  while (!inside.empty()) {
    const std::string_view parameter = next_part(inside, ',');
    std::string_view rest = parameter;
    names.push_back(next_part(rest, '='));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      bad(fmt::format("'{:.200}': {:.200} is written twice; leave one of the two", parameter,
                      names.back()));
    read_parameter(parameter, choice);
  }
  return choice;
}

}  // namespace

std::span<const Algorithm> algorithms() noexcept { return kAlgorithms; }

Collective across_of(Collective collective) noexcept {
  return collective == Collective::reduce ? Collective::bcast : collective;
}

bool can_be_level(const Algorithm& algorithm) noexcept {
  return !algorithm.has_levels && algorithm.build != bcast_multicast;
}

const Algorithm* find(Collective collective, std::string_view name) noexcept {
  const auto it =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& algorithm) {
        return algorithm.collective == collective && algorithm.name == name;
      });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

std::string to_string(const Choice& choice) {
  std::string inside;
  if (choice.algorithm->has_k) inside = fmt::format("k={}", choice.parameters.k);
  const auto add = [&](const std::string& parameter) {
    inside += (inside.empty() ? "" : ",") + parameter;
  };
  if (choice.algorithm->has_segment && choice.parameters.segment > 0)
    add(fmt::format("segment={}", choice.parameters.segment));
  for (const auto& [name, level] : {std::pair{"within", choice.parameters.within},
                                    std::pair{"across", choice.parameters.across}})
    if (choice.algorithm->has_levels && level.algorithm)
      add(fmt::format("{}={}", name, to_string({level.algorithm, {.k = level.k, .segment = 0}})));
  return inside.empty() ? std::string{choice.algorithm->name}
                        : fmt::format("{}({})", choice.algorithm->name, inside);
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
      bad(
          fmt::format("'{:.200}': there is no collective '{:.200}'; write for example "
                      "allgather=bruck(k=3);bcast=chain(segment=64k), "
                      "the collective being one of: {}",
                      whole, name, names_of_collectives()));
    }
    if (choices.count(*collective) != 0)
      bad(fmt::format("{} is chosen twice; leave one of the two", name));
    choices[*collective] = read_choice(*collective, trimmed(part));
  }
  return choices;
}

}  // namespace tutti::collectives
