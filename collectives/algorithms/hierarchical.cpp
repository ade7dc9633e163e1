// Hierarchical composition: within each node one algorithm, across the nodes' leaders another. A
// combinator: it plays the schedules of any two algorithms for the smaller groups. Ours: BEO's
// hierarchy (§5) is a grid without leaders, see grid.cpp. Pure.
#include <numeric>
#include <stdexcept>

#include "base/this_thread.hpp"
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

// The ranks of one level, and this rank's place among them; −1: it is not among them.
struct Group {
  std::vector<Rank> ranks;
  int mine = -1, root = 0;
};
struct Levels {
  Group within, across;
};

// The leader of a node is its first rank; on the root's node it is the root. Only leaders learn who
// the others are: `across` of another rank is empty.
Levels levels(const Problem& problem) {
  Levels all;
  const Rank root = is_rooted(problem.collective) ? problem.root : 0;
  const auto place = [](const std::vector<Rank>& ranks, Rank rank) {  // which ascend
    return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  };
  if (problem.node.empty()) {
    all.within.ranks.resize(index(problem.P));
    std::iota(all.within.ranks.begin(), all.within.ranks.end(), 0);
    all.within.mine = problem.rank;
    all.within.root = root;
    if (problem.rank == root) all.across = {{root}, 0, 0};
    return all;
  }
  const auto& nodes = problem.node.ranks();
  const int my_node = problem.node[index(problem.rank)];
  const int root_node = problem.node[index(root)];
  const auto leader_of = [&](int node) {
    return node == root_node ? root : nodes[index(node)].front();
  };
  all.within.ranks = nodes[index(my_node)];
  all.within.mine = place(all.within.ranks, problem.rank);
  all.within.root = place(all.within.ranks, leader_of(my_node));
  all.across.root = root_node;
  if (all.within.mine != all.within.root) return all;
  all.across.mine = my_node;
  all.across.ranks.reserve(nodes.size());
  for (int node = 0; node < static_cast<int>(nodes.size()); ++node)
    all.across.ranks.push_back(leader_of(node));
  return all;
}

Schedule part(const Problem& problem, const Group& group, Collective collective,
              const Nested& nested, std::string_view usual) {
  Problem smaller = problem;
  smaller.collective = collective;
  smaller.P = static_cast<int>(group.ranks.size());
  smaller.rank = group.mine;
  smaller.root = group.root;
  smaller.node.clear();
  smaller.counts.clear();
  const Algorithm* algorithm =
      nested.algorithm ? find(collective, nested.algorithm->name) : nullptr;
  if (!algorithm) algorithm = find(collective, usual);
  const Parameters parameters{.k = nested.k, .segment = 0};
  return algorithm->build(smaller, parameters);
}

auto copies(const Schedule& schedule) {
  return std::ranges::count_if(schedule.steps, [](const Step& step) {
    return step.kind == StepKind::copy && length_of(step) > 0;
  });
}

void broadcast_within(Builder& s, const Problem& problem, const Levels& level,
                      const Parameters& parameters) {
  Problem whole = problem;
  whole.bytes = s.output().length;
  s.play(part(whole, level.within, Collective::bcast, parameters.within, "linear"), {}, s.output(),
         level.within.ranks);
}

using Parents = std::vector<int>;

// From each rank the way up must end at the leader.
void require_tree(const Parents& parents) {
  const int count = static_cast<int>(parents.size());
  for (int at : parents)
    for (int hops = 0; at != -1; at = parents[index(at)])
      if (at < 0 || at >= count || ++hops > count)
        throw std::logic_error("the broadcast within a node is not a tree");
}

// The tree of the broadcast within a node: who sends to each of its ranks; −1: the leader. The last
// one stays, for whoever makes the schedules of all ranks one after another.
const Parents& tree_within(const Problem& problem, const Levels& level,
                           const Parameters& parameters) {
  struct Asked {
    std::size_t ranks = 0;
    int root = -1;
    Nested tree;
    bool operator==(const Asked&) const = default;
  };
  struct Kept {
    Asked last;
    Parents parents;
  };
  auto& [last, parents] = of_this_thread<Kept>();
  Group group = level.within;
  const Asked asked{group.ranks.size(), group.root, parameters.within};
  if (asked == last) return parents;
  Parents found;
  Problem whole = problem;
  whole.bytes = 1;
  for (group.mine = 0; group.mine < static_cast<int>(group.ranks.size()); ++group.mine) {
    int parent = -1;
    for (const Step& step :
         part(whole, group, Collective::bcast, parameters.within, "linear").steps)
      if (step.kind == StepKind::recv) parent = step.peer;
    found.push_back(parent);
  }
  require_tree(found);
  parents = std::move(found);
  last = asked;
  return parents;
}

}  // namespace

// The leaders broadcast among themselves, then each of them within its node.
Schedule bcast_hierarchical(const Problem& problem, const Parameters& parameters) {
  const Levels level = levels(problem);
  Builder s = solve(problem);
  if (level.across.mine >= 0)
    s.play(part(problem, level.across, Collective::bcast, parameters.across, "binomial"), {},
           s.output(), level.across.ranks);
  broadcast_within(s, problem, level, parameters);
  return s.finish();
}

// The mirror of that: each node reduces to its leader, the leaders reduce to the root.
Schedule reduce_hierarchical(const Problem& problem, const Parameters& parameters) {
  return mirror(bcast_hierarchical, problem, parameters);
}

// Reduce within the nodes, allreduce across them, broadcast within.
Schedule allreduce_hierarchical(const Problem& problem, const Parameters& parameters) {
  const Levels level = levels(problem);
  Builder s = solve(problem);
  Problem flat = problem;
  const auto across_in_place = [&](bool in_place) {
    flat.in_place = in_place;
    return part(flat, level.across, Collective::allreduce, parameters.across, "recursive-doubling");
  };
  const bool leader = level.across.mine >= 0;
  Slice reduced = leader ? s.output() : Slice{};  // the node's own result
  Schedule across;
  if (leader) across = across_in_place(true);
  // Where that ends beside the output, and is copied there, it may begin beside it instead.
  if (level.within.ranks.size() > 1 && copies(across) > 0) {
    Schedule beside = across_in_place(false);
    if (copies(beside) < copies(across)) {
      reduced = s.scratch(problem.bytes);
      across = std::move(beside);
    }
  }
  flat.in_place = false;
  s.play(part(flat, level.within, Collective::reduce, parameters.within, "linear"), s.input(),
         reduced, level.within.ranks);
  if (leader) s.play(across, reduced, s.output(), level.across.ranks);
  broadcast_within(s, problem, level, parameters);
  return s.finish();
}

// Gather within the nodes, block by block up the tree of the broadcast; allgather of whole nodes
// across; broadcast within. The ranks of a node must follow each other.
Schedule allgather_hierarchical(const Problem& problem, const Parameters& parameters) {
  const Levels level = levels(problem);
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  const std::vector<Rank>& ranks = level.within.ranks;
  const Parents& parent = tree_within(problem, level, parameters);
  const int me = level.within.mine;
  const bool leader = level.across.mine >= 0;
  if (leader) s.copy(s.input(), block[problem.rank]);
  const auto send_up = [&](const Slice& slice) {
    if (!leader) s.send(ranks[index(parent[index(me)])], slice);
  };
  for (int of = 0; of < static_cast<int>(ranks.size()); ++of) {
    if (of == me) {
      send_up(s.input());
      continue;
    }
    // From the ranks below: those that have this rank above them.
    int from = of;
    while (from >= 0 && parent[index(from)] != me) from = parent[index(from)];
    if (from < 0) continue;
    const Slice whole = block[ranks[index(of)]], place = leader ? whole : s.scratch(whole.length);
    s.recv(ranks[index(from)], place);
    send_up(place);
  }
  if (leader && level.across.ranks.size() > 1) {
    Problem nodes = problem;
    nodes.P = static_cast<int>(level.across.ranks.size());
    nodes.rank = level.across.mine;
    nodes.node.clear();
    nodes.in_place = true;
    nodes.counts.clear();
    for (std::size_t i = 0; i < level.across.ranks.size(); ++i) {
      const Rank from = level.across.ranks[i],
                 to = i + 1 < level.across.ranks.size() ? level.across.ranks[i + 1] : problem.P;
      nodes.counts.push_back(block.range(from, to - from).length);
    }
    const Algorithm* across = parameters.across.algorithm ? parameters.across.algorithm
                                                          : find(Collective::allgather, "ring");
    s.play(across->build(nodes, {.k = parameters.across.k, .segment = 0}), {}, s.output(),
           level.across.ranks);
  }
  broadcast_within(s, problem, level, parameters);
  return s.finish();
}

// Signals up the tree of the broadcast within, a barrier across, signals back.
Schedule barrier_hierarchical(const Problem& problem, const Parameters& parameters) {
  const Levels level = levels(problem);
  Builder s = solve(problem);
  const std::vector<Rank>& ranks = level.within.ranks;
  const Parents& parents = tree_within(problem, level, parameters);
  std::optional<Rank> parent;
  std::vector<Rank> children;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (parents[i] == level.within.mine) children.push_back(ranks[i]);
    if (static_cast<int>(i) == level.within.mine && parents[i] >= 0)
      parent = ranks[index(parents[i])];
  }
  up_and_down(s, parent, children, [&] {
    s.play(part(problem, level.across, Collective::barrier, parameters.across, "dissemination"), {},
           {}, level.across.ranks);
    s.round();
  });
  return s.finish();
}

}  // namespace tutti::collectives
