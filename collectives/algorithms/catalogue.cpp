// The one table of all algorithms; its entries are those of list.def. Pure.
#include "collectives/algorithms/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/schedule/segmented.hpp"

namespace tutti::collectives {
namespace {

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

}  // namespace tutti::collectives
