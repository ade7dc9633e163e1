// The root of what is gathered, or reduced, and then broadcast: "on a chosen root process" (IB
// §5.3.2), "once the root node has collected the combined data" (BEO §3.3.3).
#include <catch2/catch.hpp>

#include "collectives/algorithms/trees.hpp"
#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("fan-in fan-out over the flat tree goes by the root that is chosen") {
  constexpr auto sends = Said::sends, takes = Said::takes;
  for (int P = 2; P <= 9; ++P) {
    for (Rank root = 0; root < P; ++root) {
      const auto gathered =
          build_all("gather-bcast", telling(Collective::allgather, P), {.root = root});
      const auto reduced =
          build_all("reduce-bcast-linear", {{.collective = Collective::allreduce, .bytes = 8}, P},
                    {.root = root});
      const int whole = P * (P + 1) / 2 - 1;  // as the number of a block: the sum of all lengths
      for (Rank r = 0; r < P; ++r) {
        INFO("P=" << P << " root " << root << " rank " << r);
        Text gather, reduce;
        if (r != root) {
          gather = {{sends, root, r}, {takes, root, whole}};
          reduce = {{sends, root, 0}, {takes, root, 0}};
        } else {
          for (int i = 1; i < P; ++i) gather.push_back({takes, mod(root + i, P), mod(root + i, P)});
          for (int i = 1; i < P; ++i) gather.push_back({sends, mod(root + i, P), whole});
          for (int i = 1; i < P; ++i) reduce.push_back({takes, mod(root + i, P), 0});
          for (int i = 1; i < P; ++i) reduce.push_back({sends, mod(root + i, P), 0});
        }
        CHECK(text_of(gathered[index(r)]) == gather);
        CHECK(text_of(reduced[index(r)]) == reduce);
      }
    }
  }
}

TEST_CASE("fan-in fan-out over the n-way binomial tree of the root that is chosen") {
  for (int P = 2; P <= 17; ++P) {
    for (const Rank root : {0, 1, P / 2, P - 1}) {
      for (int k = 1; k <= 3; ++k) {
        const Parameters parameters{.k = k, .root = root};
        const auto gathered = build_all("gather-bcast-binomial", allgather_of(P, 8), parameters);
        const auto reduced = build_all(
            "reduce-bcast", {{.collective = Collective::allreduce, .bytes = 8}, P}, parameters);
        CHECK(messages(reduced) == 2 * (P - 1));
        for (Rank r = 0; r < P; ++r) {
          INFO("P=" << P << " k=" << k << " root " << root << " rank " << r);
          const Tree tree = binomial(P, r, root, k);
          Bytes up = 0, down = 0;
          std::vector<Rank> fed;
          for (const Step& step : gathered[index(r)].steps) {
            if (step.kind != StepKind::send) continue;
            const bool to_parent = tree.parent && step.peer == *tree.parent;
            (to_parent ? up : down) += step.source.length;
            if (!to_parent) fed.push_back(step.peer);
          }
          CHECK(up == (tree.parent ? tree.own.count * 8 : 0));
          CHECK(down == static_cast<Bytes>(tree.children.size()) * P * 8);
          CHECK(fed == tree.children);
        }
      }
    }
  }
}

// A choice may be made for communicators of any size.
TEST_CASE("a chosen root counts modulo the ranks") {
  for (const auto& [name, collective] : {std::pair{"gather-bcast", Collective::allgather},
                                         std::pair{"reduce-bcast", Collective::allreduce}}) {
    const Problem problem{{.collective = collective, .bytes = 8}, 5};
    const auto far = build_all(name, problem, {.root = 13}),
               near = build_all(name, problem, {.root = 3});
    for (std::size_t r = 0; r < 5; ++r) CHECK(far[r].digest() == near[r].digest());
  }
}

TEST_CASE("a chosen root: right for any operation, in place or not") {
  for (const char* name : {"reduce-bcast", "reduce-bcast-linear"}) {
    for (int P = 1; P <= 9; ++P) {
      for (Rank root = 0; root < P; ++root) {
        for (int form = 0; form < 8; ++form) {
          Problem problem{{.collective = Collective::allreduce,
                           .bytes = 40,
                           .in_place = form % 2 == 1,
                           .element = 8,
                           .commutative = form / 2 % 2 == 1,
                           .left_fold = form / 4 == 1},
                          P};
          const Parameters parameters{.k = 1 + form % 3, .segment = form % 3 * 8, .root = root};
          if (why_not(*find(Collective::allreduce, name), problem, parameters)) continue;
          INFO(name << " P=" << P << " root " << root << " form " << form);
          CHECK(verify(build_all(name, problem, parameters), problem).message == "");
        }
      }
    }
  }
}
