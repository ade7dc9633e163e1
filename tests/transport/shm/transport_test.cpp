// Which ranks of a node have connected to which.
#include "transport/shm/transport.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "tests/transport/fresh_name.hpp"
#include "base/index.hpp"
#include "tests/protocols/pair.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "tests/transport/thread_bootstrap.hpp"

using namespace tutti;
using namespace tutti::tests;
using transport::Link;
using transport::Placement;
using transport::shm::ShmTransport;

TEST_CASE("all ranks hear at once that one cannot make or open the segment", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  // Rank 0, as there is a file of that name already; or another rank, on its way.
  const int failing = GENERATE(0, 2);
  ThreadBootstrap::Meeting job(3);
  std::array<Error, 3> errors{Error(Code::success, ""), Error(Code::success, ""),
                              Error(Code::success, "")};
  std::vector<std::thread> threads;
  const int before = failing == 0 ? shm_open(name.c_str(), O_CREAT | O_RDWR, 0600) : -1;
  for (int r = 0; r < 3; ++r)
    threads.emplace_back([&, r] {
      try {
        ThreadBootstrap bootstrap(job, r);
        int meetings = 0;
        const auto meet = [&](std::int64_t mine) {
          const std::int64_t largest = bootstrap.maximum(mine);
          if (r == failing && ++meetings == 1) throw std::bad_alloc();
          return largest;
        };
        transport::shm::Segment(name, r, 3, kUsual, transport::shm::Copy::twice, meet);
      } catch (const Error& error) {
        errors[index(r)] = error;
      } catch (const std::bad_alloc&) {
        errors[index(r)] = Error(Code::out_of_memory, "");
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (int r = 0; r < 3; ++r) {
    INFO("rank " << r << ": " << errors[index(r)].message);
    if (r == failing) {
      CHECK(errors[index(r)].code == (failing == 0 ? Code::system : Code::out_of_memory));
    } else {
      CHECK(errors[index(r)].code == Code::bootstrap_failed);
      CHECK(errors[index(r)].peer == failing);
    }
  }
  CHECK((access(("/dev/shm" + name).c_str(), F_OK) == 0) == (failing == 0));
  if (failing == 0) {
    close(before);
    shm_unlink(name.c_str());
  }
}

namespace {

// Ranks of one node that have met.
struct SharedNode {
  explicit SharedNode(int size) : cards(static_cast<std::size_t>(size)), meeting(size) {
    std::vector<transport::Address> addresses;
    for (int r = 0; r < size; ++r) {
      placements.push_back(std::make_unique<Placement>(r, cards));
      ranks.push_back(std::make_unique<ShmTransport>(transport::shm::Options{}, *placements.back(),
                                                     kUsual, std::ref(meeting)));
      addresses.push_back(ranks.back()->address());
    }
    std::vector<std::thread> threads;
    for (const auto& rank : ranks) threads.emplace_back([&] { rank->set_peers(addresses); });
    for (std::thread& thread : threads) thread.join();
  }
  ShmTransport& operator[](int rank) { return *ranks[index(rank)]; }

  const std::vector<transport::PlacementCard> cards;
  const SharedMeeting meeting;
  std::vector<std::unique_ptr<Placement>> placements;
  std::vector<std::unique_ptr<ShmTransport>> ranks;
};

}  // namespace

TEST_CASE("a rank finds the links that others of its node began, each once", "[shm]") {
  SharedNode node(3);
  for (const auto& rank : node.ranks) CHECK(rank->accepted() == nullptr);
  Link& theirs = node[2].connect(0);
  Link* const mine = node[0].accepted();
  REQUIRE(mine);
  CHECK(mine->peer() == 2);
  for (const auto& rank : node.ranks) CHECK(rank->accepted() == nullptr);  // 2 began by itself

  const int sent = 5;
  REQUIRE(theirs.put(transport::Ring::line, 0, &sent,
                     {{1, 0, 0}, transport::Length(sizeof sent), 0, 1}) == transport::Post::done);
  CHECK(mine->inbox().arrived(transport::Ring::line, 1));
}

TEST_CASE("a rank that connects to nobody can leave a few notices for all", "[shm]") {
  using transport::Notice;
  SharedNode node(3);
  const auto notice = [](int number) {
    Notice made{};
    made.bytes.front() = made.bytes.back() = static_cast<std::byte>(number);
    return made;
  };
  Link& early = node[2].connect(1);
  CHECK_FALSE(early.notice());
  int left = 0;
  while (node[1].leave_notice(notice(left + 1))) REQUIRE(++left < 100);
  CHECK(left >= 2);
  for (Link* const reader : {&early, &node[0].connect(1)}) {
    for (int i = 0; i < left; ++i) {
      const auto read = reader->notice();
      REQUIRE(read);
      CHECK(read->bytes == notice(i + 1).bytes);
    }
    CHECK_FALSE(reader->notice());
  }
  CHECK_FALSE(node[0].connect(2).notice());
}
