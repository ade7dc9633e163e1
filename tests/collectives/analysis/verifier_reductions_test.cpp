// Right schedules are spoilt in the ways in which only reductions can go wrong: contributions lost,
// counted twice, or out of order. The verifier must catch each, and name it.
#include "collectives/schedule/builder.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/analysis/spoil.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

Problem reduction(Collective collective, int P, Bytes bytes, bool commutative = true) {
  return {{.collective = collective, .bytes = bytes, .commutative = commutative}, P};
}

// Calls `each` with the schedules of every algorithm that combines and applies to such operations,
// for several P.
void each_reduction(bool commutative,
                    const std::function<void(const std::vector<Schedule>&, const Problem&)>& each) {
  for (const Algorithm& algorithm : algorithms()) {
    if (!reduces(algorithm.collective)) continue;
    for (int P : {2, 3, 5, 8}) {
      if (P > tests::unless_sanitized(8, 5)) break;
      Problem problem = reduction(algorithm.collective, P, 24, commutative);
      problem.root = P - 1;
      problem.element = 4;
      const Parameters parameters{.k = algorithm.traits.k ? 2 : 1, .segment = 0};
      if (why_not(algorithm, problem, parameters)) continue;
      INFO(name_of(algorithm.collective) << " " << algorithm.name << " P=" << P);
      const auto all = build_all(algorithm.name, problem, parameters);
      const Verdict verdict = verify(all, problem);
      INFO(verdict.message);
      CHECK(verdict.ok());
      each(all, problem);
    }
  }
}

// Spoils all steps that combine, one at a time.
void each_combination(const std::vector<Schedule>& all,
                      const std::function<void(const std::vector<Schedule>&)>& judge,
                      const std::function<void(Step&)>& spoil) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (StepId id = 0; id < all[rank].steps.size(); ++id) {
      const StepKind kind = all[rank].steps[id].kind;
      if ((kind != StepKind::recv_reduce && kind != StepKind::reduce) ||
          all[rank].steps[id].source.length == 0)
        continue;
      auto wrong = all;
      spoil(wrong[rank].steps[id]);
      INFO("rank " << rank << " step " << id);
      judge(wrong);
    }
  }
}

// Adds a step that waits for all others.
void append(Schedule& schedule, const Step& step) {
  const auto id = static_cast<StepId>(schedule.steps.size());
  schedule.steps.push_back(step);
  edit_edges(schedule, [&](std::vector<Edge>& edges) {
    for (StepId before = 0; before < id; ++before) edges.push_back({before, id});
  });
}

// An allreduce by exchange: each rank folds all contributions, rank `first_of(rank)`'s first.
std::vector<Schedule> everybody_folds(const Problem& problem,
                                      const std::function<int(Rank)>& first_of) {
  std::vector<Schedule> all;
  for (Rank rank = 0; rank < problem.P; ++rank) {
    Builder b{problem.P, rank, {.input = problem.bytes, .output = problem.bytes}};
    for (Rank to = 0; to < problem.P; ++to)
      if (to != rank) b.send(to, b.input());
    for (int i = 0; i < problem.P; ++i) {
      const Rank from = mod(first_of(rank) + i, problem.P);
      if (i == 0 && from == rank) b.copy(b.input(), b.output());
      if (i == 0 && from != rank) b.recv(from, b.output());
      if (i != 0 && from == rank) b.reduce(b.input(), b.output());
      if (i != 0 && from != rank) b.recv_reduce(from, b.output(), b.output());
    }
    all.push_back(b.finish());
  }
  return all;
}

}  // namespace

TEST_CASE("caught: a contribution left out, at every step that combines") {
  each_reduction(true, [](const std::vector<Schedule>& all, const Problem& problem) {
    const auto judge = [&](const std::vector<Schedule>& wrong) {
      caught(wrong, problem, Violation::wrong_result, "instead of byte");
    };
    each_combination(all, judge, [](Step& step) {
      step.kind = step.kind == StepKind::reduce ? StepKind::copy : StepKind::recv;
    });
  });
}

TEST_CASE("caught: a contribution counted twice") {
  each_reduction(true, [](const std::vector<Schedule>& all, const Problem& problem) {
    // At the end, a rank that has a result combines it with a copy of itself.
    auto wrong = all;
    Schedule& spoiled = wrong.back();
    const Slice result{Buffer::output, 0, problem.bytes},
        twin{Buffer::scratch, spoiled.scratch_bytes, problem.bytes};
    spoiled.scratch_bytes += problem.bytes;
    append(spoiled, {.kind = StepKind::copy, .source = result, .target = twin});
    CHECK(verify(wrong, problem).ok());
    append(spoiled, {.kind = StepKind::reduce, .source = twin, .target = result});
    caught(wrong, problem, Violation::wrong_result, "a contribution comes twice");
  });
  // A message is sent to two ranks, one of which hands it on to the other.
  std::vector<Schedule> all;
  const auto build = [&](bool twice) {
    all.clear();
    for (Rank rank : {0, 1, 2}) {
      Builder b{3, rank, {.input = 8, .output = rank == 0 ? 8 : 0}};
      if (rank == 0) {
        b.recv_reduce(1, b.input(), b.output());
        b.recv_reduce(2, b.output(), b.output());
      } else if (rank == 1) {
        b.send(0, b.input());
        if (twice) b.send(2, b.input());
      } else {
        const Slice sum = b.scratch(8);
        if (twice) b.recv_reduce(1, b.input(), sum);
        b.send(0, twice ? sum : b.input());
      }
      all.push_back(b.finish());
    }
  };
  build(false);
  CHECK(verify(all, reduction(Collective::reduce, 3, 8)).ok());
  build(true);
  caught(all, reduction(Collective::reduce, 3, 8), Violation::wrong_result,
         "a contribution comes twice: byte 0 of 2 ranks from 0 on");
}

TEST_CASE("caught: operands that changed places, where the operation is not commutative") {
  const auto turn = [](Step& step) { step.reversed = !step.reversed; };
  each_reduction(false, [&](const std::vector<Schedule>& all, const Problem& problem) {
    const auto judge = [&](const std::vector<Schedule>& wrong) {
      caught(wrong, problem, Violation::wrong_result, "in the order of ranks");
      Problem commutative = problem;
      commutative.commutative = true;
      CHECK(verify(wrong, commutative).ok());  // it is the order only
    };
    each_combination(all, judge, turn);
  });
}

TEST_CASE(
    "what says that it does not keep the order of ranks does not, nor what says so of the "
    "bracketing") {
  for (const Algorithm& algorithm : algorithms()) {
    if (!reduces(algorithm.collective)) continue;
    INFO(name_of(algorithm.collective) << " " << algorithm.name);
    for (const bool left_fold : {false, true}) {
      INFO("from left to right: " << left_fold);
      int refused = 0, wrong = 0;
      const Parameters parameters{.k = algorithm.traits.k ? 2 : 1};
      for (int P = 1; P <= 9; ++P) {
        Problem problem = reduction(algorithm.collective, P, 8, left_fold);
        problem.left_fold = left_fold;
        for (int rank = 0; rank < P && algorithm.traits.nodes; ++rank)
          problem.node.push_back(rank % 3);
        if (!why_not(algorithm, problem, parameters)) {
          CHECK(verify(build_all(algorithm.name, problem, parameters), problem).ok());
          continue;
        }
        Problem any = problem;
        any.commutative = true;
        any.left_fold = false;
        if (why_not(algorithm, any, parameters)) continue;  // not with so many ranks at all
        ++refused;
        const Verdict verdict = verify(build_all(algorithm.name, problem, parameters), problem);
        if (verdict.ok()) continue;
        ++wrong;
        CHECK(verdict.violation == Violation::wrong_result);
        CHECK_THAT(verdict.message,
                   Catch::Contains(left_fold ? "from left to right" : "in the order of ranks"));
      }
      CHECK((refused == 0) == (wrong == 0));
    }
  }
}

TEST_CASE("caught: a bracketing that is no left fold, where that is asked") {
  // x0 op (x1 op x2) instead of (x0 op x1) op x2.
  Problem problem = reduction(Collective::reduce, 3, 8, false);
  const auto right = build_all("chain", problem);
  CHECK(verify(right, problem).ok());
  problem.left_fold = true;
  caught(right, problem, Violation::wrong_result,
         "instead of byte 0 of 3 ranks from 0 on from left to right");
  CHECK(verify(build_all("linear", problem), problem).ok());
  problem.commutative = true;  // the bits still depend on the order
  caught(right, problem, Violation::wrong_result, "from left to right");
  CHECK(verify(build_all("linear", problem), problem).ok());
}

TEST_CASE("caught: an allreduce that makes the result by another expression on some rank") {
  for (int P : {3, 4, 7}) {
    const Problem problem = reduction(Collective::allreduce, P, 8);
    CHECK(verify(everybody_folds(problem, [](Rank) { return 0; }), problem).ok());
    CHECK(verify(everybody_folds(problem, [](Rank) { return 2; }), problem)
              .ok());  // alike everywhere is enough
    const auto own_first = [](Rank rank) { return rank; };
    caught(everybody_folds(problem, own_first), problem, Violation::wrong_result,
           "in another order on rank 1 than on rank 0");
    const auto last_differs = [P](Rank rank) { return rank == P - 1 ? 1 : 0; };
    caught(everybody_folds(problem, last_differs), problem, Violation::wrong_result,
           "byte 0 of the result is made in another order on rank " + std::to_string(P - 1));
  }
  // Two operands may change places.
  const Problem two = reduction(Collective::allreduce, 2, 8);
  CHECK(verify(everybody_folds(two, [](Rank rank) { return rank; }), two).ok());
  const Problem ordered = reduction(Collective::allreduce, 2, 8, false);
  caught(everybody_folds(ordered, [](Rank rank) { return rank; }), ordered, Violation::wrong_result,
         "rank 1: byte 0 of the output");
}

TEST_CASE("caught: another order for some bytes only") {
  const Problem problem = reduction(Collective::allreduce, 3, 8);
  auto all = everybody_folds(problem, [](Rank) { return 0; });
  auto other = everybody_folds(problem, [](Rank) { return 1; });
  // The bytes of rank 2 from 5 on: all messages go in two parts.
  std::vector<Schedule> both;
  for (Rank rank : {0, 1, 2}) {
    Builder b{3, rank, {.input = 8, .output = 8}};
    const auto play = [&](const Schedule& whole, Bytes from, Bytes to) {
      Schedule part = whole;
      for (Step& step : part.steps) {
        for (Slice* slice : {&step.source, &step.target})
          if (slice->length != 0) *slice = {slice->buffer, slice->offset + from, to - from};
      }
      b.play(part, b.input(), b.output());
    };
    play(all[index(rank)], 0, 5);
    play((rank == 2 ? other : all)[index(rank)], 5, 8);
    both.push_back(b.finish());
  }
  caught(both, problem, Violation::wrong_result,
         "byte 5 of the result is made in another order on rank 2 than on rank 0");
}

TEST_CASE("caught: different places of the data combined") {
  // A block instead of another one of equal length.
  const Problem problem = reduction(Collective::reduce_scatter, 4, 8);
  for (const char* name : {"ring", "pairwise", "recursive-halving", "dissemination", "linear"}) {
    INFO(name);
    auto all = build_all(name, problem);
    CHECK(verify(all, problem).ok());
    Step& send = all[2].steps[nth(all[2], StepKind::send, 0)];
    send.source.offset += send.source.offset == 0 ? 8 : -8;
    caught(all, problem, Violation::wrong_result, "are different places of the data");
  }
  // A segment instead of another one.
  for (const auto& [collective, name] :
       {std::pair{Collective::reduce, "binomial"}, std::pair{Collective::allreduce, "reduce-bcast"},
        std::pair{Collective::scan, "linear"}}) {
    INFO(name);
    const Problem cut = reduction(collective, 3, 12);
    auto all = build_all(name, cut, {1, 4});
    REQUIRE(verify(all, cut).ok());
    std::size_t rank = 0;
    while (nth(all[rank], StepKind::recv_reduce, 1) == kNoStep) ++rank;
    const Step& receive = all[rank].steps[nth(all[rank], StepKind::recv_reduce, 0)];
    Schedule& from = all[index(receive.peer)];
    std::swap(from.steps[nth(from, StepKind::send, 0)].ordinal,
              from.steps[nth(from, StepKind::send, 1)].ordinal);
    caught(all, cut, Violation::wrong_result, "are different places of the data");
  }
}

TEST_CASE("caught: something undefined combined, and nothing written") {
  const Problem problem = reduction(Collective::allreduce, 4, 8);
  auto all = build_all("recursive-doubling", problem);
  all[1].steps[nth(all[1], StepKind::recv_reduce, 0)].source = {Buffer::output, 0, 8};
  all[1].steps[nth(all[1], StepKind::recv_reduce, 0)].target = {Buffer::output, 0, 8};
  caught(all, problem, Violation::wrong_result, "an operand is not defined");
}

TEST_CASE("caught: a scan of one rank too many or too few") {
  const Problem inclusive = reduction(Collective::scan, 5, 8, false),
                exclusive = reduction(Collective::exscan, 5, 8, false);
  for (const char* name : {"linear", "recursive-doubling"}) {
    CHECK(verify(build_all(name, inclusive), inclusive).ok());
    CHECK(verify(build_all(name, exclusive), exclusive).ok());
    caught(build_all(name, inclusive), exclusive, Violation::wrong_result,
           "rank 1: byte 0 of the output holds byte 0 of 2 ranks from 0 on");
    caught(build_all(name, exclusive), inclusive, Violation::wrong_result,
           "rank 0: byte 0 of the output holds nothing defined");
  }
}
