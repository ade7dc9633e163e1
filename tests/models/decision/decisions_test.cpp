// Choices of the model: there always is one, it fits the call, and the facts and parameters that
// should change it do.
#include "models/decision/decisions.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "models/decision/shipped.hpp"
#include "models/decision/sketches.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;

namespace {

Decisions made(std::string_view wire, const Facts& facts) {
  return Decisions{*find_shipped(wire), facts};
}

Problem of(Collective collective, Bytes bytes, int P) {
  return {{.collective = collective, .bytes = bytes}, P};
}

std::string chosen(Decisions& decisions, Collective collective, Bytes bytes) {
  return to_string(decisions.select(of(collective, bytes, decisions.facts().P)));
}

}  // namespace

TEST_CASE("the model always names an algorithm that applies, with a reason", "[decision]") {
  for (const std::string_view wire : {"shm", "rxe", "hardware"})
    for (const int P : {1, 2, 3, 4, 7, 8, 33, 1000})
      for (const int per_node : {1, 4, P}) {
        if (P > tests::unless_sanitized(1000, 33)) continue;
        Facts facts{P, (P + per_node - 1) / per_node, std::min(per_node, P)};
        facts.software_wire = facts.oversubscribed = wire == "rxe";
        facts.cores = wire == "rxe" ? 2 : 0;
        std::vector<int> node_of;
        for (int rank = 0; rank < P && facts.nodes > 1; ++rank) node_of.push_back(rank / per_node);
        const Nodes nodes(std::move(node_of));
        Decisions decisions = made(wire, facts);
        for (std::size_t c = 0; c < kCollectives; ++c)
          for (Bytes bytes = 0; bytes <= (Bytes{1} << 32); bytes = bytes == 0 ? 1 : 64 * bytes)
            // Plain; not commutative; reproducible; counts that differ, or are not known.
            for (int kind = 0; kind < 5; ++kind) {
              Problem problem = of(static_cast<Collective>(c), bytes, P);
              problem.commutative = kind != 1;
              problem.left_fold = kind == 2;
              if (kind >= 3) problem.counts.assign(index(P), bytes);
              problem.counts_known = kind != 4;
              problem.node = nodes;
              const Choice choice = decisions.select(problem);
              REQUIRE(choice.algorithm != nullptr);
              REQUIRE_FALSE(choice.reason.empty());
              REQUIRE_FALSE(why_not(*choice.algorithm, problem, choice.parameters));
              const std::string text =
                  std::string{name_of(problem.collective)} + "=" + to_string(choice);
              REQUIRE(parse_choices(text).size() == 1);
            }
      }
}

TEST_CASE("every algorithm has an estimate, or a sentence that says why not", "[decision]") {
  Decisions decisions = made("hardware", {16, 4, 4});
  for (std::size_t c = 0; c < kCollectives; ++c) {
    Problem problem = of(static_cast<Collective>(c), 1024, 16);
    for (int rank = 0; rank < 16; ++rank) problem.node.push_back(rank / 4);
    problem.datagrams = false;
    std::size_t number = 0;
    for (const Algorithm& algorithm : algorithms())
      number += algorithm.collective == problem.collective ? 1 : 0;
    const auto all = decisions.candidates(problem);
    CHECK(all.size() == number);
    CHECK(all.front().excluded.empty());
    for (const Candidate& one : all) {
      INFO(name_of(problem.collective) << ' ' << to_string(one.choice));
      CHECK(one.excluded.empty() == (one.estimate.time > 0));
      // The table compares all of them at some sizes only.
      const Choice choice = decisions.select(problem);
      if (one.choice.algorithm == choice.algorithm)
        CHECK(one.estimate.time <= 1.25 * all.front().estimate.time);
    }
  }
}

TEST_CASE("what is chosen takes the least time of one call", "[decision]") {
  for (const int P : {16, 100, 1000})
    for (const int per_node : {1, 4}) {
      Decisions decisions = made("hardware", {P, P / per_node, per_node});
      for (std::size_t c = 0; c < kCollectives; ++c)
        for (const Bytes bytes : {8, 4096}) {
          const Problem problem = of(static_cast<Collective>(c), bytes, P);
          double least = std::numeric_limits<double>::infinity();
          for (const Candidate& one : decisions.candidates(problem))
            if (one.excluded.empty() && one.excess <= 1)
              least = std::min(least, one.estimate.latency);
          const Choice choice = decisions.select(problem);
          const auto made = estimate_of(choice, bytes, decisions.platform(), decisions.facts());
          INFO(name_of(problem.collective) << " of " << bytes << ", " << P << " ranks, " << per_node
                                           << " a node: " << to_string(choice));
          CHECK(made.latency <= 1.03 * least);
          // No chain of ranks, which short ones on one node may be.
          if (reduces(problem.collective) && bytes == 8 && P >= 100)
            CHECK(made.rounds <= 2 * std::log2(P));
        }
    }
}

TEST_CASE("what is chosen is listed, and first", "[decision]") {
  int later = 0;
  for (const std::string_view wire : {"shm", "rxe", "hardware"})
    for (const int P : {2, 3, 16, 64, 1000})
      for (const int per_node : {1, 4, 8}) {
        if (P > tests::unless_sanitized(1000, 16) || P % per_node != 0) continue;
        Decisions decisions = made(wire, {P, P / per_node, per_node});
        for (std::size_t c = 0; c < kCollectives; ++c)
          for (const Bytes bytes : {1, 100, 700, 4096, 20000, 65536, 100000, 3000000}) {
            const Problem problem = of(static_cast<Collective>(c), bytes, P);
            const std::string choice = chosen(decisions, problem.collective, bytes);
            const auto all = decisions.candidates(problem);
            INFO(wire << ", " << name_of(problem.collective) << " of " << bytes << ", " << P
                      << " ranks, " << per_node << " a node: " << choice << ", first "
                      << to_string(all.front().choice));
            const auto place = std::find_if(all.begin(), all.end(), [&](const Candidate& one) {
              return one.excluded.empty() && to_string(one.choice) == choice;
            });
            REQUIRE(place != all.end());
            // Between two sizes at which all are compared a third may win unseen.
            CHECK(place->estimate.time * place->excess <=
                  1.06 * all.front().estimate.time * all.front().excess);
            later += place == all.begin() ? 0 : 1;
          }
      }
  CHECK(later <= 5);  // of 2,904, or of those that sanitizers see
}

TEST_CASE("a wire of software counts messages, one of hardware rounds", "[decision]") {
  Facts facts{16, 16, 1};
  Decisions hardware = made("hardware", facts);
  facts.software_wire = facts.oversubscribed = true;
  facts.cores = 1;  // all hosts are one machine
  Decisions one_core = made("rxe", facts);
  CHECK(chosen(one_core, Collective::barrier, 0) == "flat-tree");
  CHECK(chosen(hardware, Collective::barrier, 0).substr(0, 13) == "dissemination");
  CHECK(chosen(one_core, Collective::allgather, 8).substr(0, 12) == "gather-bcast");
  CHECK(chosen(hardware, Collective::allgather, 8).substr(0, 5) == "bruck");
  CHECK(chosen(hardware, Collective::bcast, 8).substr(0, 8) == "binomial");
  CHECK(chosen(hardware, Collective::bcast, 1 << 20).find("segment") != std::string::npos);
  // Sixteen machines of their own share no core: then the root of a flat tree is the bottleneck.
  facts.oversubscribed = false;
  facts.cores = 16;
  Decisions many_cores = made("rxe", facts);
  CHECK(chosen(many_cores, Collective::barrier, 0) != "flat-tree");
}

TEST_CASE("ranks that share cores are woken as seldom as possible", "[decision]") {
  Facts facts{8, 1, 8};
  Decisions alone = made("shm", facts);
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = made("shm", facts);
  const auto wakes = [](Decisions& decisions) {
    return decisions.candidates(of(Collective::barrier, 0, 8)).front().estimate.parts.wakes;
  };
  CHECK(wakes(alone) == 0);
  CHECK(wakes(crowded) > 0);
  // Two rounds at most, of which each costs all ranks a turn.
  for (const Collective c : {Collective::barrier, Collective::allgather, Collective::allreduce})
    CHECK(crowded.candidates(of(c, 8, 8)).front().estimate.rounds <= 2);
  CHECK(alone.candidates(of(Collective::allgather, 8, 8)).front().estimate.rounds > 2);
}

TEST_CASE("over shared memory the cores move the bytes", "[decision]") {
  Facts facts{4, 1, 4};
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = made("shm", facts);
  const auto work = [&](Collective collective, std::string_view name, int k) {
    const Choice choice{find(collective, name), {.k = k}};
    return estimate_of(choice, 65536, crowded.platform(), facts).work;
  };
  // 12 messages of the whole against 24 of a quarter, each copied in and out.
  CHECK(work(Collective::allreduce, "recursive-doubling", 3) >
        1.8 * work(Collective::allreduce, "full-fan-out", 1));
  CHECK(chosen(crowded, Collective::allreduce, 65536).substr(0, 9) != "recursive");
  // One core: sending and receiving do not overlap.
  const Facts two{2, 1, 2};
  const auto time = [&](Collective collective, std::string_view name) {
    return estimate_of({find(collective, name)}, 65536, crowded.platform(), two).interval;
  };
  CHECK(time(Collective::allgather, "ring") ==
        Approx(2 * time(Collective::bcast, "linear")).epsilon(0.1));
}

TEST_CASE("what depends on all ranks waits until each has had a turn", "[decision]") {
  Facts facts{4, 1, 4};
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = made("shm", facts);
  const double turn = crowded.platform().cores->wake;
  const auto wakes = [&](Collective collective, std::string_view name) {
    return estimate_of({find(collective, name)}, 8, crowded.platform(), facts).parts.wakes / turn;
  };
  // Two ranks a core: all must begin, then three are woken; against three only.
  CHECK(wakes(Collective::allreduce, "reduce-bcast-linear") == Approx(2 + 1.5));
  CHECK(wakes(Collective::bcast, "linear") == Approx(1.5));
  CHECK(chosen(crowded, Collective::allreduce, 65536) == "full-fan-out");
}

TEST_CASE("ranks that share cores take a turn for each segment that they forward", "[decision]") {
  Facts facts{4, 1, 4};
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = made("shm", facts);
  const auto wakes = [&](std::string_view name, Bytes segment) {
    const Choice choice{find(Collective::bcast, name), {.segment = segment}};
    return estimate_of(choice, 65536, crowded.platform(), facts).parts.wakes;
  };
  CHECK(wakes("chain", 16384) == Approx(2 * wakes("chain", 0)));  // 3 + 3 instead of 3
  CHECK(wakes("linear", 16384) == Approx(wakes("linear", 0)));
  for (const Collective c : {Collective::bcast, Collective::reduce, Collective::allreduce,
                             Collective::scan, Collective::exscan})
    CHECK(chosen(crowded, c, 65536).find("segment") == std::string::npos);
}

// As in the virtual host: a turn is long there.
TEST_CASE("of equal times the one with fewer rounds is chosen, at both levels", "[decision]") {
  Facts facts{8, 4, 2};
  facts.software_wire = facts.oversubscribed = true;
  facts.cores = 1;
  Decisions decisions = made("rxe", facts);
  for (const Collective c : {Collective::bcast, Collective::reduce})
    for (const Bytes bytes : {8, 8192, 65536}) {
      INFO(name_of(c) << " of " << bytes);
      CHECK(chosen(decisions, c, bytes).substr(0, 12) == "hierarchical");
      CHECK(decisions.candidates(of(c, bytes, 8)).front().estimate.rounds == 2);
    }
}

TEST_CASE("several nodes of several ranks speak with one voice, if that is shorter", "[decision]") {
  Decisions decisions = made("hardware", {64, 8, 8});
  for (const Collective c :
       {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce})
    CHECK(chosen(decisions, c, 8).substr(0, 12) == "hierarchical");
  CHECK(chosen(decisions, Collective::allgather, 8).substr(0, 12) == "hierarchical");
  Facts scattered{64, 8, 8};
  scattered.in_order = false;
  Decisions others = made("hardware", scattered);
  CHECK(chosen(others, Collective::allgather, 8).substr(0, 12) != "hierarchical");
  // Over the wire all ranks are as far from each other as nodes are.
  Facts wired{64, 8, 8};
  wired.wire_within = true;
  Decisions far = made("hardware", wired);
  CHECK(chosen(far, Collective::barrier, 0).substr(0, 13) == "dissemination");
}

TEST_CASE("connections are a cost, without a number at which choices change", "[decision]") {
  for (const Bytes bytes : {8, 1024, 65536}) {
    std::string algorithm;
    double time = 0;
    for (const int P : {512, 513, 514}) {
      Decisions decisions = made("hardware", {P, P, 1});
      const Choice choice = decisions.select(of(Collective::alltoall, bytes, P));
      const auto now = estimate_of(choice, bytes, decisions.platform(), decisions.facts());
      INFO(bytes << " bytes, " << P << " ranks: " << to_string(choice) << ' ' << now.time);
      if (P > 512) {
        CHECK(choice.algorithm->name == algorithm);
        CHECK(now.time < 1.2 * time);
      }
      algorithm = choice.algorithm->name;
      time = now.time;
    }
  }
  // Set-up that is spread over the calls is a part of the time.
  Platform platform = *find_shipped("hardware");
  const Facts facts{100, 100, 1};
  const Choice at_once{find(Collective::alltoall, "at-once")};
  const auto few = estimate_of(at_once, 4096, platform, facts);
  CHECK(few.set_up == Approx(99 * platform.budget->connect / platform.budget->uses));
  CHECK(few.time == Approx(few.latency + few.set_up));
  platform.budget->uses = 1;
  platform.budget->connect = 1e4;
  Decisions once{platform, facts};
  CHECK(chosen(once, Collective::alltoall, 4096).substr(0, 5) == "bruck");
}

TEST_CASE("of equal times the one with fewer connections and less memory is chosen", "[decision]") {
  Decisions decisions = made("hardware", {512, 512, 1});
  const Problem problem = of(Collective::allgather, 1 << 20, 512);
  const auto all = decisions.candidates(problem);
  const Estimate& best = all.front().estimate;
  CHECK(best.peers <= 2 * 9);
  for (const Candidate& one : all)
    if (one.excluded.empty()) CHECK(best.time * 0.98 <= one.estimate.time);
}

TEST_CASE("memory beyond the limit multiplies the time, and excludes nothing", "[decision]") {
  constexpr int kRanks = 100000;
  Decisions decisions = made("hardware", {kRanks, kRanks, 1});
  // The connections alone take more than the limit, what forwards blocks more than those.
  const auto best = decisions.candidates(of(Collective::alltoall, 1 << 16, kRanks)).front();
  CHECK(best.excess > 1);
  CHECK(best.choice.algorithm->name == "at-once");
  // The first child of a tree would hold half of 100 GB.
  const Choice scatter = decisions.select(of(Collective::scatter, 1 << 20, kRanks));
  CHECK(scatter.algorithm->name == "linear");
  const auto small = decisions.candidates(of(Collective::alltoall, 8, kRanks)).front();
  CHECK(small.excess == 1);
}

// Cost of each collective's first call, in estimates of a microsecond or less.
TEST_CASE("a table takes few estimates, for any number of ranks", "[decision]") {
  for (const std::string_view wire : {"hardware", "rxe"})
    for (const int P : {1, 2, 64, 1000, 1 << 20})
      for (const int per_node : {1, 8, P}) {
        const int most = std::min(per_node, P);
        Facts facts{P, (P + most - 1) / most, most};
        facts.software_wire = facts.oversubscribed = wire == "rxe";
        facts.cores = wire == "rxe" ? 2 : 0;
        Decisions decisions = made(wire, facts);
        for (std::size_t c = 0, before = 0; c < kCollectives; ++c) {
          const Problem problem = of(static_cast<Collective>(c), 8, P);
          decisions.table(problem);
          const std::size_t after = decisions.estimates();
          INFO(wire << ", " << name_of(problem.collective) << " of " << P << " ranks, " << per_node
                    << " a node: " << after - before << " estimates");
          CHECK(after > before);
          CHECK(after - before < 1000);
          decisions.select(problem);
          CHECK(decisions.estimates() == after);
          before = after;
        }
      }
}

TEST_CASE("any size and any number of ranks has an estimate", "[decision]") {
  constexpr int kRanks = 1 << 30;
  for (const int per_node : {1, 64, kRanks}) {
    Decisions decisions = made("hardware", {kRanks, kRanks / per_node, per_node});
    for (std::size_t c = 0; c < kCollectives; ++c)
      for (const Bytes bytes : {Bytes{0}, Bytes{1} << 20, Bytes{1} << 62}) {
        Problem problem = of(static_cast<Collective>(c), bytes, kRanks);
        problem.datagrams = false;
        const auto all = decisions.candidates(problem);
        INFO(name_of(problem.collective) << " of " << bytes << ", " << per_node << " a node");
        CHECK(all.front().excluded.empty());
        for (const Candidate& one : all) {
          CHECK(one.estimate.memory >= 0);
          CHECK(one.excluded.empty() == (one.estimate.time > 0));
        }
      }
  }
}

TEST_CASE("parameters beyond all measure choose something, too", "[decision]") {
  Platform absurd = *find_shipped("rxe");
  absurd.between = models::LogGP{.L = 1e308, .o_s = 1e308, .o_r = 1e308, .g = 1e308, .G = 1e308};
  absurd.cores->wake = 1e308;
  absurd.budget->connection = Bytes{1} << 62;
  Facts facts{8, 4, 2};
  facts.software_wire = facts.oversubscribed = true;
  facts.cores = 1;
  Decisions decisions{absurd, facts};
  for (std::size_t c = 0; c < kCollectives; ++c)
    CHECK(decisions.select(of(static_cast<Collective>(c), 4096, 8)).algorithm != nullptr);
}

TEST_CASE("short messages of a stencil are combined, alike on all ranks", "[decision]") {
  constexpr Collective kGather = Collective::neighbor_allgather,
                       kExchange = Collective::neighbor_alltoall;
  for (const Torus& torus : {Torus{8, 8}, Torus{4, 4, 4}})
    for (const Collective collective : {kGather, kExchange}) {
      Decisions decisions = made("hardware", {64, 64, 1});
      Problem problem = of(collective, 8, 64);
      problem.neighbours = stencil_on(torus);
      const auto chosen_for = [&](Bytes bytes) {
        problem.bytes = bytes;
        return to_string(decisions.select(problem));
      };
      INFO(name_of(collective) << ", " << torus.size() << " dimensions");
      CHECK(chosen_for(8) == "combined");
      // Each block is sent once for each dimension.
      if (collective == kExchange) CHECK(chosen_for(1 << 20) == "at-once");
      for (const Bytes bytes : {8, 1024, 65536}) {
        const std::string first = chosen_for(bytes);
        for (const Rank rank : {1, 17, 63})
          CHECK(to_string(decisions.select(problem_of_rank(problem, rank))) == first);
      }
      // Lengths that only the two ends know, and neighbours that only they know.
      problem.bytes = 8;
      problem.counts.assign(problem.neighbours->to.size(), 8);
      CHECK(to_string(decisions.select(problem)) == "at-once");
      problem.counts.clear();
      problem.neighbours->torus.clear();
      CHECK(to_string(decisions.select(problem)) == "at-once");
      CHECK(typical_bytes(problem) == 0);
    }
}

TEST_CASE("a table has each size once, and agrees with what is asked", "[decision]") {
  Decisions decisions = made("hardware", {64, 8, 8});
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const Problem problem = of(static_cast<Collective>(c), 0, 64);
    const Decisions::Table table = decisions.table(problem);
    REQUIRE(table.front().from == 0);
    for (std::size_t i = 1; i < table.size(); ++i) {
      CHECK(table[i - 1].from < table[i].from);
      CHECK(chosen(decisions, problem.collective, table[i].from) == to_string(table[i].choice));
      CHECK(chosen(decisions, problem.collective, table[i].from - 1) ==
            to_string(table[i - 1].choice));
    }
    Decisions again = made("hardware", {64, 8, 8});
    CHECK(again.table(problem) == table);
  }
}
