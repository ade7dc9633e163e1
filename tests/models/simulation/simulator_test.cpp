// Simulated times that can be computed by hand, and what else the simulator counts.
#include "models/simulation/simulator.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/schedule/builder.hpp"
#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

namespace {

const Platform kOfBoba = platform_of(kBoba);
constexpr double kMessage = 46.7;  // Boba: L + 2o

double time_of(std::string_view algorithm, const Problem& problem, const Platform& platform,
               const Parameters& parameters = {}) {
  return simulated(algorithm, problem, platform, parameters).time;
}

}  // namespace

TEST_CASE("simulator: the gap separates the messages of one sender") {
  // IB figure 4.2: three messages, o_s + 2g + L + o_r.
  CHECK(time_of("linear", bcast_of(4, 8), platform_of("ib-figure-4.2")) == near(5 + 20 + 20 + 6));
  // If the overhead is longer, it is the processor that they wait for.
  CHECK(time_of("linear", bcast_of(4, 8), platform_of(LogP{20, 15, 6, 10})) == near(45 + 20 + 6));
}

TEST_CASE("simulator: the gap separates the messages of one receiver") {
  // All arrive at o + L, and pass the port g apart; then the root tells three ranks.
  CHECK(time_of("flat-tree", barrier_of(4), platform_of("ib-figure-4.2")) ==
        near((5 + 20 + 20 + 6) + (5 + 20 + 20 + 6)));
}

TEST_CASE("simulator: a short message holds a longer one up by its own time only") {
  // Ranks 1 and 2 send to rank 0, one of them g = 2 later. The first bytes come at 1 + 10.
  const auto check = [](Rank late, Bytes of_1, Bytes of_2, double first, double second) {
    std::vector<Schedule> all;
    for (Rank rank = 0; rank < 4; ++rank) {
      Builder s{4, rank, {.input = 1001, .output = 2002}};
      if (rank == late) s.signal(3);
      if (rank == 3) s.await(late);
      if (rank == 1) s.send(0, {Buffer::input, 0, of_1});
      if (rank == 2) s.send(0, {Buffer::input, 0, of_2});
      if (rank == 0) s.recv(1, {Buffer::output, 0, of_1}), s.recv(2, {Buffer::output, 1001, of_2});
      all.push_back(s.finish());
    }
    const auto result = simulate(4, [&](Rank rank) { return all[index(rank)]; },
                                 platform_of(models::LogGP{10, 1, 1, 2, 0.1}), {.record = true});
    std::vector<double> begins;
    for (const Bar& bar : result.bars)
      if (bar.rank == 0) begins.push_back(bar.begin);
    REQUIRE(begins.size() == 2);
    CHECK(begins[0] == near(first));
    CHECK(begins[1] == near(second));
  };
  // The short message comes while the long one is under way.
  check(2, 1001, 1, 13, 11 + 100 + 2);
  check(1, 1, 1001, 13, 11 + 100 + 2);
  // It comes before it: g separates them.
  check(1, 1001, 1, 11, 11 + 2 + 100);
  check(1, 101, 51, 11 + 5, 11 + 5 + 2 + 10);
}

TEST_CASE("simulator: a round of an exchange is one message") {
  for (int P : {2, 3, 8, 9}) {
    const double rounds = P == 2 ? 1 : P == 3 ? 2 : P == 8 ? 3 : 4;
    CHECK(time_of("dissemination", barrier_of(P), kOfBoba) == near(rounds * kMessage));
  }
  CHECK(time_of("recursive-doubling", barrier_of(8), kOfBoba) == near(3 * kMessage));
  CHECK(time_of("double-ring", barrier_of(5), kOfBoba) == near(10 * kMessage));
}

TEST_CASE("simulator: bytes leave one after another") {
  // OCC table 2, linear and pipeline: LogGP.
  const Parameters segments{.segment = 1024};
  CHECK(time_of("linear", bcast_of(5, 1024), kOfBoba) ==
        near(30.4 + 2 * 8.15 - 8.683 + 4 * (1023 * 0.015 + 8.683)));
  CHECK(time_of("chain", bcast_of(5, 4096), kOfBoba, segments) ==
        near(4 * (30.4 + 2 * 8.15 + 1023 * 0.015) + 3 * (8.683 + 1023 * 0.015)));
}

TEST_CASE("simulator: under Hockney a port carries one message at a time, each way") {
  const Platform hockney = platform_of(Hockney{2, 0.5});
  const double one = 2 + 100 * 0.5;
  CHECK(time_of("linear", bcast_of(4, 100), hockney) == near(3 * one));
  CHECK(time_of("binomial", bcast_of(8, 100), hockney) == near(3 * one));
  CHECK(time_of("ring", allgather_of(6, 100), hockney) == near(5 * one));
  const Problem reduce{{.collective = Collective::reduce, .bytes = 100}, 4};
  CHECK(time_of("linear", reduce, hockney) == near(3 * one));
}

TEST_CASE("simulator: a port of several adapters passes as many messages at a time") {
  Platform hockney = platform_of(Hockney{2, 0.5});
  const double one = 2 + 100 * 0.5;
  hockney.adapters = 3;  // BEO's o
  CHECK(time_of("linear", bcast_of(4, 100), hockney) == near(one));
  CHECK(time_of("linear", bcast_of(5, 100), hockney) == near(2 * one));
  CHECK(time_of("modified-ring", allgather_of(8, 100), hockney) == near(3 * one));
  const Problem reduce{{.collective = Collective::reduce, .bytes = 100}, 8};
  CHECK(time_of("linear", reduce, hockney) == near(3 * one));
  hockney.within = hockney.between;  // within a node adapters pass nothing
  CHECK(simulated("linear", bcast_of(4, 100), hockney, {}, {.node = {0, 0, 0, 0}}).time ==
        near(3 * one));
}

TEST_CASE("simulator: split Hockney keeps both processors busy") {
  const Platform bunyip = platform_of("bunyip");
  const double S = 24 + 82.5, R = 180 + 1063;  // 1000 elements of 8 bytes
  CHECK(time_of("chain", bcast_of(4, 8000), bunyip) == near(3 * (S + R)));
  CHECK(time_of("linear", bcast_of(4, 8000), bunyip) == near(3 * S + R));
  CHECK(time_of("ring", allgather_of(8, 8000), bunyip) == near(7 * (S + R)));  // BEO eq. 9
}

TEST_CASE("simulator: LogfP's first f messages are free of the gap") {
  // IB §5.1.2. Overheads of 2.0 and then 0.5; g = 3, L = 5, o_r = 1.5.
  const auto scatter = [](int P) {
    return Problem{{.collective = Collective::scatter, .bytes = 8}, P};
  };
  CHECK(time_of("linear", scatter(2), platform_of("ib-figure-5.7")) == near(2.0 + 5 + 1.5));
  CHECK(time_of("linear", scatter(3), platform_of("ib-figure-5.7")) == near(2.5 + 5 + 1.5));
  // The third message starts g after the first one, the fourth 2g.
  CHECK(time_of("linear", scatter(4), platform_of("ib-figure-5.7")) == near(3 + 0.5 + 5 + 1.5));
  CHECK(time_of("linear", scatter(5), platform_of("ib-figure-5.7")) == near(6 + 0.5 + 5 + 1.5));
  CHECK(time_of("linear", scatter(5), platform_of("ib-figure-5.8")) == near(3.5 + 5 + 1.5));
}

TEST_CASE("simulator: LogfP's first f messages pass the receiver's port at once") {
  // All are at the root's port at 2.0 + 5. The first f are received one after the other, with 1.5
  // and then 0.5 each; of the others one comes every g = 3, and finds the processor idle.
  const auto gather = [](int P) {
    return Problem{{.collective = Collective::gather, .bytes = 8}, P};
  };
  CHECK(time_of("linear", gather(3), platform_of("ib-figure-5.7")) == near(7 + 1.5 + 0.5));
  CHECK(time_of("linear", gather(4), platform_of("ib-figure-5.7")) == near(7 + 3 + 1.5));
  CHECK(time_of("linear", gather(5), platform_of("ib-figure-5.7")) == near(7 + 2 * 3 + 1.5));
  CHECK(time_of("linear", gather(5), platform_of("ib-figure-5.8")) == near(7 + 1.5 + 3 * 0.5));
  // Here the processor has just received the fourth one.
  CHECK(time_of("linear", gather(6), platform_of("ib-figure-5.8")) == near(7 + 3 + 0.5));
}

TEST_CASE("simulator: what combining and copying take is the processor's") {
  Platform platform = kOfBoba;
  platform.reduce_per_byte = 0.01;
  const Problem reduce{{.collective = Collective::reduce, .bytes = 101}, 3};
  CHECK(time_of("chain", reduce, platform) == near(2 * (kMessage + 1.5 + 1.01)));
  platform.copy_per_byte = 0.02;
  const Problem alone{{.collective = Collective::allgather, .bytes = 100}, 1};
  CHECK(time_of("ring", alone, platform) == near(2));
}

TEST_CASE("simulator: a receiver takes the first pieces while the sender makes the next ones") {
  Platform platform = platform_of(LogP{});
  platform.within = LogGPO{.O = 0.01};
  platform.piece = 100;
  const auto on_one_node = [&](std::string_view algorithm, const Problem& problem) {
    const std::vector<int> node(index(problem.P), 0);
    return simulated(algorithm, problem, platform, {}, {.node = node}).time;
  };
  CHECK(on_one_node("linear", bcast_of(2, 100)) == near(1 + 1));
  CHECK(on_one_node("linear", bcast_of(2, 1000)) == near(10 + 1));
  CHECK(on_one_node("chain", bcast_of(4, 1000)) == near(3 * (10 + 1)));
  // The root takes one message after another; who sends takes nothing meanwhile.
  CHECK(on_one_node("linear", {{.collective = Collective::gather, .bytes = 1000}, 3}) ==
        near(1 + 2 * 10));
  CHECK(on_one_node("recursive-doubling", allgather_of(2, 1000)) == near(10 + 10));
  // Combining takes longer than the message, and begins with the first piece.
  const Problem reduce{{.collective = Collective::reduce, .bytes = 1000}, 2};
  platform.reduce_per_byte = 0.02;
  CHECK(on_one_node("linear", reduce) == near(1 + 10 + 20));
  // It takes less, and is hidden but for the last piece; between nodes it is not.
  platform.within = models::LogGP{.G = 0.01};
  platform.reduce_per_byte = 0.005;
  CHECK(on_one_node("linear", reduce) == near(999 * 0.01 + 100 * 0.005));
  platform.between = *platform.within;
  CHECK(time_of("linear", reduce, platform) == near(999 * 0.01 + 1000 * 0.005));
}

TEST_CASE("simulator: a rendezvous waits until the receiver is ready") {
  const Platform platform = platform_of(LogGPS{30.40, 8.15, 8.15, 8.683, 0.015, 100});
  CHECK(time_of("linear", bcast_of(2, 101), platform) == near(38.55 + kMessage + 1.5));
  // Down a chain every rank posts its receive at once, so only the first message waits.
  CHECK(time_of("chain", bcast_of(3, 101), platform) == near(38.55 + 2 * (kMessage + 1.5)));
  // Times by the protocol that the channel takes are equal.
  const protocols::Limits limits{8, 16, 100, true, false, false};
  const auto with_limits = [&](Bytes bytes) {
    return simulated("linear", bcast_of(2, bytes), kOfBoba, {}, {.limits = limits}).time;
  };
  CHECK(with_limits(100) == near(kMessage + 99 * 0.015));
  CHECK(with_limits(101) == near(38.55 + kMessage + 1.5));
}

TEST_CASE("simulator: a message that arrives within a gap is received within it") {
  // Each rank sends two messages g = 10 apart, from 0 and from 10 on; the first one of its
  // neighbour comes at 4, and is received at once.
  std::vector<Schedule> all;
  for (Rank rank : {0, 1}) {
    Builder s{2, rank};
    s.signal(1 - rank), s.signal(1 - rank);
    s.await(1 - rank), s.await(1 - rank);
    all.push_back(s.finish());
  }
  const auto result = simulate(2, [&](Rank rank) { return all[index(rank)]; },
                               platform_of(LogP{3, 1, 1, 10}), {.record = true});
  std::vector<double> begins;
  for (const Bar& bar : result.bars)
    if (bar.rank == 0) begins.push_back(bar.begin);
  CHECK(begins == std::vector<double>{0, 4, 10, 14});
  CHECK(result.time == near(15));
}

TEST_CASE("simulator: two levels, each with its model") {
  // Four ranks on two nodes. The ring's slowest message each round is the one between nodes.
  const Platform metropolis = platform_of("metropolis");
  const double between = 32.986 + 2 * 2.8775, within = 1.683 + 2 * 0.1095;
  const SimulationOptions two_nodes{.node = {0, 0, 1, 1}, .links = true};
  const auto chain = simulated("chain", bcast_of(4, 1), metropolis, {}, two_nodes);
  CHECK(chain.time == near(between + 2 * within));
  CHECK(chain.within.messages == 2);
  CHECK(chain.between.messages == 1);
  CHECK(chain.nodes[0].sent.bytes == 1);
  CHECK(chain.nodes[1].received.messages == 1);
  CHECK(chain.links.at({0, 1}).messages == 1);
  CHECK(chain.finished[0] < chain.finished[3]);
  const auto one_node = simulated("chain", bcast_of(4, 1), metropolis, {}, {.node = {0, 0, 0, 0}});
  CHECK(one_node.time == near(3 * within));
}

TEST_CASE("simulator: three levels: within a socket, between sockets, between nodes") {
  Platform platform = platform_of("metropolis");
  platform.between_sockets = LogP{5, 1, 1, 1};
  const double between = 32.986 + 2 * 2.8775, within = 1.683 + 2 * 0.1095, across = 7;
  SimulationOptions setting{.node = {0, 0, 0, 0, 1, 1, 1, 1}, .socket = {0, 0, 1, 1, 0, 0, 1, 1}};
  const auto chain = simulated("chain", bcast_of(8, 1), platform, {}, setting);
  CHECK(chain.time == near(between + 2 * across + 4 * within));
  CHECK(chain.between.messages == 1);
  CHECK(chain.within.messages == 6);
  CHECK(chain.between_sockets.messages == 2);
  CHECK(chain.between_sockets.bytes == 2);
  // Sockets of two nodes are not one.
  setting.node = {0, 1, 0, 1, 0, 1, 0, 1};
  CHECK(simulated("chain", bcast_of(8, 1), platform, {}, setting).time == near(7 * between));
  setting.socket = {};  // one socket a node
  setting.node = std::vector<int>(8);
  CHECK(simulated("chain", bcast_of(8, 1), platform, {}, setting).time == near(7 * within));
}

TEST_CASE("simulator: ranks of a node can share its port") {
  // Ranks 0 and 1 send to 2 and 3 at once: two ports, or one after the other.
  std::vector<Schedule> all;
  for (Rank rank = 0; rank < 4; ++rank) {
    Builder s{4, rank};
    rank < 2 ? s.signal(rank + 2) : s.await(rank - 2);
    all.push_back(s.finish());
  }
  Platform platform{.between = LogP{20, 5, 6, 10}, .within = LogP{}};
  const auto time = [&] {
    return simulate(4, [&](Rank rank) { return all[index(rank)]; }, platform,
                    {.node = {0, 0, 1, 1}})
        .time;
  };
  CHECK(time() == near(31));
  platform.shared_ports = true;
  CHECK(time() == near(41));
  // The last message had to wait for that of the other rank.
  const auto result = simulate(4, [&](Rank rank) { return all[index(rank)]; }, platform,
                               {.node = {0, 0, 1, 1}, .record = true});
  std::vector<Rank> ranks;
  for (const std::size_t i : result.critical_path) ranks.push_back(result.bars[i].rank);
  CHECK(ranks == std::vector<Rank>{0, 1, 3});
}

TEST_CASE("simulator: the gap depends on how many ranks a rank sends to") {
  Platform platform{.between = LogP{20, 5, 6, 10}};
  platform.gap_by_destinations.between = Curve({{1, 1}, {4, 1}, {8, 0.7}});
  // OCC §6.2: beyond a number of ranks the slope is lower.
  CHECK(time_of("linear", bcast_of(5, 8), platform) == near(31 + 3 * 10));
  CHECK(time_of("linear", bcast_of(9, 8), platform) == near(31 + 7 * 7));
  CHECK(time_of("linear", bcast_of(20000, 8), platform) == near(31 + 19998 * 7.0));
  // The processor is busy for its overhead still, and a receiver's port has the same gap as ever.
  platform.gap_by_destinations.between = Curve(0.1);
  CHECK(time_of("linear", bcast_of(9, 8), platform) == near(31 + 7 * 5));
  CHECK(time_of("linear", {{.collective = Collective::gather, .bytes = 8}, 9}, platform) ==
        near(31 + 7 * 10));
  platform.gap_by_destinations.between = Curve({{1, 1}, {3, 2}});
  CHECK(time_of("at-once", {{.collective = Collective::alltoall, .bytes = 8}, 4}, platform) ==
        near(31 + 2 * 20));
  // Several messages to one rank have one destination.
  CHECK(time_of("chain", bcast_of(2, 4), platform, {.segment = 1}) == near(31 + 3 * 10));
}

TEST_CASE("simulator: each level counts the destinations that messages over it have") {
  Platform platform{.between = LogP{20, 5, 6, 10}, .within = LogP{}};
  platform.gap_by_destinations.between = Curve({{1, 1}, {2, 0.7}, {3, 4}});
  const SimulationOptions two_nodes{.node = {0, 0, 1, 1}};
  CHECK(simulated("linear", bcast_of(4, 8), platform, {}, two_nodes).time == near(31 + 7));
  platform.within = LogP{0, 0, 0, 1};
  platform.gap_by_destinations.within = Curve({{1, 1}, {3, 5}});
  const SimulationOptions one_node{.node = {0, 0, 0, 0}};
  CHECK(simulated("linear", bcast_of(4, 8), platform, {}, one_node).time == near(2 * 5));
  platform.between_sockets = platform.within;
  const SimulationOptions sockets{.node = {0, 0, 0, 0}, .socket = {0, 1, 1, 1}};
  CHECK(simulated("linear", bcast_of(4, 8), platform, {}, sockets).time == near(2));
  platform.gap_by_destinations.between_sockets = Curve(3);
  CHECK(simulated("linear", bcast_of(4, 8), platform, {}, sockets).time == near(2 * 3));
}

TEST_CASE("simulator: a factor of 1 changes nothing") {
  for (const char* const name : {"boba", "ib-figure-5.8", "bluegene-p"}) {
    const Platform platform = platform_of(name);
    Platform same = platform;
    same.gap_by_destinations.between = Curve({{1, 1}, {16, 1}});
    for (const char* const algorithm : {"linear", "binomial", "binary", "scatter-ring"})
      for (const Bytes bytes : {0, 8, 65536})
        CHECK(time_of(algorithm, bcast_of(24, bytes), same) ==
              time_of(algorithm, bcast_of(24, bytes), platform));
  }
}

TEST_CASE("simulator: noise and lateness come from a seed") {
  const auto time = [](double noise, double late, std::uint64_t seed) {
    return simulated("dissemination", barrier_of(16), kOfBoba, {},
                     {.noise = noise, .late = late, .seed = seed})
        .time;
  };
  CHECK(time(0, 0, 1) == time(0, 0, 2));
  CHECK(time(0.1, 0, 1) == time(0.1, 0, 1));
  CHECK(time(0.1, 0, 1) != time(0.1, 0, 2));
  CHECK(time(0.1, 0, 1) > time(0, 0, 1));
  CHECK(time(0, 100, 7) > time(0, 0, 1));
  CHECK(time(0, 100, 7) <= time(0, 0, 1) + 100);
}

TEST_CASE("simulator: the critical path leads from the first step to the last") {
  const auto result = simulated("chain", bcast_of(4, 1), kOfBoba, {}, {.record = true});
  REQUIRE(result.critical_path.size() == 6);  // three messages, both ends of each
  CHECK(result.bars[result.critical_path.front()].begin == 0);
  CHECK(result.bars[result.critical_path.back()].end == result.time);
  const auto linear = simulated("linear", bcast_of(4, 1), kOfBoba, {}, {.record = true});
  std::vector<StepKind> kinds;
  for (const std::size_t i : linear.critical_path) kinds.push_back(linear.bars[i].kind);
  const StepKind send = StepKind::send;
  CHECK(kinds == std::vector{send, send, send, StepKind::recv});
}

TEST_CASE("simulator: schedules that do not fit each other are an error") {
  const auto run = [](bool receives) {
    simulate(
        2,
        [&](Rank rank) {
          Builder s{2, rank};
          if (rank == 0 && !receives) s.signal(1);
          if (rank == 1 && receives) s.await(0);
          return s.finish();
        },
        kOfBoba);
  };
  CHECK_THROWS_AS(run(true), Error);
  CHECK_THROWS_AS(run(false), Error);
}

// Every algorithm ends, and moves what its schedules say.
TEST_CASE("simulator: all algorithms of the catalogue") {
  for (const Algorithm& algorithm : algorithms())
    for (int P : {1, 2, 3, 8, 12, 16}) {
      Problem problem{{.collective = algorithm.collective, .bytes = 64}, P};
      for (Rank rank = 0; rank < P; ++rank) problem.node.push_back(rank / 4);
      give_needed_neighbours(algorithm, problem);
      if (why_not(algorithm, problem, {})) continue;
      INFO(name_of(algorithm.collective) << ' ' << algorithm.name << " P = " << P);
      const auto all = schedules_of_all_ranks(algorithm, problem, {});
      Bytes bytes = 0;
      for (const Schedule& schedule : all) bytes += bytes_sent(schedule);
      const auto run = [&](const Platform& platform) {
        return simulate(P, [&](Rank rank) { return all[index(rank)]; }, platform,
                        {.node = problem.node.of_rank()});
      };
      const auto result = run(platform_of("metropolis"));
      CHECK(result.within.messages + result.between.messages == messages(all));
      CHECK(result.within.bytes + result.between.bytes == bytes);
      // Where only the wire takes time; in rounds a step that waits for a send waits for the wire.
      CHECK(run(platform_of(LogP{1, 0, 0, 0})).time <= rounds(all));
    }
}
