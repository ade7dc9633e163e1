// Conditions: why_not() answers what the flags of each algorithm promise.
#include "collectives/algorithms/conditions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "collectives/algorithms/catalogue.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

std::vector<int> ranks_on_nodes(const Problem& problem) {
  std::vector<int> ranks;
  if (problem.node.empty()) ranks.push_back(problem.P);
  for (const int node : problem.node) {
    ranks.resize(std::max(ranks.size(), index(node) + 1));
    ++ranks[index(node)];
  }
  return ranks;
}

bool level_applies(const Nested& level, int ranks) {
  if (!level.algorithm || ranks == 1) return true;
  return !why_not(*level.algorithm,
                  {{.collective = level.algorithm->collective, .bytes = 64}, ranks},
                  {.k = level.k});
}

// Each condition as a reader understands its name, written independently of conditions.cpp.
using Holds = bool (*)(const Problem&, const Parameters&);
const std::map<Condition, Holds>& meanings() {
  static const std::map<Condition, Holds> all{
      {Condition::power_of_two,
       [](const Problem& p, const Parameters&) { return (p.P & (p.P - 1)) == 0; }},
      {Condition::even_ranks, [](const Problem& p, const Parameters&) { return p.P % 2 == 0; }},
      {Condition::commutative, [](const Problem& p, const Parameters&) { return p.commutative; }},
      {Condition::no_fold, [](const Problem& p, const Parameters&) { return !p.left_fold; }},
      {Condition::equal_blocks,
       [](const Problem& p, const Parameters&) {
         return p.counts.empty() && p.receive_counts.empty();
       }},
      {Condition::known_counts, [](const Problem& p, const Parameters&) { return p.counts_known; }},
      {Condition::datagrams, [](const Problem& p, const Parameters&) { return p.datagrams; }},
      {Condition::nodes_in_order,
       [](const Problem& p, const Parameters&) {
         return std::is_sorted(p.node.begin(), p.node.end());
       }},
      {Condition::tree_within,
       [](const Problem&, const Parameters& q) {
         const std::set<std::string_view> others{"splitted-binary", "scatter-ring",
                                                 "scatter-recursive-doubling"};
         return !q.within.algorithm || !others.contains(q.within.algorithm->name);
       }},
      {Condition::reduce_within,
       [](const Problem&, const Parameters& q) {
         return !q.within.algorithm || find(Collective::reduce, q.within.algorithm->name);
       }},
      {Condition::levels_apply,
       [](const Problem& p, const Parameters& q) {
         const auto ranks = ranks_on_nodes(p);
         return level_applies(q.across, static_cast<int>(ranks.size())) &&
                std::all_of(ranks.begin(), ranks.end(),
                            [&](int on_one) { return level_applies(q.within, on_one); });
       }},
      {Condition::torus,
       [](const Problem& p, const Parameters&) {
         return p.neighbours.has_value() && !p.neighbours->torus.empty();
       }},
  };
  return all;
}

std::vector<Parameters> parameters_for(const Algorithm& algorithm) {
  std::vector<Parameters> all{{}};
  if (algorithm.traits.k) all.push_back({.k = 3});
  if (!algorithm.traits.levels) return all;
  const Collective across =
      algorithm.collective == Collective::reduce ? Collective::bcast : algorithm.collective;
  for (const Algorithm& level : algorithms()) {
    if (level.traits.levels || level.name == "multicast") continue;  // which no choice can name
    if (level.collective == Collective::bcast) all.push_back({.within = {&level, 1}});
    if (level.collective == across) all.push_back({.across = {&level, 2}});
  }
  return all;
}

std::vector<Problem> problems_for(const Algorithm& algorithm, int P) {
  std::vector<Problem> all;
  std::vector<Bytes> lengths(index(P));
  for (int rank = 0; rank < P; ++rank) lengths[index(rank)] = 1 + rank % 3;
  for (int flags = 0; flags < 8; ++flags) {
    for (int counts = 0; counts < (has_blocks(algorithm.collective) ? 3 : 1); ++counts) {
      for (const int per_node :
           {0, 1, 3, 4,
            -2}) {  // 0: nothing is said of nodes; -2: the ranks of two are dealt in turn
        Problem problem{{.collective = algorithm.collective, .bytes = 64}, P};
        problem.commutative = (flags & 1) == 0;
        problem.left_fold = (flags & 2) != 0;
        problem.datagrams = (flags & 4) == 0;
        if (counts > 0) problem.counts = problem.receive_counts = lengths;
        problem.counts_known = counts < 2;
        if (is_of_neighbours(algorithm.collective) && flags > 0)
          problem.neighbours = Neighbourhood{{0}, {0}, false, flags == 1 ? Torus{} : Torus{P}};
        for (int rank = 0; rank < P && per_node != 0; ++rank)
          problem.node.push_back(per_node > 0 ? rank / per_node : rank % -per_node);
        all.push_back(problem);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("conditions: an algorithm runs what its flags say, and nothing else", "[conditions]") {
  std::set<Condition> seen;
  for (const Algorithm& algorithm : algorithms()) {
    const std::vector<Condition> needs = algorithm.needs.each();
    seen.insert(needs.begin(), needs.end());
    INFO(name_of(algorithm.collective) << " " << algorithm.name);
    for (int P = 1; P <= tests::unless_sanitized(17, 5); ++P) {
      for (const Problem& problem : problems_for(algorithm, P)) {
        for (const Parameters& parameters : parameters_for(algorithm)) {
          const bool expected = std::all_of(needs.begin(), needs.end(), [&](Condition condition) {
            return meanings().at(condition)(problem, parameters);
          });
          const auto reason = why_not(algorithm, problem, parameters);
          if (reason.has_value() == !expected) continue;
          FAIL("P=" << P << " commutative=" << problem.commutative
                    << " left_fold=" << problem.left_fold << " datagrams=" << problem.datagrams
                    << " counts=" << problem.counts.size() << " known=" << problem.counts_known
                    << " nodes=" << problem.node.size() << ": " << reason.value_or("applies"));
        }
      }
    }
  }
  CHECK(seen.size() == meanings().size());  // each is asked by some algorithm
  CHECK(seen.size() == kConditions);
}

TEST_CASE("conditions: each has a name and a sentence of its own", "[conditions]") {
  std::set<std::string_view> names, sentences;
  for (const auto& [condition, holds] : meanings()) {
    names.insert(name_of(condition));
    sentences.insert(sentence_of(condition));
  }
  CHECK(names.size() == kConditions);
  CHECK(sentences.size() == kConditions);
  CHECK_FALSE(names.contains(""));
  CHECK_FALSE(sentences.contains(""));
}

TEST_CASE("conditions: sets", "[conditions]") {
  constexpr Conditions none, two = Condition::no_fold | Condition::even_ranks;
  CHECK(none.each().empty());
  CHECK(two.each() == std::vector<Condition>{Condition::even_ranks, Condition::no_fold});
  CHECK(two.has(Condition::no_fold));
  CHECK_FALSE(two.has(Condition::commutative));
}

TEST_CASE("conditions: hierarchical algorithms say of which level they speak", "[conditions]") {
  const Algorithm& barrier = *find(Collective::barrier, "hierarchical");
  const auto why = [&](std::string_view within, std::string_view across) {
    Problem problem{{}, 6};
    problem.node = {0, 0, 0, 1, 1, 2};
    return why_not(barrier, problem,
                   {.within = {find(Collective::bcast, within)},
                    .across = {find(Collective::barrier, across)}})
        .value_or("");
  };
  CHECK(why("binomial", "dissemination").empty());
  CHECK(why("bine", "dissemination") == "within a node: it needs a power of two of ranks, not 3");
  CHECK(why("scatter-ring", "dissemination") ==
        "within a node it also goes up a tree, and the broadcast 'scatter-ring' is not a tree");
  const auto across = why_not(*find(Collective::bcast, "hierarchical"),
                              {{.collective = Collective::bcast}, 3, 0, true, {0, 1, 2}},
                              {.across = {find(Collective::bcast, "bine")}});
  CHECK(across == "across the nodes: it needs a power of two of ranks, not 3");
}
