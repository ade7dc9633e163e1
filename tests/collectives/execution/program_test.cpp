// How much memory a program needs for messages that are received whole before they are combined,
// and what it says of a rank's load.
#include <catch2/catch.hpp>

#include <map>
#include <memory>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/execution/program.hpp"
#include "tests/protocols/hostile.hpp"

using namespace tutti;
using namespace tutti::tests;
using collectives::Parameters;
using collectives::Problem;
using protocols::Channel;

namespace {

constexpr transport::InboxShape kShape{{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};

// Staging and load of `rank`'s program, if the transport writes large messages into user memory.
struct Told {
  Bytes staging;
  transport::Load load;
};
Told told(std::string_view name, Problem problem, Rank rank, const Parameters& parameters) {
  HostileNet net(problem.P, kShape, Hostility{});
  Deaf listener;
  std::map<Rank, std::unique_ptr<Channel>> channels;
  const auto channel_to = [&](Rank peer) -> Channel& {
    auto& channel = channels[peer];
    if (!channel) channel = std::make_unique<Channel>(net.link(rank, peer), nullptr, listener);
    return *channel;
  };
  problem.rank = rank;
  const collectives::Program program(
      collectives::find(problem.collective, name)->build(problem, parameters), channel_to);
  return {program.staging_bytes(), program.load()};
}

Bytes staging(std::string_view name, const Problem& problem, Rank rank,
              const Parameters& parameters) {
  return told(name, problem, rank, parameters).staging;
}

}  // namespace

TEST_CASE("messages that are combined one after another wait in one place") {
  constexpr Bytes m = 64 * 1024;
  for (const int P : {2, 3, 9}) {
    const Problem problem{{.collective = collectives::Collective::reduce, .bytes = m}, P};
    CHECK(staging("linear", problem, 0, {}) == m);
    CHECK(staging("binomial", problem, 0, {}) == m);
    CHECK(staging("linear", problem, 1, {}) == 0);
  }
}

TEST_CASE("messages in segments wait in places for a few of them") {
  constexpr Bytes m = 64 * 1024, segment = 2048;  // longer than what is combined on arrival
  const Problem problem{{.collective = collectives::Collective::reduce, .bytes = m}, 8};
  for (const char* name : {"chain", "binomial", "binary"}) {
    for (const Rank rank : {0, 1}) {
      INFO(name << " rank " << rank);
      const Bytes bytes = staging(name, problem, rank, {.segment = segment});
      CHECK(bytes >= segment);
      CHECK(bytes <= 3 * 4 * segment);  // of three children at most
    }
  }
}

TEST_CASE("a rank's load is to how many it sends what is spread, and whether it receives") {
  using collectives::Collective;
  const auto load = [](Collective collective, const char* name, Rank rank) {
    const Problem problem{{.collective = collective, .bytes = 64}, 4};
    return told(name, problem, rank, {}).load;
  };
  CHECK(load(Collective::bcast, "linear", 0).receivers == 3);
  CHECK_FALSE(load(Collective::bcast, "linear", 0).receives);
  CHECK(load(Collective::bcast, "linear", 1).receives);
  CHECK(load(Collective::bcast, "chain", 1).receivers == 1);
  CHECK(load(Collective::bcast, "chain", 1).receives);
  CHECK(load(Collective::alltoall, "at-once", 0).receivers == 1);  // each also receives as much
  CHECK(load(Collective::alltoall, "at-once", 0).receives);
}
