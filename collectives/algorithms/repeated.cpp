// BEO's repeated operations: P broadcasts (allgather) or P reduces (reduce-scatter), one from or
// for each rank, which overlap. Pure.
//
// A rank runs them in the order of its text: a send goes only after all messages that the text has
// before it. That is what distinguishes the pipeline from the ring. Receives are posted at once, as
// by the MPI_Irecv() that the paper uses.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

class InTextOrder {
 public:
  explicit InTextOrder(Builder& s) : s_(s) {}
  void send(Rank to, const Slice& source) {
    wait();
    s_.send(to, source);
    before_.push_back(s_.last());
  }
  void recv(Rank from, const Slice& target) {
    s_.recv(from, target);
    before_.push_back(s_.last());
  }
  void recv_reduce(Rank from, const Slice& source, const Slice& target) {
    s_.recv_reduce(from, source, target);
    before_.push_back(s_.last());
  }
  // The next message, a receive too, waits for all before it.
  void wait() {
    for (const StepId step : before_) s_.after(step);
    before_.clear();
  }

 private:
  Builder& s_;
  std::vector<StepId> before_;  // the messages since the last one that waited, and that one
};

using Topology = Tree (*)(int P, Rank rank, Rank root);

Schedule broadcasts(const Problem& problem, Topology tree_of) {
  Builder s = solve(problem);
  InTextOrder text{s};
  const Blocks block = gathered(problem);
  for (Rank root = 0; root < problem.P; ++root) {
    const Tree tree = tree_of(problem.P, problem.rank, root);
    if (tree.parent) text.recv(*tree.parent, block[root]);
    for (const Rank child : tree.children) text.send(child, tree.parent ? block[root] : s.input());
  }
  s.copy(s.input(), block[problem.rank]);
  return s.finish();
}

// Each reduce is its broadcast backwards: the child that is served last reports first. Partial
// results alternate between two places, so that one can be sent while the next is made.
Schedule reduces(const Problem& problem, Topology tree_of) {
  return to_the_owners(problem, [&](Builder& s, const Blocks& block, const Slice& result) {
    InTextOrder text{s};
    const std::vector<Bytes> lengths = block.lengths();
    const Bytes longest = *std::max_element(lengths.begin(), lengths.end());
    Slice places[2];
    int turn = 0;
    for (Rank owner = 0; owner < problem.P; ++owner) {
      const Tree tree = tree_of(problem.P, problem.rank, owner);
      Slice held = block[owner], made = result;
      if (tree.parent && !tree.children.empty()) {
        Slice& place = places[turn++ % 2];
        if (place.length == 0) place = s.scratch(longest);
        made = {place.buffer, place.offset, held.length};
      }
      for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
        text.recv_reduce(*child, std::exchange(held, made), made);
      if (tree.parent)
        text.send(*tree.parent, held);
      else
        s.copy(held, made);
    }
  });
}

// P stages: in stage i all others send to rank i, which takes their messages one after another, its
// right neighbour's first. Rank i goes on to stage i + 1 when it has them all, so that the ranks
// finish one after another (figure 7).
template <class Send, class Receive>
void full_fan_in(InTextOrder& text, int P, Rank r, Send&& send, Receive&& receive) {
  for (Rank stage = 0; stage < P; ++stage) {
    if (stage != r) {
      send(stage);
      continue;
    }
    for (int i = 1; i < P; ++i) {
      text.wait();
      receive(mod(r + i, P));
    }
  }
}

}  // namespace

// Repeated binary tree: BEO §3.3.5. P broadcasts down the binomial tree whose root sends to r + P/2
// first (the paper calls it binary: the root sends log2 P messages). Any P.
Schedule allgather_repeated_binary_tree(const Problem& problem, const Parameters&) {
  return broadcasts(problem, splitting);
}
// P reduces up that tree. Commutative only.
Schedule reduce_scatter_repeated_binary_tree(const Problem& problem, const Parameters&) {
  return reduces(problem, splitting);
}

// Pipeline: BEO §3.3.6. P broadcasts along chains: a rank starts its own only after it has passed
// on the data of the ranks before it. About 3(P−1) messages one after another where the ring has
// P−1. Any P.
Schedule allgather_pipeline(const Problem& problem, const Parameters&) {
  return broadcasts(problem, chain);
}
// "It is similar except each node adds its portion of the destination data to the combined data
// before passing it on": the chain of a block begins at the right neighbour of its owner, and ends
// at the owner. Commutative only.
Schedule reduce_scatter_pipeline(const Problem& problem, const Parameters&) {
  return reduces(problem, [](int P, Rank rank, Rank owner) {
    Tree chain;
    if (rank != owner) chain.parent = mod(rank + 1, P);
    if (P > 1 && rank != mod(owner + 1, P)) chain.children = {mod(rank - 1, P)};
    return chain;
  });
}

// Full fan-in: BEO §3.3.7. P stages of P−1 messages. Any P.
Schedule allgather_full_fan_in(const Problem& problem, const Parameters&) {
  Builder s = solve(problem);
  InTextOrder text{s};
  const Blocks block = gathered(problem);
  full_fan_in(
      text, problem.P, problem.rank, [&](Rank to) { text.send(to, s.input()); },
      [&](Rank from) { text.recv(from, block[from]); });
  s.copy(s.input(), block[problem.rank]);
  return s.finish();
}
// Commutative only.
Schedule reduce_scatter_full_fan_in(const Problem& problem, const Parameters&) {
  return to_the_owners(problem, [&](Builder& s, const Blocks& block, const Slice& result) {
    InTextOrder text{s};
    Slice held = block[problem.rank];
    full_fan_in(
        text, problem.P, problem.rank, [&](Rank to) { text.send(to, block[to]); },
        [&](Rank from) { text.recv_reduce(from, std::exchange(held, result), result); });
    s.copy(held, result);
  });
}

}  // namespace tutti::collectives
