// Each answer to a packet of the handshake, and each reason to give a peer up.
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/transport/verbs/fake_job.hpp"
#include "transport/verbs/handshake/handshake.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::FakeJob;
using tests::FakeRank;
using namespace std::chrono_literals;

namespace {

constexpr FakeRank kShortTimeout{.timeout = 100ms};

}  // namespace

TEST_CASE("ranks with other settings do not connect", "[verbs][packets]") {
  FakeJob job;
  FakeRank other;
  other.shape.rings[0].slots *= 2;
  job.add({});
  job.add(other);
  job.introduce();
  Link& link = job.connect(0, 1);
  REQUIRE(job.until([&] { return link.state().failed(); }));
  CHECK(link.state().code() == Code::bad_configuration);
  Link& back = job.connect(1, 0);
  REQUIRE(job.until([&] { return back.state().failed(); }));
  CHECK(back.state().code() == Code::bad_configuration);
}

TEST_CASE("a peer that does not answer is given up, with the reason", "[verbs][packets]") {
  FakeJob job;
  SECTION("it is silent") {
    job.add_two(kShortTimeout);
    job.fake.lose([](std::uint32_t) { return true; });
    Link& link = job.connect(0, 1);
    REQUIRE(job.until([&] { return link.state().failed(); }));
    CHECK(link.state().code() == Code::unreachable);
    CHECK_THAT(link.state().text(), Catch::Contains("(GID ::ffff:127.0.0.1, LID 0) did not answer "
                                                    "within 100 ms: it has died or is stopped"));
  }
  SECTION("there is no path") {
    job.add_two(kShortTimeout);
    job.fake.refuse("ibv_create_ah", EHOSTUNREACH);
    Link& link = job.connect(0, 1);
    REQUIRE(job.until([&] { return link.state().failed(); }));
    CHECK(link.state().code() == Code::unreachable);
    CHECK_THAT(link.state().text(), Catch::Contains("there is no path to it (No route to host)"));
  }
  SECTION("it lacks memory") {
    job.add_two({.timeout = 2000ms});
    Link& link = job.connect_late(0, 1, [&] { job.fake.refuse("ibv_create_qp", ENOMEM); });
    REQUIRE(job.until([&] { return link.state().failed(); }));
    CHECK(link.state().code() == Code::out_of_memory);
    CHECK_THAT(link.state().text(), Catch::Contains("it lacks memory for another connection"));
  }
}

TEST_CASE("a path that is not known yet is looked for again", "[verbs][packets]") {
  FakeJob job;
  job.add_two();
  SECTION("for datagrams") { job.fake.refuse("ibv_create_ah", EAGAIN, 2); }
  SECTION("for the connection") { job.fake.refuse("ibv_modify_qp to RTR", EHOSTUNREACH, 2); }
  Link& link = job.connect(0, 1);
  CHECK(job.until([&] { return link.state() == State::ready; }));
}

TEST_CASE("a device that cannot connect ends the link at once", "[verbs][packets]") {
  FakeJob job;
  job.add_two();
  job.fake.refuse("ibv_modify_qp to RTS", EIO);
  Link& link = job.connect(0, 1);
  REQUIRE(job.until([&] { return link.state().failed(); }));
  CHECK(link.state().code() == Code::transport_failed);
}

TEST_CASE("a rank whose link has failed tells the peer the cause", "[verbs][packets]") {
  FakeJob job;
  job.add_two();
  VerbsLink& link = job.connected(0, 1);
  Link& back = job.connect(1, 0);
  SECTION("of a connection that was ready") {
    link.fail(Code::out_of_memory, "a test");
    REQUIRE(job.until([&] { return back.state().failed(); }));
    CHECK(back.state().code() == Code::out_of_memory);
  }
  SECTION("once more to a peer that asks again") {
    // The datagram of the cause is lost, and so the peer asks about its writes.
    job.fake.lose([](std::uint32_t) { return true; });
    link.fail(Code::unsupported, "a test");
    REQUIRE(job.until([&] { return !link.take_failure(); }));
    job.fake.lose({});
    REQUIRE(job.until([&] {
      back.capabilities().inquiry->ask(true);
      return back.state().failed();
    }));
    CHECK(back.state().code() == Code::unsupported);
  }
}

TEST_CASE("a peer answers which writes it has begun", "[verbs][packets]") {
  FakeJob job;
  job.add_two();
  VerbsLink& link = job.connected(0, 1);
  VerbsLink& back = job.connect(1, 0);
  back.writes().note_begun(3);
  Inquiry& inquiry = *link.capabilities().inquiry;
  inquiry.ask(false);
  REQUIRE(job.until([&] {
    inquiry.ask(true);
    return inquiry.writing(3) != Writing::unknown;
  }));
  CHECK(inquiry.writing(3) == Writing::yes);
  CHECK(inquiry.writing(4) == Writing::no);
}
