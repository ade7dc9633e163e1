// Right schedules are spoilt in every way that moves data wrongly: the verifier must catch each,
// and name it.
#include "collectives/schedule/builder.hpp"
#include "tests/collectives/analysis/spoil.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("caught: a lost message") {
  const Problem problem = allgather_of(4, 8);
  for (StepKind kind : {StepKind::send, StepKind::recv}) {
    auto all = build_all("ring", problem);
    remove_step(all[2], nth(all[2], kind, 2));
    caught(all, problem, Violation::unmatched_message,
           kind == StepKind::send ? "never sent" : "never received");
  }
}

TEST_CASE("caught: a message with an ordinal of its own") {
  const Problem problem = allgather_of(4, 8);
  auto all = build_all("ring", problem);
  all[1].steps[nth(all[1], StepKind::send, 2)].ordinal = 7;
  caught(all, problem, Violation::unmatched_message, "rank 1");
}

TEST_CASE("caught: crossed order of two messages between the same ranks") {
  const Problem problem = allgather_of(5, 8);
  auto all = build_all("ring", problem);
  std::swap(all[2].steps[nth(all[2], StepKind::recv, 0)].ordinal,
            all[2].steps[nth(all[2], StepKind::recv, 2)].ordinal);
  CHECK_FALSE(verify(all, problem).ok());
  const Problem broadcast = bcast_of(2, 100);
  all = build_all("linear", broadcast, {1, 50});
  std::swap(all[1].steps[0].ordinal, all[1].steps[1].ordinal);
  caught(all, broadcast, Violation::wrong_result,
         "rank 1: byte 0 of the output holds byte 50 of rank 0 instead of byte 0 of rank 0");
}

TEST_CASE("caught: a message of which its ends make different uses") {
  const Problem problem = allgather_of(4, 8);
  auto all = build_all("ring", problem);
  all[1].steps[nth(all[1], StepKind::recv, 1)].use = protocols::Use::combined;
  caught(all, problem, Violation::use_mismatch, "rank 1");
}

TEST_CASE("caught: crossed order of different lengths") {
  const Problem problem = bcast_of(2, 99);
  auto all = build_all("linear", problem, {1, 50});
  std::swap(all[1].steps[0].ordinal, all[1].steps[1].ordinal);
  caught(all, problem, Violation::size_mismatch, "sends 50 bytes");
}

TEST_CASE("caught: overlapping write, that is an edge forgotten") {
  const Problem problem = allgather_of(6, 8);
  for (const char* name :
       {"ring", "recursive-doubling", "gather-bcast", "gather-bcast-binomial", "bruck"}) {
    auto all = build_all(name, problem);
    int edges = 0, found = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      for (std::size_t e = 0; e < all[rank].successors.size(); ++e) {
        auto wrong = all;
        edit_edges(wrong[rank], [&](std::vector<Edge>& list) {
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(e));
        });
        const Verdict verdict = verify(wrong, problem);
        ++edges;
        found += verdict.violation == Violation::unordered_overlap;
        if (verdict.violation != Violation::none)
          CHECK(verdict.violation == Violation::unordered_overlap);
      }
    }
    INFO(name);
    CHECK(edges > 0);
    CHECK(found == edges);  // none of the builder's edges is idle here
  }
}

TEST_CASE("caught: a receive over bytes that are still being sent") {
  const Problem problem = allgather_of(3, 8);
  auto all = build_all("modified-ring", problem);
  all[0].steps[nth(all[0], StepKind::recv, 1)].target.offset -= 1;
  caught(all, problem, Violation::unordered_overlap, "of output");
}

TEST_CASE("caught: wrong bytes") {
  const Problem problem = allgather_of(4, 8, true);
  auto all = build_all("ring", problem);
  all[3].steps[nth(all[3], StepKind::send, 0)].source.offset -= 8;
  CHECK_FALSE(verify(all, problem).ok());
  const Problem out_of_place = allgather_of(4, 8);
  all = build_all("modified-ring", out_of_place);
  std::swap(all[3].steps[nth(all[3], StepKind::recv, 0)].target,
            all[3].steps[nth(all[3], StepKind::recv, 1)].target);
  caught(all, out_of_place, Violation::wrong_result,
         "rank 3: byte 8 of the output holds byte 0 of rank 2 instead of byte 0 of rank 1");
  all = build_all("modified-ring", out_of_place);
  remove_step(all[1], nth(all[1], StepKind::copy, 0));
  caught(all, out_of_place, Violation::wrong_result,
         "holds nothing defined instead of byte 0 of rank 1");
}

TEST_CASE("caught: deadlock of sends that wait for receives behind them") {
  std::vector<Schedule> all;
  for (Rank rank : {0, 1}) {
    Builder s{2, rank, {.input = 4, .output = 8}};
    s.copy(s.input(), {Buffer::output, 4 * rank, 4});
    s.send(1 - rank, s.input());
    s.round();
    s.recv(1 - rank, {Buffer::output, 4 * (1 - rank), 4});
    all.push_back(s.finish());
  }
  // With slots it would pass: only rendezvous shows it.
  caught(all, allgather_of(2, 4), Violation::deadlock, "waits for ever");
}

TEST_CASE("caught: deadlock of a circle of receives") {
  std::vector<Schedule> all;
  for (Rank rank : {0, 1, 2}) {
    Builder s{3, rank};
    s.await(mod(rank - 1, 3));
    s.round();
    s.signal(mod(rank + 1, 3));
    all.push_back(s.finish());
  }
  caught(all, barrier_of(3), Violation::deadlock, "which does not get ready");
}

TEST_CASE("caught: deadlock of one slot, the second message being wanted first") {
  // Rank 0 sends two messages in any order; rank 1 consumes the second before the first. Rendezvous
  // allows that; one slot, with nothing set aside, does not.
  Builder from{2, 0, {.output = 2}};
  from.send(1, {Buffer::output, 0, 1});
  from.send(1, {Buffer::output, 1, 1});
  Builder to{2, 1, {.output = 2}};
  to.recv(0, {Buffer::output, 0, 1});
  to.recv(0, {Buffer::output, 1, 1});
  std::vector<Schedule> all{from.finish(), to.finish()};
  CHECK(verify(all, bcast_of(2, 2)).ok());
  edit_edges(all[1], [](std::vector<Edge>& edges) { edges.push_back({1, 0}); });
  caught(all, bcast_of(2, 2), Violation::deadlock, "the slot between them being full");
}

TEST_CASE("caught: steps of one rank that wait for each other") {
  const Problem problem = allgather_of(3, 8);
  auto all = build_all("ring", problem);
  edit_edges(all[1], [](std::vector<Edge>& edges) {
    edges.push_back({edges[0].after, edges[0].before});
  });
  caught(all, problem, Violation::deadlock, "in a circle");
}

TEST_CASE("caught: out of bounds, in every way") {
  const Problem problem = allgather_of(3, 8);
  const auto with = [&](const std::function<void(Schedule&)>& spoil, const std::string& says) {
    auto all = build_all("ring", problem);
    spoil(all[1]);
    caught(all, problem, Violation::out_of_bounds, says);
  };
  with([](Schedule& s) { s.steps[nth(s, StepKind::recv, 0)].target.offset = 17; },
       "bytes [17, 25) of output do not exist");
  with([](Schedule& s) { s.steps[nth(s, StepKind::send, 0)].source.offset = -1; },
       "of input do not exist");
  with(
      [](Schedule& s) {
        s.steps[nth(s, StepKind::send, 0)].source = {Buffer::scratch, 0, 8};
      },
      "of scratch do not exist");
  with(
      [](Schedule& s) {
        s.steps[nth(s, StepKind::recv, 0)].target = {Buffer::input, 0, 8};
      },
      "writes to the input");
  const auto with_peer = [&](StepKind kind, Rank peer, const std::string& says) {
    with([&](Schedule& s) { s.steps[nth(s, kind, 0)].peer = peer; }, says);
  };
  with_peer(StepKind::send, 3, "rank 1 sends to rank 3 of 3 (step ");
  with_peer(StepKind::send, -1, "rank 1 sends to rank -1 of 3 (step ");
  with_peer(StepKind::send, 1, "its peer is the rank itself");
  with_peer(StepKind::recv, 1 << 30, "rank 1 receives from rank 1073741824 of 3 (step ");
  with_peer(StepKind::recv, 1, "its peer is the rank itself");
  with([](Schedule& s) { ++s.steps[0].predecessors; }, "predecessors");
  with([](Schedule& s) { s.successors[0] = 99; }, "does not exist");
  with([](Schedule& s) { s.rank = 2; }, "says rank 2");
}

TEST_CASE("caught: operands of different lengths") {
  const Problem problem{{.collective = Collective::allreduce, .bytes = 32, .element = 8}, 4};
  for (const Bytes length : {0, 8, 24}) {
    auto all = build_all("recursive-doubling", problem);
    Schedule& spoiled = all[1];
    const StepId id = nth(spoiled, StepKind::recv_reduce, 0);
    REQUIRE(id != kNoStep);
    spoiled.steps[id].source.length = length;
    caught(all, problem, Violation::out_of_bounds, "source and target differ in length");
  }
}

TEST_CASE("caught: buffers shorter than the caller's") {
  for (const bool in_place : {false, true}) {
    std::vector<Schedule> all;
    for (Rank rank = 0; rank < 3; ++rank) {
      Schedule& empty = all.emplace_back();
      empty.P = 3, empty.rank = rank, empty.in_place = in_place;
    }
    caught(all, allgather_of(3, 8, in_place), Violation::wrong_result,
           "the schedule is for 0 bytes of input and 0 of output");
  }
}

TEST_CASE("caught: a barrier that can be left too early") {
  for (int P : {4, 5, 9, 70}) {
    auto all = build_all("dissemination", barrier_of(P));
    edit_edges(all[1],
               [](std::vector<Edge>& edges) { edges.clear(); });  // the rounds run into each other
    caught(all, barrier_of(P), Violation::wrong_result, "can leave the barrier before rank");
  }
}

TEST_CASE("caught: a size that differs between the ranks") {
  auto all = build_all("chain", bcast_of(3, 100));
  all[2] = build_all("chain", bcast_of(3, 90))[2];
  caught(all, bcast_of(3, 100), Violation::size_mismatch, "expects 90");
}
