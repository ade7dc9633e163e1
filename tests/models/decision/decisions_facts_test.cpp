// Choices of the model: the facts and parameters that should change them do.
#include "models/decision/decisions.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "models/decision/shipped.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "tests/models/decision/choosing.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;
using tests::chosen;
using tests::decisions_by;
using tests::problem_of_bytes;

TEST_CASE("a wire of software counts messages, one of hardware rounds", "[decision]") {
  Facts facts{16, 16, 1};
  Decisions hardware = decisions_by("hardware", facts);
  facts.software_wire = facts.oversubscribed = true;
  facts.cores = 1;  // all hosts are one machine
  Decisions one_core = decisions_by("rxe", facts);
  CHECK(chosen(one_core, Collective::barrier, 0) == "flat-tree");
  CHECK(chosen(hardware, Collective::barrier, 0).substr(0, 13) == "dissemination");
  CHECK(chosen(one_core, Collective::allgather, 8).substr(0, 12) == "gather-bcast");
  CHECK(chosen(hardware, Collective::allgather, 8).substr(0, 5) == "bruck");
  CHECK(chosen(hardware, Collective::bcast, 8).substr(0, 8) == "binomial");
  CHECK(chosen(hardware, Collective::bcast, 1 << 20).find("segment") != std::string::npos);
  // Sixteen machines of their own share no core: then the root of a flat tree is the bottleneck.
  facts.oversubscribed = false;
  facts.cores = 16;
  Decisions many_cores = decisions_by("rxe", facts);
  CHECK(chosen(many_cores, Collective::barrier, 0) != "flat-tree");
}

TEST_CASE("ranks that share cores are woken as seldom as possible", "[decision]") {
  Facts facts{8, 1, 8};
  Decisions alone = decisions_by("shm", facts);
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = decisions_by("shm", facts);
  const auto wakes = [](Decisions& decisions) {
    return decisions.candidates(problem_of_bytes(Collective::barrier, 0, 8))
        .front()
        .estimate.parts.wakes;
  };
  CHECK(wakes(alone) == 0);
  CHECK(wakes(crowded) > 0);
  // Two rounds at most, of which each costs all ranks a turn.
  for (const Collective c : {Collective::barrier, Collective::allgather, Collective::allreduce})
    CHECK(crowded.candidates(problem_of_bytes(c, 8, 8)).front().estimate.rounds <= 2);
  CHECK(alone.candidates(problem_of_bytes(Collective::allreduce, 8, 8)).front().estimate.rounds >
        2);
}

TEST_CASE("over shared memory the cores move the bytes", "[decision]") {
  Facts facts{4, 1, 4};
  facts.oversubscribed = true;
  facts.cores = 2;
  Decisions crowded = decisions_by("shm", facts);
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
  Decisions crowded = decisions_by("shm", facts);
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
  Decisions crowded = decisions_by("shm", facts);
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
  Decisions decisions = decisions_by("rxe", facts);
  for (const Collective c : {Collective::bcast, Collective::reduce})
    for (const Bytes bytes : {8, 8192, 65536}) {
      INFO(name_of(c) << " of " << bytes);
      CHECK(chosen(decisions, c, bytes).substr(0, 12) == "hierarchical");
      CHECK(decisions.candidates(problem_of_bytes(c, bytes, 8)).front().estimate.rounds == 2);
    }
}

TEST_CASE("several nodes of several ranks speak with one voice, if that is shorter", "[decision]") {
  Decisions decisions = decisions_by("hardware", {64, 8, 8});
  for (const Collective c :
       {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce})
    CHECK(chosen(decisions, c, 8).substr(0, 12) == "hierarchical");
  CHECK(chosen(decisions, Collective::allgather, 8).substr(0, 12) == "hierarchical");
  Facts scattered{64, 8, 8};
  scattered.in_order = false;
  Decisions others = decisions_by("hardware", scattered);
  CHECK(chosen(others, Collective::allgather, 8).substr(0, 12) != "hierarchical");
  // Over the wire all ranks are as far from each other as nodes are.
  Facts wired{64, 8, 8};
  wired.wire_within = true;
  Decisions far = decisions_by("hardware", wired);
  CHECK(chosen(far, Collective::barrier, 0).substr(0, 13) == "dissemination");
}

TEST_CASE("connections are a cost, without a number at which choices change", "[decision]") {
  for (const Bytes bytes : {8, 1024, 65536}) {
    std::string algorithm;
    double time = 0;
    for (const int P : {512, 513, 514}) {
      Decisions decisions = decisions_by("hardware", {P, P, 1});
      const Choice choice = decisions.select(problem_of_bytes(Collective::alltoall, bytes, P));
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
  Decisions decisions = decisions_by("hardware", {512, 512, 1});
  const Problem problem = problem_of_bytes(Collective::allgather, 1 << 20, 512);
  const auto all = decisions.candidates(problem);
  const Estimate& best = all.front().estimate;
  CHECK(best.peers <= 2 * 9);
  for (const Candidate& one : all)
    if (one.excluded.empty()) CHECK(best.time * 0.98 <= one.estimate.time);
}

TEST_CASE("memory beyond the limit multiplies the time, and excludes nothing", "[decision]") {
  constexpr int kRanks = 100000;
  Decisions decisions = decisions_by("hardware", {kRanks, kRanks, 1});
  // The connections alone take more than the limit, what forwards blocks more than those.
  const auto best =
      decisions.candidates(problem_of_bytes(Collective::alltoall, 1 << 16, kRanks)).front();
  CHECK(best.excess > 1);
  CHECK(best.choice.algorithm->name == "at-once");
  // The first child of a tree would hold half of 100 GB.
  const Choice scatter = decisions.select(problem_of_bytes(Collective::scatter, 1 << 20, kRanks));
  CHECK(scatter.algorithm->name == "linear");
  const auto small =
      decisions.candidates(problem_of_bytes(Collective::alltoall, 8, kRanks)).front();
  CHECK(small.excess == 1);
}

TEST_CASE("short messages of a stencil are combined, alike on all ranks", "[decision]") {
  constexpr Collective kGather = Collective::neighbor_allgather,
                       kExchange = Collective::neighbor_alltoall;
  for (const Torus& torus : {Torus{8, 8}, Torus{4, 4, 4}})
    for (const Collective collective : {kGather, kExchange}) {
      Decisions decisions = decisions_by("hardware", {64, 64, 1});
      Problem problem = problem_of_bytes(collective, 8, 64);
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
