// The conditions, a row each: name, sentence, and what is said to a call that does not fit. Pure.
#include "collectives/algorithms/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bits.hpp"
#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {
namespace {

using Reason = std::optional<std::string>;

// How many ranks each node has.
std::vector<int> ranks_on_nodes(const Problem& problem) {
  std::vector<int> ranks(1, problem.node.empty() ? problem.P : 0);
  for (const int node : problem.node) {
    ranks.resize(std::max(ranks.size(), index(node) + 1));
    ++ranks[index(node)];
  }
  return ranks;
}

// The algorithm within a node must apply to the number of ranks of each node, the one across the
// nodes to the number of nodes.
Reason levels_do_not_apply(const Problem& problem, const Parameters& parameters) {
  const auto why_not_for = [&](const Nested& level, int ranks) -> Reason {
    if (!level.algorithm || ranks < 2) return {};
    const Problem part{{.collective = level.algorithm->collective, .bytes = problem.bytes}, ranks};
    return why_not(*level.algorithm, part, {.k = level.k});
  };
  const std::vector<int> nodes = ranks_on_nodes(problem);
  if (const auto reason = why_not_for(parameters.across, static_cast<int>(nodes.size())))
    return "across the nodes: " + *reason;
  for (const int ranks : nodes)
    if (const auto reason = why_not_for(parameters.within, ranks))
      return "within a node: " + *reason;
  return {};
}

struct Row {
  Condition condition;
  std::string_view name, sentence;
  Reason (*broken)(const Problem&, const Parameters&);  // why it does not hold; nothing: it holds
};

constexpr std::array<Row, kConditions> kRows{{
    {Condition::power_of_two, "power_of_two", "the number of ranks is a power of two",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (is_power_of_two(problem.P)) return {};
       return fmt::format("it needs a power of two of ranks, not {}", problem.P);
     }},
    {Condition::even_ranks, "even_ranks", "the number of ranks is even",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.P % 2 == 0) return {};
       return fmt::format("it needs an even number of ranks, not {}", problem.P);
     }},
    {Condition::commutative, "commutative", "the operation is commutative",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.commutative) return {};
       return "it does not keep the order of the ranks, and the operation is not commutative";
     }},
    {Condition::no_fold, "no_fold", "the setting `reproducible` is off",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (!problem.left_fold) return {};
       return "it does not combine from left to right, as the setting `reproducible` demands";
     }},
    {Condition::equal_blocks, "equal_blocks", "all blocks have the same length",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.counts.empty() && problem.receive_counts.empty()) return {};
       return "its blocks must have one length";
     }},
    {Condition::known_counts, "known_counts",
     "every rank knows the counts (in tutti_scatterv and tutti_gatherv only if the setting "
     "`counts` "
     "is `all`)",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.counts_known) return {};
       return "only the root knows the counts, and ranks that forward blocks need them";
     }},
    {Condition::datagrams, "datagrams",
     "all ranks have joined a multicast group, which ranks on shared memory alone do not",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.datagrams) return {};
       return "it needs a multicast group that all ranks join when Tutti starts; the settings "
              "`multicast` and `transport` and a job's log (`log=info`) say why they do not";
     }},
    {Condition::nodes_in_order, "nodes_in_order", "the ranks of each node follow each other",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (std::is_sorted(problem.node.begin(), problem.node.end())) return {};
       return "the ranks of a node must follow each other";
     }},
    {Condition::tree_within, "tree_within",
     "the broadcast that `within` names is a tree: every rank gets one message",
     [](const Problem&, const Parameters& parameters) -> Reason {
       const Algorithm* const within = parameters.within.algorithm;
       if (!within || within->traits.tree) return {};
       return fmt::format(
           "within a node it also goes up a tree, and the broadcast '{}' is not a tree",
           within->name);
     }},
    {Condition::reduce_within, "reduce_within",
     "there is a reduce with the name that `within` gives",
     [](const Problem&, const Parameters& parameters) -> Reason {
       const Algorithm* const within = parameters.within.algorithm;
       if (!within || find(Collective::reduce, within->name)) return {};
       return fmt::format("within a node it also reduces, and there is no reduce '{}'",
                          within->name);
     }},
    {Condition::levels_apply, "levels_apply",
     "the algorithm of `within` applies to the ranks of each node, that of `across` to as many "
     "ranks as there are nodes",
     levels_do_not_apply},
    {Condition::torus, "torus",
     "all ranks have their neighbours at the same offsets on a torus, where combining saves "
     "messages; Tutti looks for one when it makes the communicator",
     [](const Problem& problem, const Parameters&) -> Reason {
       if (problem.neighbours && !problem.neighbours->torus.empty()) return {};
       return "there is no torus on which all ranks have their neighbours at the same offsets, and "
              "combining saves messages";
     }},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].condition != static_cast<Condition>(i)) return false;
  return true;
}
static_assert(in_order(), "a row for each condition");

const Row& row_of(Condition condition) { return kRows[index(condition)]; }

}  // namespace

std::string_view name_of(Condition condition) noexcept { return row_of(condition).name; }

std::string_view sentence_of(Condition condition) noexcept { return row_of(condition).sentence; }

std::vector<Condition> Conditions::each() const {
  std::vector<Condition> all;
  for (const Row& row : kRows)
    if (has(row.condition)) all.push_back(row.condition);
  return all;
}

std::optional<std::string> why_not(const Algorithm& algorithm, const Problem& problem,
                                   const Parameters& parameters) {
  for (const Condition condition : algorithm.needs.each())
    if (auto reason = row_of(condition).broken(problem, parameters)) return reason;
  return std::nullopt;
}

}  // namespace tutti::collectives
