// Sketches of exchanges beside the simulator, which plays the schedules that run.
#include <catch2/catch.hpp>
#include <string>

#include "tests/models/decision/compared.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;
using tests::adapter, tests::compared_alone, tests::compared_on, tests::Compared;

TEST_CASE("estimates of Bine exchanges know that partners are an odd number of ranks apart",
          "[decision]") {
  for (const bool in_turn : {false, true})
    for (const char* const name : {"bine-doubling", "bine-halving-doubling"}) {
      Problem problem{{.collective = Collective::allreduce, .bytes = 65536}, 32};
      for (int rank = 0; rank < 32; ++rank) problem.node.push_back(in_turn ? rank % 8 : rank / 4);
      const Choice choice = parse_choices(std::string("allreduce=") + name).begin()->second;
      const Facts facts = facts_of_nodes(problem.node.of_rank());
      const double estimate = estimate_of(choice, problem.bytes, adapter(), facts).latency;
      const auto result = simulate(problem.P,
                                   [&](Rank rank) {
                                     Problem mine = problem;
                                     mine.rank = rank;
                                     return choice.algorithm->build(mine, choice.parameters);
                                   },
                                   adapter(), {.node = problem.node.of_rank()});
      INFO(name << (in_turn ? ", in turn" : ", blocks"));
      CHECK(estimate < 1.5 * result.time);
      CHECK(estimate > result.time / 1.5);
    }
}

// A partner that stands for a lender, too, has two blocks; backwards, partners without lenders send
// at once. The time is that of the bytes, so a block more or less is seen. Backwards, the estimate
// leaves out what is combined before the answer goes, up to a tenth.
TEST_CASE("estimates know how many blocks partners with lenders have", "[decision]") {
  struct Case {
    const char* choice;
    int P;
    double most;
  };
  Platform apart = adapter();
  apart.shared_ports = false;
  for (const Case& one : {Case{"allgather=recursive-doubling", 3, 1.02},
                          Case{"allgather=recursive-doubling", 5, 1.02},
                          Case{"allgather=recursive-doubling", 6, 1.02},
                          Case{"allgather=recursive-doubling", 7, 1.02},
                          Case{"reduce_scatter=recursive-halving", 3, 1.1},
                          Case{"reduce_scatter=recursive-halving", 5, 1.1},
                          Case{"reduce_scatter=recursive-halving", 6, 1.1},
                          Case{"reduce_scatter=recursive-halving", 7, 1.1},
                          Case{"reduce_scatter=recursive-halving", 8, 1.02}}) {
    const auto [collective, choice] = *parse_choices(one.choice).begin();
    const Compared found = compared_alone(to_string(choice), collective, one.P, 1 << 20, apart);
    INFO(one.choice << ", " << one.P << " ranks: " << found.estimate << " us, simulated "
                    << found.simulated);
    CHECK(found.estimate < one.most * found.simulated);
    CHECK(found.estimate > found.simulated / one.most);
  }
}

// A block goes on by a rank in each round of a neighbor exchange, while others go on over the same
// border: up to 1.7 times too long by the estimates before.
TEST_CASE("estimates of neighbor exchanges follow a block over borders", "[decision]") {
  for (const int nodes : {3, 5, 8})
    for (const int each : {2, 4, 5, 6})
      for (const Bytes bytes : {4096, 65536}) {
        if (nodes * each % 2 != 0) continue;
        const Compared found =
            compared_on("neighbor-exchange", Collective::allgather, nodes, each, bytes, adapter());
        INFO(nodes << " x " << each << " ranks, " << bytes << " bytes: " << found.estimate
                   << " us, simulated " << found.simulated);
        CHECK(found.estimate == Approx(found.simulated).epsilon(0.25));
        CHECK(found.estimated_leaving == Approx(found.simulated_leaving).epsilon(0.1));
      }
}

// In the last round of five ranks with two partners each, a block goes that has been there from the
// start, and one that comes in the first message of the round before.
TEST_CASE("estimates of Bruck's last round wait for what it sends", "[decision]") {
  for (const char* const params : {"rxe", "hardware"}) {
    const Compared found =
        compared_alone("bruck(k=2)", Collective::allgather, 5, 8, *find_shipped(params));
    INFO(params << ": " << found.estimate << " us, simulated " << found.simulated);
    CHECK(found.estimate == Approx(found.simulated).epsilon(0.02));
  }
}

// The ranks of a node wait for its port in the first round only: then they come to it one after
// another. Estimates that counted that in each round were 1.3 to 1.7 times too long.
TEST_CASE("estimates of exchanges know that ranks wait for their node's port once", "[decision]") {
  struct Case {
    const char* rule;
    int nodes, each;
  };
  for (const Case& one :
       {Case{"allreduce=recursive-doubling", 16, 4}, Case{"allgather=recursive-doubling", 8, 4},
        Case{"barrier=dissemination", 8, 4}, Case{"allgather=bruck", 16, 4},
        Case{"alltoall=bruck", 16, 4}, Case{"alltoall=pairwise", 8, 4},
        Case{"alltoall=pairwise", 8, 8}}) {
    const auto [collective, choice] = *parse_choices(one.rule).begin();
    const Compared found =
        compared_on(to_string(choice), collective, one.nodes, one.each, 8, adapter());
    INFO(one.rule << ", " << one.nodes << " x " << one.each << ": " << found.estimate
                  << " us, simulated " << found.simulated);
    CHECK(found.estimate < 1.25 * found.simulated);
    CHECK(found.estimate > found.simulated / 1.25);
  }
}

// With 5 ranks, the block of the last round is there from the beginning. With 24, the 8 blocks of
// the last one are there after three of five.
TEST_CASE("estimates know how early the last blocks of a dissemination can be sent", "[decision]") {
  for (const int P : {5, 6, 9, 12, 24})
    for (const Bytes bytes : {8, 4096, 65536}) {
      const Compared found = compared_alone("bruck", Collective::allgather, P, bytes, adapter());
      INFO(P << " ranks, " << bytes << " bytes: " << found.estimate << " us, simulated "
             << found.simulated);
      CHECK(found.estimate < 1.25 * found.simulated);
      CHECK(found.estimate > found.simulated / 1.25);
    }
}

// Up to a quarter too short, when it was taken for a scan.
TEST_CASE("estimates know that an exscan combines each message twice", "[decision]") {
  for (const int P : {4, 8, 15, 16}) {
    const Compared found = compared_on("recursive-doubling", Collective::exscan, 1, P, 65536,
                                       tests::platform_named("shm"));
    INFO(P << " ranks: " << found.estimate << " us, simulated " << found.simulated);
    CHECK(found.estimate == Approx(found.simulated).epsilon(0.15));
  }
}

// With 192 ranks on nodes of 12, the last 64 are partners without lenders: their nodes send twice
// as many messages as the others. Up to 1.5 times too short, when only their bytes were counted.
TEST_CASE("estimates know how many messages leave a node whose ranks have no lenders",
          "[decision]") {
  for (const int nodes : {8, 16}) {
    const Compared found =
        compared_on("recursive-halving", Collective::reduce_scatter, nodes, 12, 8, adapter());
    INFO(nodes << " nodes: " << found.estimate << " us, simulated " << found.simulated);
    CHECK(found.estimate < 1.25 * found.simulated);
    CHECK(found.estimate > found.simulated / 1.25);
  }
}
