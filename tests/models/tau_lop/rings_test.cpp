// Parameters derived from rings predict the measured times of these rings.
#include "models/tau_lop/rings.hpp"

#include <catch2/catch.hpp>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/schedule/builder.hpp"
#include "models/predictor.hpp"

using namespace tutti;
using namespace tutti::models::tau_lop;
using collectives::Builder;

namespace {

using TauLop = models::tau_lop::Parameters;

constexpr protocols::Limits kWithin{
    .line = 48, .small = 480, .eager = 8192, .writes = true, .fetches = false, .in_pieces = true};
constexpr protocols::Limits kBetween{
    .line = 48, .small = 480, .eager = 16384, .writes = true, .fetches = false, .in_pieces = false};

// Each rank sends to the next one.
double ring(const TauLop& parameters, int P, Bytes bytes, const std::vector<int>& node) {
  return models::time_of(parameters, node, [&](Rank rank) {
    Builder s(P, rank, {.input = bytes, .output = bytes});
    s.send((rank + 1) % P, s.input());
    s.recv((rank + P - 1) % P, s.output());
    return s.finish();
  });
}

// 1 us and 1 ns a byte alone, half of that more for each further process.
double taken(Bytes bytes, int tau) {
  return (1 + 0.001 * static_cast<double>(bytes)) * (1 + 0.5 * (tau - 1));
}

Rings rings_of(double slower, Bytes eager) {
  Rings all{.round_trip = 0.4 * slower, .eager = eager};
  for (const int tau : {1, 2, 4})
    for (const Bytes bytes : {1, 4096, 65536})
      all.rings.push_back({bytes, tau, slower * taken(bytes, tau)});
  return all;
}

RingReadings readings() {
  return {.within = rings_of(1, kWithin.eager),
          .between = rings_of(10, kBetween.eager),
          .combining = {{64, 1, 0.1}, {64, 2, 0.15}},
          .protocols = TauLop::Protocols{kWithin, kBetween}};
}

}  // namespace

TEST_CASE("rings: the parameters give the rings back") {
  const TauLop parameters = derive(readings());
  for (const Bytes bytes : {1, 4096, 65536}) {
    CHECK(ring(parameters, 2, bytes, {0, 0}) == Approx(taken(bytes, 2)));
    CHECK(ring(parameters, 4, bytes, {0, 0, 0, 0}) == Approx(taken(bytes, 4)));
  }
  // Over the network: four nodes' processes send at once, each node sends and gets one message.
  for (const Bytes bytes : {1, 4096, 65536})
    CHECK(ring(parameters, 4, bytes, {0, 1, 2, 3}) == Approx(10 * taken(bytes, 1)));
  CHECK(parameters.combine(64, 2) == 0.15);
}

TEST_CASE("rings: overheads, and how often a message is copied (7.2 to 7.6)") {
  const TauLop parameters = derive(readings());
  CHECK(parameters.overhead[kMemory](8192) == Approx(0.2));
  CHECK(parameters.overhead[kMemory](8193) == Approx(0.4));
  CHECK(parameters.overhead[kNetwork](100) == Approx(2));
  CHECK(parameters.transfer[kMemory](4096, 1) == Approx((taken(4096, 1) - 0.2) / 2));
  CHECK(parameters.transfer[kMemory](65536, 1) == Approx(taken(65536, 1) - 0.4));
  CHECK(parameters.transfer[kNetwork](4096, 2) ==
        Approx(10 * taken(4096, 2) - 2 - 2 * parameters.transfer[kMemory](4096, 2)));
  CHECK(parameters.transfer[kNetwork](65536, 2) == Approx(10 * taken(65536, 2) - 4));
}

TEST_CASE("rings: what is measured less is no less, and never below zero") {
  RingReadings few{.within = Rings{.round_trip = 4, .rings = {{1, 1, 1}, {64, 1, 9}, {256, 1, 8}}}};
  few.within->rings.push_back({64, 2, 5});
  const TauLop parameters = derive(few);
  CHECK(parameters.transfer[kMemory](1, 1) == 0);
  CHECK(parameters.transfer[kMemory](256, 1) == parameters.transfer[kMemory](64, 1));
  CHECK(parameters.transfer[kMemory](64, 2) == parameters.transfer[kMemory](64, 1));
  CHECK(parameters.overhead[kNetwork](1) == 2);
  CHECK(!parameters.protocols);
}

TEST_CASE("rings: without a node of several ranks what processes copy is known") {
  const RingReadings far{.between = rings_of(10, kBetween.eager), .copy_per_byte = 0.001};
  const TauLop parameters = derive(far);
  CHECK(parameters.transfer[kMemory](4096, 1) == Approx(4.096));
  CHECK(parameters.transfer[kNetwork](4096, 1) == Approx(10 * taken(4096, 1) - 2 - 2 * 4.096));
}

TEST_CASE("rings: broadcasts that agree with them change nothing, others pull by least squares") {
  // The thesis' ways: two copies, so that four processes take 2o + 2L(1) + 2L(2) (§7.4).
  RingReadings given{.within = rings_of(1, models::kNever)};
  const TauLop alone = derive(given);
  const auto expected = [&](Bytes bytes, int P) {
    const Surface& L = alone.transfer[kMemory];
    return P == 2 ? 0.2 + 2 * L(bytes, 1) : 0.4 + 2 * L(bytes, 1) + 2 * L(bytes, 2);
  };
  for (const Bytes bytes : {1, 4096, 65536})
    for (const int P : {2, 4}) given.within->broadcasts.push_back({bytes, P, expected(bytes, P)});
  given.within->broadcasts.push_back({100, 4, 1000});  // no ring has this size
  const TauLop same = derive(given);
  for (const Bytes bytes : {1, 4096, 65536})
    for (const int tau : {1, 2, 4})
      CHECK(same.transfer[kMemory](bytes, tau) == Approx(alone.transfer[kMemory](bytes, tau)));
  given.within->broadcasts = {{4096, 4, expected(4096, 4) + 3}};
  const TauLop pulled = derive(given);
  for (const int tau : {1, 2, 4})
    CHECK(pulled.transfer[kMemory](4096, tau) ==
          Approx(alone.transfer[kMemory](4096, tau) + (tau < 4 ? 0.5 : 0)));
  CHECK(pulled.transfer[kMemory](1, 1) == Approx(alone.transfer[kMemory](1, 1)));
}

TEST_CASE("rings: broadcasts of Tutti's protocols within nodes and between them") {
  RingReadings given = readings();
  const TauLop alone = derive(given);
  const auto broadcast = [&](const TauLop& parameters, Bytes bytes, const std::vector<int>& node) {
    collectives::Problem problem{{.collective = collectives::Collective::bcast, .bytes = bytes},
                                 static_cast<int>(node.size())};
    return models::time_of(parameters, node, [&](Rank rank) {
      problem.rank = rank;
      return collectives::find(problem.collective, "binomial")->build(problem, {});
    });
  };
  const std::vector<int> one_node{0, 0, 0, 0}, two_nodes{0, 1, 0, 1};
  for (const Bytes bytes : {1, 4096, 65536}) {
    given.within->broadcasts.push_back({bytes, 4, broadcast(alone, bytes, one_node)});
    given.between->broadcasts.push_back({bytes, 4, broadcast(alone, bytes, two_nodes) + 5});
  }
  const TauLop found = derive(given);
  for (const Bytes bytes : {1, 4096, 65536}) {
    CHECK(found.transfer[kMemory](bytes, 2) == Approx(alone.transfer[kMemory](bytes, 2)));
    // Nearer to what was measured than what rings say alone.
    const double before = broadcast(alone, bytes, two_nodes),
                 after = broadcast(found, bytes, two_nodes);
    CHECK(after > before + 1);
    CHECK(after < before + 5);
  }
}
