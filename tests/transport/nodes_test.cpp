// Ranks that find out whether they share memory.
#include "transport/nodes.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/transport/thread_bootstrap.hpp"
#include "transport/named_file.hpp"

using namespace tutti::transport;
using Meeting = tutti::tests::ThreadBootstrap::Meeting;

namespace {

std::string beacon_of(const PlacementCard& card) {
  return fmt::format("{}{:016x}", kBeaconName, card.beacon);
}
// Jobs beside this test have beacons, too.
bool is_left(const std::string& beacon) { return std::filesystem::exists("/dev/shm" + beacon); }

// The nodes that ranks find, when rank r believes of the others what `view(r, cards)` leaves.
std::vector<std::uint64_t> nodes_of(
    std::vector<PlacementCard> cards,
    const std::function<void(int, std::span<PlacementCard>)>& view) {
  const auto ranks = static_cast<int>(cards.size());
  Meeting meeting(ranks);
  std::vector<std::vector<std::uint64_t>> found(cards.size());
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      tutti::tests::ThreadBootstrap bootstrap(meeting, r);
      std::vector<PlacementCard> mine = cards;
      view(r, mine);
      divide_nodes(bootstrap, mine);
      for (const PlacementCard& card : mine)
        found[static_cast<std::size_t>(r)].push_back(card.node);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : found) CHECK(one == found.front());
  for (const PlacementCard& card : cards) CHECK_FALSE(is_left(beacon_of(card)));
  return found.front();
}

std::vector<PlacementCard> cards_of_one_host(int ranks) {
  std::vector<PlacementCard> cards(static_cast<std::size_t>(ranks));
  for (PlacementCard& card : cards) card = card_of_this_process("");
  return cards;
}

}  // namespace

TEST_CASE("ranks that see the first one's secret are on its node", "[nodes]") {
  const auto nodes = nodes_of(cards_of_one_host(4), [](int, auto) {});
  CHECK(nodes == std::vector<std::uint64_t>(4, nodes[0]));
}

TEST_CASE("ranks that do not see it make nodes among themselves", "[nodes]") {
  // Containers, by rank. Files in another container's /dev/shm have names that nobody finds here,
  // or other contents.
  const std::vector<int> container = {0, 1, 0, 2, 1, 1};
  const bool same_names = GENERATE(false, true);
  const auto nodes = nodes_of(cards_of_one_host(6), [&](int rank, std::span<PlacementCard> cards) {
    for (std::size_t r = 0; r < cards.size(); ++r)
      if (container[r] != container[static_cast<std::size_t>(rank)])
        ++(same_names ? cards[r].secret : cards[r].beacon);
  });
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b)
      CHECK((nodes[a] == nodes[b]) == (container[a] == container[b]));
}

TEST_CASE("nodes that differ already stay as they are", "[nodes]") {
  auto cards = cards_of_one_host(3);
  for (std::size_t r = 0; r < 3; ++r) cards[r].node = r;
  CHECK(nodes_of(cards, [](int, auto) {}) == std::vector<std::uint64_t>{0, 1, 2});
}

TEST_CASE("a limit on the size of files is told, and ends no process", "[nodes]") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
  int obstacle = 0;
  {
    Meeting meeting(2);
    std::vector<PlacementCard> cards = cards_of_one_host(2);
    std::thread other([&, theirs = cards]() mutable {
      tutti::tests::ThreadBootstrap bootstrap(meeting, 1);
      divide_nodes(bootstrap, theirs);
    });
    tutti::tests::ThreadBootstrap bootstrap(meeting, 0);
    divide_nodes(bootstrap, cards);
    obstacle = cards[0].obstacle;
    other.join();
  }
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(obstacle == EFBIG);
}

TEST_CASE("a file that cannot be made is told", "[nodes]") {
  const auto cards = cards_of_one_host(3);
  const std::string taken = beacon_of(cards[0]);
  const int other = create_named(taken);
  REQUIRE(other >= 0);
  Meeting meeting(3);
  std::vector<std::thread> threads;
  std::vector<std::vector<PlacementCard>> found(3, cards);
  for (int r = 0; r < 3; ++r)
    threads.emplace_back([&, r] {
      tutti::tests::ThreadBootstrap bootstrap(meeting, r);
      divide_nodes(bootstrap, found[static_cast<std::size_t>(r)]);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(is_left(taken));
  shm_unlink(taken.c_str());
  close(other);
  for (int r = 0; r < 3; ++r) {
    const auto& mine = found[static_cast<std::size_t>(r)];
    CHECK(mine[0].obstacle == EEXIST);
    CHECK(mine[1].obstacle == 0);
    CHECK(mine[0].node != mine[1].node);
    CHECK(mine[1].node == mine[2].node);
    const Placement placement(r, mine);
    CHECK(placement.apart() == (r == 0 ? 1 : 0));
    CHECK(placement.obstacle() == EEXIST);
  }
}
