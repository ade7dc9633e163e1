// Asks algorithms where they apply. Pure.
#include "collectives/analysis/applicability.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace tutti::collectives {
namespace {

constexpr int kMostRanks = 17;

Problem plain(const Algorithm& algorithm, int P) {
  return {{.collective = algorithm.collective, .bytes = 64}, P};
}

bool applies(const Algorithm& algorithm, const Problem& problem,
             const Parameters& parameters = {}) {
  return !algorithm.not_applicable(problem, parameters);
}

// Whether there is a number of ranks to which it applies, but no more once `change` was made.
template <class Change>
bool minds(const Algorithm& algorithm, const Change& change) {
  for (int P = 2; P <= kMostRanks; ++P) {
    Problem problem = plain(algorithm, P);
    if (!applies(algorithm, problem)) continue;
    Parameters parameters;
    change(problem, parameters);
    if (!applies(algorithm, problem, parameters)) return true;
  }
  return false;
}

std::string about_ranks(const Algorithm& algorithm) {
  std::vector<int> ranks, powers, even;
  for (int P = 1; P <= kMostRanks; ++P) {
    if (applies(algorithm, plain(algorithm, P))) ranks.push_back(P);
    if ((P & (P - 1)) == 0) powers.push_back(P);
    if (P % 2 == 0) even.push_back(P);
  }
  if (ranks.size() == kMostRanks) return {};
  if (ranks == powers) return "the number of ranks is a power of two";
  if (ranks == even) return "the number of ranks is even";
  return fmt::format("the number of ranks is {} (of those up to {})", fmt::join(ranks, ", "),
                     kMostRanks);
}

std::vector<Bytes> growing(int P) {
  std::vector<Bytes> counts(static_cast<std::size_t>(P));
  std::iota(counts.begin(), counts.end(), Bytes{1});
  return counts;
}

template <class Visit>
void for_levels(Collective collective, const Visit& visit) {
  for (const Algorithm& level : algorithms())
    if (level.collective == collective && can_be_level(level)) visit(level);
}

void add_levels(const Algorithm& algorithm, std::vector<std::string>& all) {
  bool within = false, across = false, named = false;
  for_levels(Collective::bcast, [&](const Algorithm& level) {
    const auto use = [&](Problem&, Parameters& parameters) {
      parameters.within.algorithm = &level;
    };
    const bool by_itself = minds(level, [](Problem& problem, Parameters&) { problem.P = 6; });
    if (minds(algorithm, use)) (by_itself ? within : named) = true;
  });
  for_levels(across_of(algorithm.collective), [&](const Algorithm& level) {
    across = across || minds(algorithm, [&](Problem& problem, Parameters& parameters) {
               for (int rank = 0; rank < problem.P; ++rank) problem.node.push_back(rank);
               parameters.across.algorithm = &level;
             });
  });
  if (within) all.emplace_back("what `within` names applies to the ranks of each node");
  if (named)
    all.emplace_back(algorithm.collective == Collective::allreduce
                         ? "a reduce has the name of what `within` names"
                         : "what `within` names sends every rank one message: it is a tree");
  if (across) all.emplace_back("what `across` names applies to as many ranks as there are nodes");
}

}  // namespace

std::vector<std::string> conditions_of(const Algorithm& algorithm) {
  std::vector<std::string> all;
  const Collective collective = algorithm.collective;
  if (std::string ranks = about_ranks(algorithm); !ranks.empty()) all.push_back(std::move(ranks));
  const auto ask = [&](const char* condition, const auto& change) {
    if (minds(algorithm, [&](Problem& problem, Parameters&) { change(problem); }))
      all.emplace_back(condition);
  };
  if (reduces(collective)) {
    ask("the operation is commutative", [](Problem& problem) { problem.commutative = false; });
    ask("the setting `reproducible` is off", [](Problem& problem) { problem.left_fold = true; });
  }
  if (has_blocks(collective))
    ask("all blocks have one length",
        [](Problem& problem) { problem.counts = problem.receive_counts = growing(problem.P); });
  if (collective == Collective::scatter || collective == Collective::gather)
    ask(collective == Collective::scatter
            ? "the call is no tutti_scatterv, or the setting `counts` is `all`"
            : "the call is no tutti_gatherv, or the setting `counts` is `all`",
        [](Problem& problem) {
          problem.counts = growing(problem.P);
          problem.counts_known = false;
        });
  ask("all ranks have joined a multicast group, which ranks on shared memory alone do not",
      [](Problem& problem) { problem.datagrams = false; });
  ask("the ranks of a node follow each other", [](Problem& problem) {
    for (int rank = 0; rank < problem.P; ++rank) problem.node.push_back(rank % 2);
  });
  if (algorithm.has_levels) add_levels(algorithm, all);
  return all;
}

}  // namespace tutti::collectives
