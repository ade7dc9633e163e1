// What `tutti list` prints of where an algorithm applies, compared with what the registry answers.
#include "collectives/analysis/applicability.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace tutti;
using namespace tutti::collectives;

namespace {

std::vector<int> ranks_on_nodes(const Problem& problem) {
  std::vector<int> ranks;
  if (problem.node.empty()) ranks.push_back(problem.P);
  for (const int node : problem.node) {
    ranks.resize(std::max(ranks.size(), static_cast<std::size_t>(node) + 1));
    ++ranks[static_cast<std::size_t>(node)];
  }
  return ranks;
}

bool level_applies(const Nested& level, int ranks) {
  if (!level.algorithm || ranks == 1) return true;
  return !level.algorithm->not_applicable(
      {{.collective = level.algorithm->collective, .bytes = 64}, ranks}, {.k = level.k});
}

// What a reader takes each sentence to mean.
using Holds = bool (*)(const Problem&, const Parameters&);
const std::map<std::string, Holds>& sentences() {
  const Holds counts = [](const Problem& p, const Parameters&) { return p.counts_known; };
  static const std::map<std::string, Holds> all{
      {"the number of ranks is a power of two",
       [](const Problem& p, const Parameters&) { return (p.P & (p.P - 1)) == 0; }},
      {"the number of ranks is even",
       [](const Problem& p, const Parameters&) { return p.P % 2 == 0; }},
      {"the operation is commutative",
       [](const Problem& p, const Parameters&) { return p.commutative; }},
      {"the setting `reproducible` is off",
       [](const Problem& p, const Parameters&) { return !p.left_fold; }},
      {"all blocks have one length",
       [](const Problem& p, const Parameters&) {
         return p.counts.empty() && p.receive_counts.empty();
       }},
      {"the call is no tutti_scatterv, or the setting `counts` is `all`", counts},
      {"the call is no tutti_gatherv, or the setting `counts` is `all`", counts},
      {"all ranks have joined a multicast group, which ranks on shared memory alone do not",
       [](const Problem& p, const Parameters&) { return p.datagrams; }},
      {"the ranks of a node follow each other",
       [](const Problem& p, const Parameters&) {
         return std::is_sorted(p.node.begin(), p.node.end());
       }},
      {"what `within` names applies to the ranks of each node",
       [](const Problem& p, const Parameters& q) {
         const auto ranks = ranks_on_nodes(p);
         return std::all_of(ranks.begin(), ranks.end(),
                            [&](int on_one) { return level_applies(q.within, on_one); });
       }},
      {"what `across` names applies to as many ranks as there are nodes",
       [](const Problem& p, const Parameters& q) {
         return level_applies(q.across, static_cast<int>(ranks_on_nodes(p).size()));
       }},
      {"what `within` names sends every rank one message: it is a tree",
       [](const Problem&, const Parameters& q) {
         const std::set<std::string_view> others{"splitted-binary", "scatter-ring",
                                                 "scatter-recursive-doubling"};
         return !q.within.algorithm || !others.contains(q.within.algorithm->name);
       }},
      {"a reduce has the name of what `within` names",
       [](const Problem&, const Parameters& q) {
         return !q.within.algorithm || find(Collective::reduce, q.within.algorithm->name);
       }},
  };
  return all;
}

std::vector<Parameters> parameters_for(const Algorithm& algorithm) {
  std::vector<Parameters> all{{}};
  if (algorithm.has_k) all.push_back({.k = 3});
  if (!algorithm.has_levels) return all;
  const Collective across =
      algorithm.collective == Collective::reduce ? Collective::bcast : algorithm.collective;
  for (const Algorithm& level : algorithms()) {
    if (level.has_levels || level.name == "multicast") continue;  // which no choice can name
    if (level.collective == Collective::bcast) all.push_back({.within = {&level, 1}});
    if (level.collective == across) all.push_back({.across = {&level, 2}});
  }
  return all;
}

std::vector<Problem> problems_for(const Algorithm& algorithm, int P) {
  std::vector<Problem> all;
  std::vector<Bytes> lengths(static_cast<std::size_t>(P));
  for (int rank = 0; rank < P; ++rank) lengths[static_cast<std::size_t>(rank)] = 1 + rank % 3;
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
        for (int rank = 0; rank < P && per_node != 0; ++rank)
          problem.node.push_back(per_node > 0 ? rank / per_node : rank % -per_node);
        all.push_back(problem);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("applicability: what is printed is what the registry answers") {
  std::set<std::string> seen;
  for (const Algorithm& algorithm : algorithms()) {
    const std::vector<std::string> printed = conditions_of(algorithm);
    INFO(name_of(algorithm.collective) << " " << algorithm.name);
    for (const std::string& sentence : printed) {
      INFO(sentence);
      REQUIRE(sentences().count(sentence) == 1);
      seen.insert(sentence);
    }
    for (int P = 1; P <= 17; ++P) {
      for (const Problem& problem : problems_for(algorithm, P)) {
        for (const Parameters& parameters : parameters_for(algorithm)) {
          const bool expected =
              std::all_of(printed.begin(), printed.end(), [&](const std::string& sentence) {
                return sentences().at(sentence)(problem, parameters);
              });
          const auto reason = algorithm.not_applicable(problem, parameters);
          if (reason.has_value() == !expected) continue;
          FAIL("P=" << P << " commutative=" << problem.commutative
                    << " left_fold=" << problem.left_fold << " datagrams=" << problem.datagrams
                    << " counts=" << problem.counts.size() << " known=" << problem.counts_known
                    << " nodes=" << problem.node.size() << ": " << reason.value_or("applies"));
        }
      }
    }
  }
  CHECK(seen.size() == sentences().size());  // each is said of some algorithm
}
