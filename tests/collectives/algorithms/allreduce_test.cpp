// Allreduces: rounds of one and of k ports, messages, and bytes, as the papers have them; the
// halves of BEO §3.3.2; and what must not be wasted: rounds with a fanout beyond the ranks, steps
// without elements, messages that go out and straight back.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: allreduces") {
  for (int P : sizes()) {
    INFO("P=" << P);
    const Bytes m = P * s;
    const auto build = [&](const char* name, Parameters parameters = {}) {
      return build_all(name, of(Collective::allreduce, P, m), parameters);
    };
    for (int k = 1; k <= 4; ++k) {
      INFO("k=" << k);
      const auto multiplying = build("recursive-doubling", {k, 0});
      const int turns = floor_log(P, k + 1);
      if (rounds_to_reach(P, k + 1) == turns) {  // a power of k + 1
        CHECK(rounds(multiplying, k) == turns);
        CHECK(messages(multiplying) == P * k * turns);
        each_sends(multiplying, k * turns * m);
      } else {
        CHECK(rounds(multiplying, kAnyPorts) > turns);
        CHECK(rounds(multiplying, kAnyPorts) <= turns + 2);
      }
      const auto tree = build("reduce-bcast", {k, 0});
      CHECK(rounds(tree, k) == 2 * rounds_to_reach(P, k + 1));
      CHECK(messages(tree) == 2 * (P - 1));
      CHECK(all_bytes(tree) == 2 * (P - 1) * m);
    }
    const auto flat = build("reduce-bcast-linear");
    CHECK(rounds(flat, kAnyPorts) == (P == 1 ? 0 : 2));
    CHECK(rounds(flat, 1) == 2 * (P - 1));
    CHECK(messages(flat) == 2 * (P - 1));
    const auto chain = build("chain");
    CHECK(rounds(chain, 1) == 2 * (P - 1));
    CHECK(messages(chain) == 2 * (P - 1));

    if (power_of_two(P)) {
      const auto halving = build("halving-doubling");
      CHECK(rounds(halving, 1) == 2 * ceil_log2(P));
      CHECK(messages(halving) == 2 * P * ceil_log2(P));
      each_sends(halving, 2 * (P - 1) * s);
    }
    const auto ring = build("ring");
    CHECK(rounds(ring, 1) == 2 * (P - 1));
    CHECK(messages(ring) == 2 * P * (P - 1));
    each_sends(ring, 2 * (P - 1) * s);
    const auto at_once = build("full-fan-out");
    CHECK(rounds(at_once, kAnyPorts) == (P == 1 ? 0 : 2));
    CHECK(messages(at_once) == 2 * P * (P - 1));
    each_sends(at_once, 2 * (P - 1) * s);
    each_sends(build("full-fan-in"), 2 * (P - 1) * s);
    each_sends(build("pipeline"), 2 * (P - 1) * s);
    const auto trees = build("repeated-binary-tree");
    CHECK(messages(trees) == 2 * P * (P - 1));
    CHECK(all_bytes(trees) == 2 * P * (P - 1) * s);
  }
}

// "node 0 exchanges the upper half of its data with the lower half data of node 1 … exchanges
// halves with node 2 … with node 4", and back "in an inverse fashion".
TEST_CASE("BEO 3.3.2: halving and doubling start with the nearest rank, and end there") {
  constexpr Bytes n = 8 * 64;
  for (const int P : {2, 4, 8, 16, 32}) {
    const auto all = build_all(
        "halving-doubling", {{.collective = Collective::allreduce, .bytes = n, .element = 8}, P});
    for (Rank r = 0; r < P; ++r) {
      INFO("P=" << P << " rank " << r);
      std::vector<std::pair<Rank, Slice>> sent, text;
      for (const Step& step : all[index(r)].steps)
        if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source);
      Slice held{Buffer::input, 0, n};
      for (int d = 1; d < P; d *= 2) {
        held.length /= 2;
        Slice other = held;
        ((r & d) != 0 ? held : other).offset += held.length;
        text.emplace_back(r ^ d, other);
        held.buffer = Buffer::output;
      }
      for (int d = P / 2; d >= 1; d /= 2) {
        text.emplace_back(r ^ d, held);
        if ((r & d) != 0) held.offset -= held.length;
        held.length *= 2;
      }
      CHECK(sent == text);
    }
    const auto gathered = build_all("halving-doubling", allgather_of(P, n));
    for (const Schedule& schedule : gathered) {
      INFO("P=" << P << " rank " << schedule.rank);
      std::vector<std::pair<Rank, Bytes>> sent, text;
      for (const Step& step : schedule.steps)
        if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source.length);
      for (int d = 1; d < P; d *= 2) text.emplace_back(schedule.rank ^ d, n / 2);
      for (int d = P / 2; d >= 1; d /= 2)  // of all blocks what is held: P-th of each, then twice
        text.emplace_back(schedule.rank ^ d, n * (P / 2 / d));
      CHECK(sent == text);
    }
  }
  // Another number of ranks: two rounds more, nothing goes out and straight back between.
  const auto twelve = build_all(
      "halving-doubling", {{.collective = Collective::allreduce, .bytes = n, .element = 8}, 12});
  CHECK(rounds(twelve, 1) == 8);
  CHECK(messages(twelve) == 56);
}

TEST_CASE("allreduces of a short vector send no empty messages") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::allreduce) continue;
    for (const int P : {2, 3, 5, 8, 12}) {
      const Problem problem{{.collective = Collective::allreduce, .bytes = 8, .element = 8}, P};
      if (why_not(algorithm, problem, {})) continue;
      INFO(algorithm.name << " P=" << P);
      for (const Schedule& schedule : build_all(algorithm.name, problem))
        for (const Step& step : schedule.steps)
          if (is_message(step.kind)) CHECK(length_of(step) > 0);
    }
  }
}

TEST_CASE("recursive multiplying with k >= P is one exchange of all") {
  for (int P = 2; P <= 9; ++P) {
    for (int k = P - 1; k <= P + 2; ++k) {
      INFO("P=" << P << " k=" << k);
      const auto all = build_all("recursive-doubling",
                                 {{.collective = Collective::allreduce, .bytes = s}, P}, {.k = k});
      CHECK(rounds(all, k) == 1);
      CHECK(messages(all) == P * (P - 1));
    }
  }
}

// A vector of fewer elements than ranks: only pieces that have some go round the ring.
TEST_CASE("a ring of few elements has few steps, for any number of ranks") {
  constexpr Bytes kElement = 4;
  for (const int P : {2, 7, tests::unless_sanitized(2000, 50)})
    for (const int elements : {0, 1, 3}) {
      if (elements > P) continue;
      INFO("P=" << P << ", " << elements << " elements");
      const auto all = build_all(
          "ring",
          {{.collective = Collective::allreduce, .bytes = elements * kElement, .element = kElement},
           P});
      CHECK(messages(all) == 2 * elements * (P - 1));
      for (const Schedule& one : all) CHECK(one.steps.size() <= index(8 * elements));
    }
}

// Ranks beyond a power of two send their input first and get the result last: a round each.
TEST_CASE("nothing goes out and straight back between the halves of halving and doubling") {
  for (int P = 2; P <= tests::unless_sanitized(33, 9); ++P) {
    INFO("P=" << P);
    const int log = rounds_to_reach(P + 1, 2) - 1, partners = 1 << log, extra = P - partners;
    const int ends = extra == 0 ? 0 : 1;
    const auto both =
        build_all("halving-doubling", {{.collective = Collective::allreduce, .bytes = P * s}, P});
    CHECK(rounds(both, 1) == 2 * log + 2 * ends);
    CHECK(messages(both) == 2 * partners * log + 2 * extra);
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
      const char* const name =
          collective == Collective::bcast ? "scatter-recursive-doubling" : "reduce-scatter-gather";
      const auto one = build_all(name, {{.collective = collective, .bytes = P * s}, P});
      CHECK(rounds(one, 1) == 2 * log + ends);
      CHECK(messages(one) == partners * log + partners - 1 + extra);
    }
  }
}

// The places in which vectors are combined alternate, so that the last one is the output.
TEST_CASE("recursive doubling copies its result in place only, after an odd number of rounds") {
  for (const int P : {1, 2, 3, 4, 5, 7, 8, 12, 16, 33})
    for (const bool in_place : {false, true}) {
      const Problem problem{{.collective = Collective::allreduce, .bytes = s, .in_place = in_place},
                            P};
      const int rounds = floor_log(P, 2);
      const auto all = build_all("recursive-doubling", problem);
      for (Rank rank = 0; rank < P; ++rank) {
        INFO("P=" << P << " rank " << rank << (in_place ? " in place" : ""));
        // A rank that stands for others combines their vectors first.
        const bool alone = std::ranges::count(all[index(rank)].steps, StepKind::recv_reduce,
                                              &Step::kind) == rounds;
        const bool copies = P == 1 ? !in_place : in_place && alone && rounds % 2 == 1;
        CHECK(std::ranges::count(all[index(rank)].steps, StepKind::copy, &Step::kind) ==
              (copies ? 1 : 0));
      }
    }
}

TEST_CASE("Bine doubling copies its result in place only, after an odd number of rounds") {
  for (const int P : {2, 4, 8, 16})
    for (const bool in_place : {false, true})
      for (const Schedule& schedule :
           build_all("bine-doubling",
                     {{.collective = Collective::allreduce, .bytes = s, .in_place = in_place}, P}))
        CHECK(std::ranges::count(schedule.steps, StepKind::copy, &Step::kind) ==
              (in_place && floor_log(P, 2) % 2 == 1 ? 1 : 0));
}

TEST_CASE("leaders of nodes copy nothing between the levels of recursive doubling") {
  for (const int nodes : {2, 4, 8}) {
    Problem problem{{.collective = Collective::allreduce, .bytes = s}, 2 * nodes};
    for (Rank rank = 0; rank < problem.P; ++rank) problem.node.push_back(rank / 2);
    for (const Schedule& schedule : build_all("hierarchical", problem))
      CHECK(std::ranges::count(schedule.steps, StepKind::copy, &Step::kind) == 0);
  }
}
