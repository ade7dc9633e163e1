// Placements made of the cards of all ranks, and the card that describes this process.
#include "transport/placement.hpp"

#include <catch2/catch.hpp>
#include <vector>

using tutti::transport::card_of_this_process;
using tutti::transport::Placement;
using tutti::transport::PlacementCard;

namespace {

PlacementCard card(std::uint64_t node, std::uint64_t machine,
                   std::initializer_list<std::size_t> threads) {
  PlacementCard result;
  result.node = node;
  result.machine = machine;
  for (const std::size_t t : threads) result.threads.set(t);
  return result;
}

}  // namespace

TEST_CASE("nodes are numbered by their first ranks, alike on all ranks", "[placement]") {
  const std::vector<PlacementCard> cards = {card(7, 1, {0}), card(3, 2, {0}), card(7, 1, {1}),
                                            card(9, 3, {0}), card(3, 2, {1})};
  for (int rank = 0; rank < 5; ++rank) {
    const Placement placement(rank, cards);
    CHECK(placement.size() == 5);
    CHECK(placement.nodes() == 3);
    std::vector<int> nodes, sharing;
    for (int r = 0; r < 5; ++r) {
      nodes.push_back(placement.node_of(r));
      if (placement.shares_node(r)) sharing.push_back(r);
    }
    CHECK(nodes == std::vector{0, 1, 0, 2, 1});
    const auto ranks = placement.node_ranks();
    CHECK(std::vector<int>(ranks.begin(), ranks.end()) == sharing);
  }
  CHECK(Placement(4, cards).node_ranks()[0] == 1);
}

TEST_CASE("cores are counted by machine, whatever its nodes are called", "[placement]") {
  // Two nodes of one machine, as network namespaces are: four ranks, three threads among them.
  const std::vector<PlacementCard> crowded = {card(1, 1, {0, 1}), card(1, 1, {0, 1}),
                                              card(2, 1, {1, 2}), card(2, 1, {1, 2})};
  std::vector<PlacementCard> apart = crowded;
  apart[3].machine = 2;
  std::vector<PlacementCard> roomy = crowded;
  roomy[0].threads.set(200);
  for (int rank = 0; rank < 4; ++rank) {
    CHECK(Placement(rank, crowded).oversubscribed());
    CHECK_FALSE(Placement(rank, apart).oversubscribed());
    CHECK_FALSE(Placement(rank, roomy).oversubscribed());
    const Placement one(rank, crowded), two(rank, apart);
    CHECK(one.machine_of(0) == one.machine_of(1));
    CHECK(one.threads_of(0) == 3);
    CHECK(two.threads_of(0) == 3);
    CHECK(two.threads_of(1) == 2);
  }
}

TEST_CASE("a rank that sees the same /dev/shm under another host name is known", "[placement]") {
  std::vector<PlacementCard> cards = {card(1, 1, {0}), card(2, 1, {1}), card(3, 2, {0})};
  for (std::size_t r = 0; r < cards.size(); ++r) {
    cards[r].host = r + 1;
    cards[r].mount = r < 2 ? 7 : 8;
  }
  CHECK(Placement(0, cards).renamed() == 1);
  CHECK(Placement(1, cards).renamed() == 0);
  CHECK(Placement(2, cards).renamed() == -1);
  cards[1].host = cards[0].host;
  CHECK(Placement(0, cards).renamed() == -1);
}

TEST_CASE("the card of this process", "[placement]") {
  const PlacementCard here = card_of_this_process(""), again = card_of_this_process("");
  CHECK(here.node == again.node);
  CHECK(here.machine == again.machine);
  CHECK(here.threads.any());
  const PlacementCard renamed = card_of_this_process("another");
  CHECK(renamed.node != here.node);
  CHECK(renamed.machine == here.machine);
}
