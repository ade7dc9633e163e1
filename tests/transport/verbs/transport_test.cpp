// The transport over verbs as a whole, over fake devices.
#include "transport/verbs/transport.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_job.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::FakeJob;

TEST_CASE("ranks connect when the first of them asks", "[verbs][verbs-transport]") {
  FakeJob job;
  job.add_two();
  CHECK_FALSE(job.ranks[1]->accepted());
  Link& link = job.connect(0, 1);
  CHECK(&job.connect(0, 1) == &link);
  CHECK(link.kind() == std::string("verbs"));
  REQUIRE(job.until([&] { return link.state() == State::ready; }));
  Link* const back = job.ranks[1]->accepted();
  REQUIRE(back);
  CHECK(back->peer() == 0);
  CHECK_FALSE(job.ranks[1]->accepted());
  REQUIRE(job.until([&] { return back->state() == State::ready; }));
  REQUIRE(tests::put_text(link, 1, "there") == Post::done);
  REQUIRE(tests::put_text(*back, 1, "back") == Post::done);
  CHECK(job.until(
      [&] { return back->inbox().arrived(Ring::line, 1) && link.inbox().arrived(Ring::line, 1); }));
  // Both leave.
  for (const auto& rank : job.ranks) rank->send_disconnect();
  CHECK(job.until([&] {
    return link.state() == State::closed && back->state() == State::closed && link.drained() &&
           back->drained();
  }));
  CHECK_FALSE(job.fake.overflowed());
}

TEST_CASE("each rank finds the link of each completion", "[verbs][verbs-transport]") {
  FakeJob job;
  const bool shares = GENERATE(true, false);
  if (!shares) job.fake[0].limits.max_srq = 0;
  constexpr std::size_t kRanks = 5;
  for (std::size_t rank = 0; rank < kRanks; ++rank) job.add({}, kRanks);
  job.introduce();
  for (std::size_t from = 0; from < kRanks; ++from)
    for (std::size_t to = 0; to < kRanks; ++to)
      if (from != to) job.connected(from, to);
  for (std::size_t from = 0; from < kRanks; ++from)
    for (std::size_t to = 0; to < kRanks; ++to)
      if (from != to) {
        REQUIRE(tests::put_text(job.connect(from, to), 1, std::to_string(from)) == Post::done);
      }
  CHECK(job.until([&] {
    for (std::size_t from = 0; from < kRanks; ++from)
      for (std::size_t to = 0; to < kRanks; ++to)
        if (from != to && !job.connect(to, from).inbox().arrived(Ring::line, 1)) return false;
    return true;
  }));
}

TEST_CASE("a rank that lacks memory for a link says so, and is asked again",
          "[verbs][verbs-transport]") {
  FakeJob job;
  job.add_two();
  Link& link = job.connect_late(0, 1, [&] { job.fake.refuse("ibv_reg_mr", ENOMEM); });
  REQUIRE(job.until([&] { return job.ranks[1]->take_starved(); }));
  CHECK_FALSE(job.ranks[0]->take_starved());
  CHECK_FALSE(job.ranks[1]->accepted());
  CHECK(job.says("rank 0 of MPI_COMM_WORLD asks for a connection, which cannot be made: "));
  job.fake.allow("ibv_reg_mr");
  CHECK(job.until([&] { return link.state() == State::ready; }));
}

TEST_CASE("a transport that cannot be made leaves nothing behind", "[verbs][verbs-transport]") {
  FakeJob job(2);
  int k = 1;
  for (;; ++k) {
    job.fake.refuse_kth(k);
    try {
      job.add({.rails = 2});
      if (!job.fake.refused_kth()) break;
    } catch (const Error& error) {
      CHECK(error.code != Code::success);
    }
    job.ranks.clear();
    CHECK(job.fake.alive() == 0);
  }
  CHECK(k > 20);
  job.ranks.clear();
  CHECK(job.fake.alive() == 0);
}

TEST_CASE("a link that cannot be made is none, and the next try may be one",
          "[verbs][verbs-transport]") {
  FakeJob job;
  job.add_two();
  for (int k = 1;; ++k) {
    const int before = job.fake.alive();
    job.fake.refuse("ibv_create_qp", ENOMEM);
    CHECK_THROWS_AS(job.connect(0, 1), Error);
    CHECK(job.fake.alive() == before);
    if (k == 3) break;
  }
  job.fake.allow("ibv_create_qp");
  CHECK(job.until([&] { return job.connect(0, 1).state() == State::ready; }));
}

TEST_CASE("a transport describes its devices and connections", "[verbs][verbs-transport]") {
  FakeJob job(2);
  const bool in_order = GENERATE(true, false);
  job.fake[0].in_order = in_order;
  job.add_two({.rails = 2});
  const VerbsTransport& rank = *job.ranks[0];
  nlohmann::json told = rank.describe();
  CHECK(told["device"]["name"] == "fake0");
  CHECK(told["device"]["arrival"] == (in_order ? "tail" : "imm"));
  CHECK(told["device"]["mtu"] == 1024);
  CHECK(told["device"]["software"] == false);
  REQUIRE(told["other_rails"].size() == 1);
  CHECK(told["other_rails"][0]["name"] == "fake1");
  CHECK(told["connection_bytes"] == 0);
  job.connected(0, 1);
  told = rank.describe();
  CHECK(told["connection_bytes"] == rank.bytes_per_connection());
  CHECK(told["grown_connections"] == 0);
  CHECK(told["most_bytes_per_connection"] > rank.bytes_per_connection());
  // By the safer of what both ends have.
  CHECK(told["device"]["arrival"] == (in_order ? "tail" : "imm"));
}
