// Reductions in segments: scratch for a few of them, whatever the transport does.
#include <catch2/catch.hpp>

#include "collectives/schedule/segmented.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

std::vector<const Algorithm*> reductions_in_segments() {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms())
    if (reduces(algorithm.collective) && algorithm.traits.segment) all.push_back(&algorithm);
  return all;
}

}  // namespace

// OCC §6.2: segmentation "limits the size of internal buffers required by the algorithm".
TEST_CASE("64 KiB reduced in segments of 1 KiB take scratch for a few segments") {
  constexpr Bytes m = 64 * 1024, segment = 1024, ring = kSegmentsHeld * segment;
  for (const char* name : {"linear", "chain", "k-chain", "binomial", "tau-binomial", "binary"}) {
    for (const int P : {2, 3, 8, 13}) {
      for (const Rank root : {0, P - 1}) {
        INFO(name << " P=" << P << " root " << root);
        const Problem problem{{.collective = Collective::reduce, .root = root, .bytes = m}, P};
        CHECK(most_scratch(build_all(name, problem, {2, segment})) <= ring);
      }
    }
  }
  const std::tuple<Collective, const char*, int> others[] = {
      {Collective::allreduce, "recursive-doubling", 1}, {Collective::allreduce, "chain", 1},
      {Collective::allreduce, "reduce-bcast", 1},       {Collective::allreduce, "bine-doubling", 1},
      {Collective::scan, "recursive-doubling", 2},      {Collective::exscan, "linear", 1},
      {Collective::exscan, "recursive-doubling", 4}};
  for (const auto& [collective, name, places] : others) {
    INFO(name_of(collective) << ' ' << name);
    const Problem problem{{.collective = collective, .bytes = m}, 8};
    CHECK(most_scratch(build_all(name, problem, {1, segment})) <= places * ring);
  }
}

TEST_CASE("folded scratch: right, and no rank waits for ever, for any number of segments") {
  constexpr Bytes segment = 8;
  for (const Algorithm* const algorithm : reductions_in_segments()) {
    for (const int P : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 33, 64}) {
      if (P > tests::unless_sanitized(64, 5)) break;
      for (const int segments : {4, 5, 6, 8, 9, 17, 40}) {
        for (const int form : {0, 1, 2, 3}) {
          const bool in_place = form % 2 == 1, commutative = form < 2;
          Problem problem{{.collective = algorithm->collective,
                           .root = (P + form) / 2 % P,
                           .bytes = segments * segment - 1,
                           .in_place = in_place,
                           .commutative = commutative},
                          P};
          const Parameters parameters{.k = 1 + (P + segments) % 3, .segment = segment};
          if (why_not(*algorithm, problem, parameters)) continue;
          INFO(name_of(algorithm->collective)
               << ' ' << algorithm->name << " P=" << P << " k=" << parameters.k << " segments "
               << segments << " form " << form);
          const Verdict verdict =
              verify(schedules_of_all_ranks(*algorithm, problem, parameters), problem);
          CHECK(verdict.message == "");
        }
      }
    }
  }
}

// Some ranks could fold there, and others not; none does.
TEST_CASE("segments within a node, anything across") {
  constexpr Bytes segment = 8;
  for (const Algorithm* const algorithm : reductions_in_segments()) {
    if (!algorithm->traits.levels) continue;
    for (const Algorithm& across : algorithms()) {
      if (across.collective != across_of(algorithm->collective) || !can_be_level(across)) continue;
      for (const char* within : {"linear", "chain", "binomial", "binary"}) {
        for (const int nodes : {2, 4, 5}) {
          if (nodes > tests::unless_sanitized(5, 4)) break;
          Problem problem{{.collective = algorithm->collective, .bytes = 20 * segment}, 3 * nodes};
          for (Rank rank = 0; rank < problem.P; ++rank)
            problem.node.push_back(nodes == 4 ? rank % 4 : rank / 3);
          const Parameters parameters{.segment = segment,
                                      .within = {find(Collective::bcast, within), 2},
                                      .across = {&across, across.traits.k ? 2 : 1}};
          if (why_not(*algorithm, problem, parameters)) continue;
          INFO(name_of(algorithm->collective)
               << " within=" << within << " across=" << across.name << " nodes " << nodes);
          const Verdict verdict =
              verify(schedules_of_all_ranks(*algorithm, problem, parameters), problem);
          CHECK(verdict.message == "");
        }
      }
    }
  }
}
