// Values that ranks tell each other, and the error if one of them gives up.
#include "transport/bootstrap.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "base/error.hpp"
#include "tests/transport/thread_bootstrap.hpp"

using namespace tutti;

namespace {

constexpr int kRanks = 3;

struct Outcome {
  std::int64_t value = 0;
  Code code = Code::success;
  int peer = kNoPeer;
};

// Outcome of `body` on each rank.
std::vector<Outcome> outcomes(
    const std::function<std::int64_t(int rank, transport::Bootstrap&)>& body) {
  tests::ThreadBootstrap::Meeting meeting(kRanks);
  std::vector<Outcome> all(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      Outcome& mine = all[static_cast<std::size_t>(rank)];
      try {
        tests::ThreadBootstrap bootstrap(meeting, rank);
        mine.value = body(rank, bootstrap);
      } catch (const Error& error) {
        mine = {0, error.code, error.peer};
      }
    });
  for (std::thread& thread : threads) thread.join();
  return all;
}

}  // namespace

TEST_CASE("all ranks get the largest value", "[bootstrap]") {
  const std::int64_t most = (std::int64_t{1} << 62) - 1;
  for (const std::vector<std::int64_t>& values :
       {std::vector<std::int64_t>{0, 0, 0}, {5, 7, 6}, {-3, -1, -2}, {1, 0, most}})
    for (const Outcome& outcome : outcomes([&](int rank, transport::Bootstrap&bootstrap) {
           return bootstrap.maximum(values[static_cast<std::size_t>(rank)]);
         })) {
      CHECK(outcome.code == Code::success);
      CHECK(outcome.value == *std::max_element(values.begin(), values.end()));
    }
}

TEST_CASE("a rank that gives up is named to those that ask anything", "[bootstrap]") {
  for (int failing = 0; failing < kRanks; ++failing)
    for (const char question : {'m', 'c', 'a', 'b'}) {
      const auto all = outcomes([&](int rank, transport::Bootstrap& bootstrap) {
        bootstrap.maximum(rank);
        if (rank == failing) throw Error(Code::system, "no more");
        std::int64_t mine = 9, everything[kRanks] = {};
        if (question == 'm') bootstrap.maximum(mine);
        if (question == 'c') bootstrap.confirm();
        if (question == 'a') bootstrap.allgather(&mine, sizeof mine, everything);
        if (question == 'b') bootstrap.broadcast(&mine, sizeof mine);
        return mine;
      });
      INFO("rank " << failing << ", question " << question);
      for (int rank = 0; rank < kRanks; ++rank) {
        const Outcome& outcome = all[static_cast<std::size_t>(rank)];
        CHECK(outcome.code == (rank == failing ? Code::system : Code::bootstrap_failed));
        CHECK(outcome.peer == (rank == failing ? kNoPeer : failing));
      }
    }
}

TEST_CASE("of several that give up, the lowest rank is named", "[bootstrap]") {
  const auto all = outcomes([&](int rank, transport::Bootstrap& bootstrap) {
    if (rank > 0) throw Error(Code::system, "no more");
    return bootstrap.maximum(0);
  });
  CHECK(all[0].code == Code::bootstrap_failed);
  CHECK(all[0].peer == 1);
}
