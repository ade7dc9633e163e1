// Which ranks of a node have connected to which.
#include "transport/shm/transport.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using transport::Link;
using transport::Placement;
using transport::shm::ShmTransport;

TEST_CASE("a rank finds the links that others of its node began, each once", "[shm]") {
  constexpr int kRanks = 3;
  const std::vector<transport::PlacementCard> cards(kRanks);
  std::vector<std::unique_ptr<Placement>> placements;
  std::vector<std::unique_ptr<ShmTransport>> ranks;
  std::vector<transport::Address> addresses;
  for (int r = 0; r < kRanks; ++r) {
    placements.push_back(std::make_unique<Placement>(r, cards));
    ranks.push_back(
        std::make_unique<ShmTransport>(transport::shm::Options{}, *placements.back(), kUsual));
    addresses.push_back(ranks.back()->address());
  }
  std::vector<std::thread> threads;
  for (const auto& rank : ranks) threads.emplace_back([&] { rank->set_peers(addresses); });
  for (std::thread& thread : threads) thread.join();

  for (const auto& rank : ranks) CHECK(rank->accepted() == nullptr);
  Link& theirs = ranks[2]->connect(0);
  Link* const mine = ranks[0]->accepted();
  REQUIRE(mine);
  CHECK(mine->peer() == 2);
  CHECK(ranks[0]->accepted() == nullptr);
  CHECK(ranks[1]->accepted() == nullptr);
  CHECK(ranks[2]->accepted() == nullptr);  // it has connected by itself

  const int sent = 5;
  REQUIRE(theirs.put(transport::Ring::line, 0, &sent, {{1, 0, 0}, sizeof sent, 0, 1}) ==
          transport::Post::done);
  CHECK(mine->arrived(transport::Ring::line, 1));
}
