// Ranks that ask at different times, and ranks that find nothing or die meanwhile.
#include "transport/shm/board.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <thread>

#include "base/index.hpp"
#include "tests/protocols/pair.hpp"
#include "tests/transport/fresh_name.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/memory.hpp"

using namespace tutti;
using namespace tutti::tests;
using transport::shm::Board;
using transport::shm::Segment;

namespace {

constexpr int kRanksOfBoard = 3;

// A segment for each rank, all in this process.
struct SegmentsOfNode {
  SegmentsOfNode() {
    const std::string name = tutti::tests::fresh_name();
    SharedMeeting meeting(kRanksOfBoard);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanksOfBoard; ++rank)
      threads.emplace_back([&, rank] {
        all[index(rank)].emplace(name, rank, kRanksOfBoard, kUsual, transport::shm::Copy::twice,
                                 std::ref(meeting));
      });
    for (std::thread& thread : threads) thread.join();
  }
  Segment& operator[](int rank) { return *all[index(rank)]; }

  std::array<std::optional<Segment>, kRanksOfBoard> all;
};

Board::Words words_of(std::size_t bytes, int seed) {
  Board::Words words(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    words[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
  return words;
}

Board::Words nobody_asks() {
  FAIL("somebody has found out before");
  return {};
}

}  // namespace

TEST_CASE("all ranks get the result of the first one", "[shm][board]") {
  SegmentsOfNode node;
  const std::size_t bytes = GENERATE(1, 4097, Board::kBytes);
  const auto words = words_of(bytes, 3);
  CHECK(node[1].board().ask([&] { return words; }) == words);
  CHECK(node[0].board().ask(nobody_asks) == words);
  CHECK(node[2].board().ask(nobody_asks) == words);
  CHECK(node[1].board().ask(nobody_asks) == words);
  // No inbox lies there.
  node[0].connect(1);
  node[1].connect(0);
  CHECK(node[2].board().ask(nobody_asks) == words);
}

TEST_CASE("of ranks that ask at once, one finds out", "[shm][board]") {
  SegmentsOfNode node;
  std::atomic<int> finders = 0;
  std::array<Board::Words, kRanksOfBoard> got;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanksOfBoard; ++rank)
    threads.emplace_back([&, rank] {
      got[index(rank)] = node[rank].board().ask([&] {
        ++finders;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return words_of(1000, 5);
      });
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(finders == 1);
  for (const Board::Words& words : got) CHECK(words == words_of(1000, 5));
}

TEST_CASE("where a rank finds nothing, the next one tries", "[shm][board]") {
  SegmentsOfNode node;
  CHECK(node[0].board().ask([] { return Board::Words{}; }).empty());
  const auto too_many = words_of(Board::kBytes + 1, 1);
  CHECK(node[1].board().ask([&] { return too_many; }) == too_many);  // its own
  CHECK_THROWS_AS(node[1].board().ask([]() -> Board::Words { throw std::bad_alloc(); }),
                  std::bad_alloc);
  CHECK(node[2].board().ask([] { return words_of(10, 2); }) == words_of(10, 2));
  CHECK(node[0].board().ask(nobody_asks) == words_of(10, 2));
}

TEST_CASE("a rank that dies while it finds out holds nobody up", "[shm][board]") {
  const std::string name = tutti::tests::fresh_name();
  SharedMeeting meeting(2);
  const pid_t child = fork();
  if (child == 0) {
    Segment segment(name, 1, 2, kUsual, transport::shm::Copy::twice, std::ref(meeting));
    segment.board().ask([&]() -> Board::Words {
      meeting(0);
      _exit(0);
    });
    _exit(1);
  }
  Segment segment(name, 0, 2, kUsual, transport::shm::Copy::twice, std::ref(meeting));
  meeting(0);
  CHECK(segment.board().ask(nobody_asks).empty());  // it is up to this rank
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}
