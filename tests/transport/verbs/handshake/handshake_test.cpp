// The handshake's thread: lost datagrams, its own queue pair, and what the device reports.
#include "transport/verbs/handshake/handshake.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <random>

#include "tests/transport/verbs/fake_job.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::FakeJob;

namespace {

std::uint32_t queue_pair_of(const Transport& rank) {
  HandshakeCard card;
  const Address address = rank.address();
  std::memcpy(&card, address.bytes.data(), sizeof card);
  return card.queue_pair;
}

}  // namespace

TEST_CASE("a handshake succeeds though most datagrams are lost", "[verbs][handshake]") {
  FakeJob job;
  job.add_two();
  job.fake.lose([random = std::minstd_rand(7)](std::uint32_t) mutable { return random() % 8 < 5; });
  const bool both = GENERATE(true, false);
  Link& link = job.connect(0, 1);
  if (both) job.connect(1, 0);
  REQUIRE(job.until([&] { return link.state() == State::ready; }));
  Link& back = job.connect(1, 0);
  CHECK(job.until([&] { return back.state() == State::ready; }));
}

TEST_CASE("the queue pair of a handshake that fails is made ready again", "[verbs][handshake]") {
  FakeJob job;
  job.add_two();
  job.connected(0, 1);
  const std::uint32_t broken = queue_pair_of(*job.ranks[1]);
  job.fake.refuse("ibv_modify_qp to RTR", EIO, 3);
  job.fake.break_pair(broken);
  REQUIRE(job.says("made ready again"));
  const std::string said = job.said();
  CHECK(said.find("made ready again") == said.rfind("made ready again"));
  // Datagrams come again: a failure is told by one.
  Inquiry& inquiry = *job.connect(1, 0).capabilities().inquiry;
  inquiry.ask(false);
  REQUIRE(job.until([&] {
    job.fake.allow("ibv_modify_qp to RTR");
    if (inquiry.writing(0) == Writing::no) return true;
    inquiry.ask(true);  // a new question, if it was answered just now
    return false;
  }));
}

TEST_CASE("a device that fails ends all of its connections", "[verbs][handshake]") {
  FakeJob job;
  for (int rank = 0; rank < 3; ++rank) job.add({}, 3);
  job.introduce();
  Link& one = job.connected(0, 1);
  Link& other = job.connected(0, 2);
  SECTION("a queue pair is one of them") {
    const std::uint32_t number = job.connect(0, 1).connection().queue_pair()->qp_num;
    job.fake.report(0, IBV_EVENT_QP_FATAL, number);
    CHECK(job.until([&] { return one.state().failed(); }));
    CHECK_THAT(one.state().text(), Catch::Contains("the connection to rank 1 of MPI_COMM_WORLD "
                                                   "broke"));
    CHECK_FALSE(other.state().failed());
  }
  SECTION("the device is all") {
    // All ranks have that device: none may hear the cause from another first.
    job.fake.lose([](std::uint32_t) { return true; });
    job.fake.report(0, IBV_EVENT_DEVICE_FATAL);
    CHECK(job.until([&] { return one.state().failed() && other.state().failed(); }));
    CHECK(one.state().code() == Code::transport_failed);
    CHECK_THAT(other.state().text(), Catch::Contains("all its connections are lost"));
  }
  SECTION("its file of events breaks") {
    job.fake.break_events(0, EIO);
    CHECK(job.says("no longer reports events"));
    CHECK_FALSE(one.state().failed());
  }
}

TEST_CASE("a notice is found by a peer that looks for it", "[verbs][handshake]") {
  FakeJob job;
  job.add_two();
  VerbsLink& link = job.connected(0, 1);
  CHECK_FALSE(link.notice());
  for (const int number : {1, 2}) {
    Notice notice{};
    notice.bytes[0] = static_cast<std::byte>(number);
    REQUIRE(job.ranks[1]->leave_notice(notice));
  }
  for (const int number : {1, 2}) {
    std::optional<Notice> found;
    REQUIRE(job.until([&] {
      link.probe();
      return (found = link.notice()).has_value();
    }));
    CHECK(found->bytes[0] == static_cast<std::byte>(number));
  }
  CHECK_FALSE(link.notice());
}
