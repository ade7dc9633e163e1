// The trees, each from its definition. Pure.
#include "collectives/topology.hpp"

#include "collectives/builder.hpp"

namespace tutti::collectives {
namespace {

void adopt(Tree& tree, int P, Rank root, Range subtree, int round) {
  tree.children.push_back(mod(subtree.first + root, P));
  tree.subtrees.push_back(subtree);
  tree.rounds.push_back(round);
}

}  // namespace

Tree flat(int P, Rank rank, Rank root) {
  Tree tree;
  const int v = mod(rank - root, P);
  tree.own = {v, v == 0 ? P : 1};
  if (v != 0) {
    tree.parent = root;
    tree.round = 0;
    return tree;
  }
  for (int child = 1; child < P; ++child) adopt(tree, P, root, {child, 1}, 0);
  return tree;
}

Tree chain(int P, Rank rank, Rank root) {
  Tree tree;
  const int v = mod(rank - root, P);
  tree.own = {v, P - v};
  tree.round = v - 1;
  if (v != 0) tree.parent = mod(rank - 1, P);
  if (v != P - 1) adopt(tree, P, root, {v + 1, P - v - 1}, v);
  return tree;
}

// IB prints a listing that uses names it never defines (`addstride`, `startnode`) and overwrites `size` inside its own
// loop; its figure 5.5 and its text agree with each other, and this follows them: the holder h has itself and
// the ranks [next, end). The first children get the first of these, the holder keeps the last ones.
// The root's walk to `rank` visits one holder per round: O(k log P).
Tree binomial(int P, Rank rank, Rank root, int k) {
  Tree tree;
  const int v = mod(rank - root, P);
  int holder = 0, next = 1, end = P;
  tree.own = {0, P};
  for (int round = 0; next < end; ++round) {
    const int held = 1 + end - next;
    const int part = held / (k + 1),
              longer = held % (k + 1);  // the first `longer` parts, the holder's own first of all
    int first = next;
    next = end - (part + (longer > 0 ? 1 : 0) - 1);
    for (int child = 1; child <= k && first < next; ++child) {
      const Range subtree{first, part + (child < longer ? 1 : 0)};
      first += subtree.count;
      if (holder == v) {
        adopt(tree, P, root, subtree, round);
      } else if (v >= subtree.first && v < first) {
        tree.parent = mod(holder + root, P);
        tree.round = round;
        tree.own = subtree;
        holder = subtree.first;
        next = subtree.first + 1;
        end = first;
        break;
      }
    }
  }
  return tree;
}

int rounds_to_reach(int P, int base) noexcept {
  int rounds = 0;
  for (long long reached = 1; reached < P; reached *= base) ++rounds;
  return rounds;
}

}  // namespace tutti::collectives
