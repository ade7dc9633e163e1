// Prints what tests must know of each algorithm to force it and to judge what it refuses
// (harness/algorithms.py), as JSON with the members of `tutti list --json`. A program of its own,
// so that builds with sanitizers need no tools.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/algorithms/conditions.hpp"

using namespace tutti::collectives;

int main() {
  std::vector<std::string> all;
  for (const Algorithm& a : algorithms()) {
    std::vector<std::string> needs;
    for (const Condition condition : a.needs.each())
      needs.push_back(fmt::format("\"{}\"", name_of(condition)));
    all.push_back(fmt::format(
        R"({{"collective": "{}", "algorithm": "{}", "needs": [{}], "k": {}, "segment": {}, )"
        R"("levels": {}, "nodes": {}, "root": {}, "times": {}}})",
        name_of(a.collective), a.name, fmt::join(needs, ", "), a.traits.k, a.traits.segment,
        a.traits.levels, a.traits.nodes, a.traits.root, a.traits.times));
  }
  fmt::print("[{}]\n", fmt::join(all, ",\n"));
  return 0;
}
