// Collectives made of messages on the wire that is measured, whose time models are fitted to.
#include <algorithm>

#include "base/index.hpp"
#include "src/api/library.hpp"
#include "tools/bench/bench.hpp"
#include "tools/measure/measure.hpp"
#include "tools/measure/sampler.hpp"

namespace tutti::tools {
namespace {

using collectives::Tree;
using Exchanges = std::vector<std::unique_ptr<Exchange>>;

std::vector<Message> if_any(bool any, Rank peer, bool sent) {
  return any ? std::vector{Message{peer, sent}} : std::vector<Message>{};
}

// A rank that hears in the last round.
Rank last_of(const Broadcast& what, int P) {
  Rank last = 0;
  for (Rank rank = 0; rank < P; ++rank)
    if (what.tree_of(P, rank).round >= what.tree_of(P, last).round) last = rank;
  return last;
}

// An exchange for each round, which has both ends of each of its messages: one rank's part of it is
// the message from its parent, or those to children, or none.
Exchanges down_tree(Wire& wire, const Broadcast& what, int P, Rank me) {
  const int rounds = what.tree_of(P, last_of(what, P)).round + 1;
  const Tree tree = what.tree_of(P, me);
  Exchanges all;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Message> messages = if_any(tree.round == round, tree.parent.value_or(0), false);
    for (std::size_t i = 0; i < tree.children.size(); ++i)
      if (tree.rounds[i] == round) messages.push_back({tree.children[i], true});
    all.push_back(wire.exchange(messages, what.bytes, what.spread));
  }
  return all;
}

}  // namespace

models::Median measure_broadcast(tutti_comm comm, Wire& wire, const Broadcast& what,
                                 double seconds) {
  const int P = communicator_of(comm).size(), me = communicator_of(comm).rank();
  const Exchanges down = down_tree(wire, what, P, me);
  const Rank last = last_of(what, P);
  const auto reply = wire.exchange(if_any(me == 0 || me == last, me == 0 ? last : 0, me != 0), 0);
  models::Median all = Sampler(comm, seconds).sample([&](int calls) {
    return std::vector{timed([&] {
      for (int i = 0; i < calls; ++i) {
        for (const auto& one : down) one->run();
        reply->run();
      }
    })};
  })[0];
  for (double* const value : {&all.value, &all.low, &all.high})
    *value = std::max(0.0, *value - what.answer);
  return all;
}

models::Median measure_flat_barrier(tutti_comm comm, Wire& wire, double seconds) {
  const Communicator& communicator = communicator_of(comm);
  const bool root = communicator.rank() == 0;
  std::vector<Message> up, down;
  for (Rank peer = root ? 1 : 0; peer < (root ? communicator.size() : 1); ++peer) {
    up.push_back({peer, !root});
    down.push_back({peer, root});
  }
  const auto signals = wire.exchange(up, 0), answers = wire.exchange(down, 0);
  return Sampler(comm, seconds).sample([&](int calls) {
    return std::vector{timed([&] {
      for (int i = 0; i < calls; ++i) {
        signals->run();
        answers->run();
      }
    })};
  })[0];
}

}  // namespace tutti::tools
