// The built-in table: it always has an answer, and what that depends on.
#include "collectives/selection/table.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("the built-in selection always names an algorithm that applies, with a reason") {
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    for (int P : {1, 2, 3, 4, 7, 8, 33, 1000}) {
      for (int flags = 0; flags < 8; ++flags) {
        for (Bytes bytes = 0; bytes <= (Bytes{1} << 32); bytes = bytes == 0 ? 1 : 8 * bytes) {
          const Facts facts{P, flags & 4 ? P : 1, flags & 4 ? 1 : P, (flags & 1) != 0,
                            (flags & 2) != 0};
          // Plain; not commutative; reproducible; counts that differ or are not known.
          for (int kind = 0; kind < 4; ++kind) {
            Problem problem{{.collective = collective, .bytes = bytes}, P};
            problem.commutative = kind == 0 || kind == 3;
            problem.left_fold = kind == 2;
            if (kind == 3) {
              problem.counts.assign(index(P), bytes);
              problem.counts_known = (flags & 1) != 0;
            }
            const Choice choice = select(problem, facts);
            REQUIRE(choice.algorithm != nullptr);
            REQUIRE_FALSE(choice.reason.empty());
            REQUIRE_FALSE(why_not(*choice.algorithm, problem, choice.parameters));
            REQUIRE(
                parse_choices(std::string{name_of(collective)} + "=" + to_string(choice)).size() ==
                1);
          }
        }
      }
    }
  }
}

namespace {
Choice select(Collective collective, Bytes bytes, const Facts& facts) {
  return collectives::select({{.collective = collective, .bytes = bytes}, facts.P}, facts);
}
}  // namespace

TEST_CASE("the selection counts packets on a software wire and rounds on a hardware wire") {
  const Facts hardware{16, 16, 1, false, false}, software{16, 16, 1, true, false};
  CHECK(select(Collective::barrier, 0, hardware).algorithm->name == "dissemination");
  CHECK(select(Collective::barrier, 0, software).algorithm->name == "flat-tree");
  CHECK(select(Collective::allgather, 8, software).algorithm->name == "gather-bcast");
  CHECK(select(Collective::allgather, 1 << 20, software).algorithm->name == "ring");
  CHECK(select(Collective::allgather, 8, {12, 12, 1, false, false}).algorithm->name == "bruck");
  CHECK(select(Collective::allgather, 1 << 20, hardware).algorithm->name == "ring");
  CHECK(select(Collective::bcast, 8, hardware).algorithm->name == "binomial");
  CHECK(select(Collective::bcast, 1 << 20, hardware).algorithm->name == "chain");
}

TEST_CASE("nodes of several ranks speak with one voice, if that is shorter") {
  constexpr int kNodes = 3, kPerNode = 4, P = kNodes * kPerNode;
  const auto chosen = [&](Collective collective, Bytes bytes, bool in_order = true,
                          bool commutative = true, bool software = true) {
    const Facts facts{P, kNodes, kPerNode, software, false};
    Problem problem{{.collective = collective, .bytes = bytes}, P};
    problem.commutative = commutative;
    for (int rank = 0; rank < P; ++rank)
      problem.node.push_back(in_order ? rank / kPerNode : rank % kNodes);
    const Choice choice = collectives::select(problem, facts);
    CHECK_FALSE(why_not(*choice.algorithm, problem, choice.parameters));
    return to_string(choice);
  };
  CHECK(chosen(Collective::barrier, 0) == "hierarchical(within=binomial(k=1),across=flat-tree)");
  CHECK(chosen(Collective::bcast, 8) == "hierarchical(within=binomial(k=1),across=binomial(k=1))");
  CHECK(chosen(Collective::reduce, 8) == "hierarchical(within=binomial(k=1),across=binomial(k=1))");
  CHECK(chosen(Collective::allreduce, 65536) ==
        "hierarchical(within=binomial(k=1),across=circulant)");
  CHECK(chosen(Collective::allgather, 8) ==
        "hierarchical(within=binomial(k=1),across=gather-bcast)");
  // Not what has no such form, does not keep an order that is needed, or is long.
  CHECK(chosen(Collective::alltoall, 8) == "at-once");
  CHECK(chosen(Collective::allgather, 8, false) == "gather-bcast");
  CHECK(chosen(Collective::reduce, 8, true, false) == "tau-binomial");
  CHECK(chosen(Collective::reduce, 1 << 20) == "reduce-scatter-gather");
  CHECK(chosen(Collective::bcast, 1 << 20) ==
        "hierarchical(within=binomial(k=1),across=binomial(k=1))");
  CHECK(chosen(Collective::bcast, 1 << 20, true, true, false).substr(0, 5) == "chain");
  // One rank on each node, or one node.
  const Problem small{{.collective = Collective::bcast, .bytes = 8}, P};
  CHECK(collectives::select(small, {P, P, 1, true, false}).algorithm->name == "binomial");
  CHECK(collectives::select(small, {P, 1, P, true, false}).algorithm->name == "binomial");
}
