// The built-in table. Three kinds of machine, three prices:
//   hardware wire   The adapter works and ranks wait: the critical path counts, that is rounds,
//   then
//                   bytes per rank.
//   software wire   The CPU on which ranks compute makes the packets: the sum of packets and bytes
//                   counts.
//   oversubscribed  Ranks take turns on a core: every message for which a rank must be woken
//   counts.
// Pure.
#include "collectives/selection/table.hpp"

#include <cassert>
#include <optional>

#include "base/bits.hpp"

namespace tutti::collectives {
namespace {

// Signals that an adapter sends at once nearly for free (IB's f). With k = 3 a round reaches four
// times as many ranks; k = 4 and more save a round only for few P, and cost time in each round.
constexpr int kBarrierFanout = 3;

// Broadcast: below this latency counts; from here on bytes do, and each should leave each rank
// once.
constexpr Bytes kPipelineFrom = 256 * 1024;
// Long enough for full bandwidth, short against the message.
constexpr Bytes kPipelineSegment = 64 * 1024;
constexpr int kPipelineRanks = 3;  // with fewer, the chain has nothing to overlap

// Allgather on a hardware wire: up to this total result, rounds count more than bytes and copies.
constexpr Bytes kBruckUpTo = 32 * 1024;
// The bytes are the same for all k; IB §7 found k > 1 slower.
constexpr int kBruckFanout = 1;

// Gather and broadcast move (P−1)(P+1)m bytes instead of an allgather's P(P−1)m, but in 2(P−1)
// messages instead of P·log P or P(P−1): this pays as long as every message is one packet.
constexpr Bytes kOnePacket = 1024;
// Up to this total, messages of several blocks need fewer packets than the ring's single blocks.
constexpr Bytes kShareOfPackets = 128 * 1024;

// Broadcast on a software wire, measured over rxe with four ranks: up to here the binomial tree is
// faster, beyond it the flat one.
constexpr Bytes kSmallTree = 2 * 1024;
constexpr Bytes kTreeUpTo = 2 * 1024;  // scatter and gather: longest block that is worth handing on
constexpr int kTreeFanout = 3;
constexpr Bytes kBruckBlock = 256;          // alltoall: longest block for Bruck
constexpr Bytes kPairwiseFrom = 32 * 1024;  // alltoall: shortest block for pairwise
constexpr Bytes kDoublingUpTo = 8 * 1024;   // allreduce: longest message worth sending log2 P times

Choice named(Collective collective, std::string_view name, std::string_view reason,
             Parameters parameters = {}) {
  const Choice choice{find(collective, name), parameters, false, reason};
  assert(choice.algorithm != nullptr);
  return choice;
}

Choice select_barrier(const Facts& facts) {
  constexpr auto barrier = Collective::barrier;
  if (facts.P <= 2)
    return named(barrier, "dissemination", "two ranks: one signal each way is the least");
  if (facts.software_wire)
    return named(barrier, "flat-tree", "packets cost CPU: 2(P-1) is the fewest");
  if (facts.oversubscribed)
    return named(barrier, "flat-tree", "more ranks than cores: each rank is woken once");
  const int k = facts.P - 1 < kBarrierFanout ? facts.P - 1 : kBarrierFanout;
  return named(barrier, "dissemination", "the wire works by itself: the fewest rounds", {.k = k});
}

Choice select_bcast(Bytes bytes, const Facts& facts) {
  constexpr auto bcast = Collective::bcast;
  if (facts.P <= 2) return named(bcast, "linear", "two ranks: one message");
  if (facts.software_wire) {
    const bool middling = bytes > kSmallTree && bytes < kPipelineFrom;
    return named(bcast, middling ? "linear" : "binomial",
                 "packets cost CPU: P-1 messages in any tree; this tree waits least at this size");
  }
  if (facts.oversubscribed && bytes < kPipelineFrom) {
    return named(
        bcast, "linear",
        "more ranks than cores: nobody waits for a rank that must be woken first to forward");
  }
  if (bytes >= kPipelineFrom && facts.P >= kPipelineRanks && !facts.oversubscribed) {
    return named(bcast, "chain", "bytes cost most: each leaves each rank once, pipelined",
                 {.segment = kPipelineSegment});
  }
  return named(bcast, "binomial", "few bytes: the fewest rounds");
}

Choice few_messages(const Facts& facts) {
  constexpr auto allgather = Collective::allgather;
  if (is_power_of_two(facts.P))
    return named(allgather, "recursive-doubling", "log2 P rounds, and not one copy");
  return named(allgather, "bruck", "the fewest rounds for any P", {.k = kBruckFanout});
}

Choice select_allgather(Bytes bytes, const Facts& facts) {
  constexpr auto allgather = Collective::allgather;
  const Bytes total = facts.P * bytes;
  if (facts.P <= 2)
    return named(allgather, "recursive-doubling", "two ranks: one exchange, straight into place");
  if ((facts.software_wire || facts.oversubscribed) && total <= kOnePacket) {
    return named(allgather, "gather-bcast",
                 "few bytes: 2(P-1) messages are the fewest, and each rank is woken once");
  }
  if (facts.software_wire && total <= kShareOfPackets) return few_messages(facts);
  if (facts.oversubscribed)
    return named(allgather, "modified-ring",
                 "more ranks than cores: no rank waits for another to forward");
  if (!facts.software_wire && total <= kBruckUpTo) return few_messages(facts);
  return named(allgather, "ring",
               "many bytes: each link carries each block once, between neighbours");
}

Choice select_rooted_blocks(const Problem& problem, Bytes bytes, const Facts& facts) {
  const Collective collective = problem.collective;
  if (!problem.counts_known) return named(collective, "linear", "only the root knows the counts");
  if (facts.P <= 2) return named(collective, "linear", "two ranks: one message");
  if (facts.oversubscribed)
    return named(collective, "linear",
                 "more ranks than cores: no rank waits for another to hand on");
  if (facts.software_wire)
    return named(collective, "linear", "packets cost CPU: each block crosses the wire once");
  if (bytes <= kTreeUpTo && facts.P >= 8)
    return named(collective, "binomial", "few bytes: the fewest rounds", {.k = kTreeFanout});
  return named(collective, "linear",
               "many bytes: each block leaves the root once and is not copied");
}

Choice select_alltoall(const Problem& problem, Bytes bytes, const Facts& facts) {
  constexpr auto alltoall = Collective::alltoall;
  const bool equal = problem.counts.empty();
  if (!equal)
    return named(alltoall, "at-once", "lengths differ: each block goes straight to its place");
  if (facts.P >= 16 && bytes <= kBruckBlock && !facts.oversubscribed)
    return named(alltoall, "bruck", "short blocks: log2 P messages instead of P-1");
  if (facts.P > 8 && bytes >= kPairwiseFrom)
    return named(alltoall, "pairwise", "long blocks: one partner at a time, no port is flooded");
  return named(alltoall, "at-once", "all at once: nothing waits");
}

Choice select_reduce(const Problem& problem, const Facts& facts) {
  constexpr auto reduce = Collective::reduce;
  if (problem.left_fold) return named(reduce, "linear", "reproducible: from left to right");
  if (facts.P <= 2) return named(reduce, "linear", "two ranks: one message");
  if (problem.bytes >= kPipelineFrom && problem.commutative && facts.P >= kPipelineRanks &&
      !facts.oversubscribed)
    return named(reduce, "reduce-scatter-gather", "many bytes: every rank combines its share");
  if (facts.oversubscribed && problem.bytes < kPipelineFrom)
    return named(reduce, "linear",
                 "more ranks than cores: nobody waits for a rank that must be woken first");
  return named(reduce, "tau-binomial", "the fewest rounds, and the order of ranks is kept");
}

Choice select_allreduce(const Problem& problem, const Facts& facts) {
  constexpr auto allreduce = Collective::allreduce;
  if (problem.left_fold)
    return named(allreduce, "reduce-bcast-linear", "reproducible: from left to right");
  const Bytes bytes = problem.bytes;
  if (facts.P <= 2) return named(allreduce, "recursive-doubling", "two ranks: one exchange");
  const bool power_of_two = is_power_of_two(facts.P);
  if ((facts.software_wire || facts.oversubscribed) && bytes <= kOnePacket)
    return named(allreduce, "reduce-bcast-linear",
                 "few bytes: 2(P-1) messages are the fewest, and each rank is woken once");
  if (bytes <= kDoublingUpTo || !problem.commutative)
    return named(allreduce, "recursive-doubling", "few bytes: the fewest rounds");
  if (facts.oversubscribed && !facts.software_wire)
    return named(allreduce, "full-fan-out",
                 "more ranks than cores: two rounds, and every rank combines its share");
  if (power_of_two)
    return named(allreduce, "halving-doubling",
                 "many bytes: the fewest bytes in the fewest rounds");
  return named(
      allreduce, "circulant",
      "many bytes, and P is no power of two: the fewest bytes, in 2 log2 P rounds all the same");
}

Choice select_reduce_scatter(const Problem& problem, Bytes bytes, const Facts& facts) {
  constexpr auto reduce_scatter = Collective::reduce_scatter;
  if (!problem.commutative || problem.left_fold)
    return named(reduce_scatter, "linear", "keeps the order of ranks");
  const bool power_of_two = is_power_of_two(facts.P);
  if (facts.P > 2 && facts.software_wire && bytes * facts.P <= kShareOfPackets)
    return named(reduce_scatter, "recursive-halving",
                 "packets cost CPU: log2 P messages a rank instead of P-1");
  if (facts.P > 2 && power_of_two && bytes * facts.P <= kDoublingUpTo && !facts.oversubscribed)
    return named(reduce_scatter, "recursive-halving", "few bytes: the fewest rounds");
  return named(reduce_scatter, "full-fan-out",
               "each contribution goes straight to where it is combined");
}

Choice select_scan(const Problem& problem, const Facts& facts) {
  if (problem.left_fold || facts.P <= 4 || facts.oversubscribed || facts.software_wire)
    return named(problem.collective, "linear", "the fewest messages: P-1, from left to right");
  return named(problem.collective, "recursive-doubling", "the fewest rounds");
}

Choice select_flat(const Problem& problem, const Facts& facts) {
  const Bytes bytes = typical_bytes(problem);
  switch (problem.collective) {
    case Collective::barrier: return select_barrier(facts);
    case Collective::bcast: return select_bcast(bytes, facts);
    case Collective::scatter:
    case Collective::gather: return select_rooted_blocks(problem, bytes, facts);
    case Collective::allgather: return select_allgather(bytes, facts);
    case Collective::alltoall: return select_alltoall(problem, bytes, facts);
    case Collective::reduce: return select_reduce(problem, facts);
    case Collective::allreduce: return select_allreduce(problem, facts);
    case Collective::reduce_scatter: return select_reduce_scatter(problem, bytes, facts);
    case Collective::scan:
    case Collective::exscan: return select_scan(problem, facts);
  }
  return {};
}

// A level takes an algorithm and its fanout. It does not cut messages, and a chain is only good if
// they are cut.
Nested nested(const Choice& choice) {
  if (choice.parameters.segment != 0) return {find(Collective::bcast, "binomial"), 1};
  return {choice.algorithm, choice.parameters.k};
}

// Where several nodes have several ranks each, a message within a node costs a small part of one
// between nodes. So each node speaks with one voice: what crosses the wire is chosen for as many
// ranks as there are nodes, what stays within for as many as a node has. Messages that are worth
// cutting are better off in one pipeline of all ranks; but where packets cost CPU, data that all
// ranks get should enter each node once, however long it is.
std::optional<Choice> select_by_level(const Problem& problem, const Facts& facts) {
  const bool levels = facts.nodes > 1 && facts.max_ranks_per_node > 1;
  const Algorithm* const hierarchical = find(problem.collective, "hierarchical");
  const bool for_all =
      problem.collective == Collective::bcast || problem.collective == Collective::allgather;
  const bool any_length = facts.software_wire && for_all;
  if (!levels || !hierarchical || problem.counts.size() > 1 ||
      (typical_bytes(problem) >= kPipelineFrom && !any_length))
    return std::nullopt;
  const auto part = [&](Collective collective, int ranks) {
    Problem smaller = problem;
    smaller.collective = collective;
    smaller.P = ranks;
    smaller.node.clear();
    if (collective == Collective::allgather) smaller.bytes *= facts.max_ranks_per_node;
    return smaller;
  };
  Facts across = facts, within = facts;
  across.P = across.nodes;
  across.max_ranks_per_node = 1;
  within.P = facts.max_ranks_per_node;
  within.nodes = 1;
  within.software_wire = false;
  Choice choice{hierarchical,
                {},
                false,
                "several ranks on each of several nodes: each node speaks with one voice"};
  choice.parameters.across =
      nested(select_flat(part(across_of(problem.collective), across.P), across));
  choice.parameters.within = nested(select_flat(part(Collective::bcast, within.P), within));
  if (why_not(*choice.algorithm, problem, choice.parameters)) return std::nullopt;
  return choice;
}

}  // namespace

Choice select(const Problem& problem, const Facts& facts) {
  if (auto choice = select_by_level(problem, facts)) return *choice;
  return select_flat(problem, facts);
}

}  // namespace tutti::collectives
