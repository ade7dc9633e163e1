// Messages with gaps that go in parts: what the peer sees of them, also when one rank gives up in
// between.
#include <catch2/catch.hpp>

#include "tests/protocols/pair.hpp"
#include "tests/typed_memory.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;
using transport::Writing;
using Phase = Transfer::Phase;

namespace {

constexpr Bytes kBytes = 12000;
constexpr MessageName kName{9, 0, 0};

// Wires that take parts, and have no room so often that messages stop between two of them.
std::vector<Hostility> kinds_with_parts(std::uint32_t seed) {
  std::vector<Hostility> kinds;
  for (Hostility hostility : all_kinds(seed)) {
    if (!hostility.direct || hostility.fetches || hostility.grow != 0) continue;
    hostility.refuse = 0.5;
    kinds.push_back(hostility);
  }
  return kinds;
}

// A message from elements to plain memory, under way.
struct GappedMessage {
  explicit GappedMessage(const Hostility& hostility)
      : pair(hostility), values(bytes_of(kBytes, hostility.seed)) {
    from.set(values);
    s.view = from.view();
  }
  void send() {
    if (sends == Answer::again) sends = pair.channels[0].send(s, kName, from.room(), kBytes);
  }
  bool is_done() const { return sends == Answer::done && receives == Answer::done; }
  void receive() {
    if (receives == Answer::again) receives = pair.channels[1].recv(r, kName, got.data(), kBytes);
  }
  void goes() {
    REQUIRE(pair.until([&] {
      receive();
      send();
      return is_done();
    }));
    CHECK((got == values));
  }
  // The peer's entry is here, mostly, before anything is packed.
  void invite() {
    for (int i = 0; i < 60; ++i) {
      receive();
      pair.net.step();
    }
  }
  // Some parts were written, and the end was not. false: the message went too fast.
  bool stops_between_parts() {
    invite();
    REQUIRE(pair.until([&] {
      receive();
      send();
      return s.phase == Phase::writes_parts || s.phase == Phase::awaits_completion;
    }));
    return s.phase == Phase::writes_parts;
  }
  // The program uses its buffer for something else, and nothing reaches the peer any more.
  void check_that_nothing_comes() {
    std::fill_n(from.room(), kBytes, std::byte{0xBD});
    const auto then = got;
    for (int i = 0; i < 500; ++i) pair.net.step();
    CHECK((got == then));
  }
  HostileLink& link() { return pair.net.link(0, 1); }

  Pair pair;
  const std::vector<std::byte> values;
  TypedMemory from{kBytes};
  std::vector<std::byte> got = std::vector<std::byte>(index(kBytes));
  Transfer s, r;
  Answer sends = Answer::again, receives = Answer::again;
};

// Calls `visit` for messages of which some parts were written, and the end was not.
template <class Visit>
void visit_between_parts(Visit&& visit) {
  int visits = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed)
    for (const Hostility& hostility : kinds_with_parts(seed)) {
      INFO("seed " << seed << ", polls " << hostility.polls_memory << ", registers "
                   << hostility.registers);
      GappedMessage message(hostility);
      if (!message.stops_between_parts()) continue;
      ++visits;
      visit(message);
    }
  CHECK(visits > 40);
}

}  // namespace

TEST_CASE("the peer is told of a message in parts when all of it is there", "[parts]") {
  int parts = 0;
  for (std::uint32_t seed = 1; seed <= 50; ++seed)
    for (const Hostility& hostility : kinds_with_parts(seed)) {
      INFO("seed " << seed << ", polls " << hostility.polls_memory);
      GappedMessage m(hostility);
      m.invite();
      REQUIRE(m.pair.until([&] {
        m.receive();
        m.send();
        if (m.receives == Answer::done) CHECK((m.got == m.values));
        // The program may use its buffer from here on.
        if (m.sends == Answer::done) std::fill_n(m.from.room(), kBytes, std::byte{0xBD});
        if (m.s.phase == Phase::writes_parts) CHECK(m.receives == Answer::again);
        return m.is_done();
      }));
      CHECK((m.got == m.values));
      CHECK(m.link().parts < kBytes / Bytes{HostileLink::kPart});
      CHECK_FALSE(m.pair.channels[0].awaits_acknowledgement());
      CHECK(m.pair.net.registrar.live == 0);
      parts += m.link().parts;
    }
  CHECK(parts > 1000);
}

TEST_CASE("plain messages are no parts, nor are those of a connection that may grow", "[parts]") {
  for (const bool plain : {true, false}) {
    Hostility hostility{3};
    if (!plain) hostility.grow = 1e-9;
    GappedMessage m(hostility);
    std::copy(m.values.begin(), m.values.end(), m.from.room());
    if (plain) m.s.view = nullptr;
    m.goes();
    CHECK(m.link().parts == 0);
  }
}

TEST_CASE("what is too long for one write goes in as many as it needs", "[parts]") {
  enum Kind { plain, gapped, gapped_and_read_often };
  for (const Kind kind : {plain, gapped, gapped_and_read_often})
    for (std::uint32_t seed = 1; seed <= 20; ++seed)
      for (const Hostility& hostility : kinds_with_parts(seed)) {
        INFO("kind " << kind << ", seed " << seed << ", polls " << hostility.polls_memory);
        GappedMessage m(hostility);
        if (kind == plain) {
          std::copy(m.values.begin(), m.values.end(), m.from.room());
          m.s.view = nullptr;
        } else if (kind == gapped_and_read_often) {
          m.s.view->note_receivers(2);
        }
        m.link().most = 0;  // nothing is written before it is known how long writes may be
        m.invite();
        for (int i = 0; i < 100; ++i) m.send();
        CHECK(m.s.phase < Phase::writes_parts);
        CHECK(m.link().parts == 0);
        m.link().most = 1000;
        m.goes();
        CHECK(m.link().parts == kBytes / 1000 - 1);
        CHECK(m.pair.net.registrar.live == 0);
      }
}

TEST_CASE("parts are packed while the peer's entry is not here, each at an attempt", "[parts]") {
  GappedMessage m({4});
  m.send();
  CHECK(m.s.brought == Bytes{HostileLink::kPart});
  m.send();
  CHECK(m.s.brought == 2 * Bytes{HostileLink::kPart});
  for (int i = 0; i < 100; ++i) m.send();
  CHECK(m.s.brought == kBytes);
  m.goes();
  CHECK(m.link().parts == 0);  // it went as a whole
}

TEST_CASE("a send that is given up between its parts is a failed receive", "[parts]") {
  visit_between_parts([](GappedMessage& m) {
    m.pair.channels[0].abandon(m.s);
    m.pair.ears[0].abandoned_id = kName.communicator;
    REQUIRE(m.pair.until([&] {
      m.receive();
      return m.receives != Answer::again;
    }));
    CHECK(m.receives == Answer::failed);
    CHECK(m.pair.channels[1].failure_code() == Code::timed_out);
    CHECK_FALSE(m.pair.channels[0].abandoned().being_read());
    m.check_that_nothing_comes();
    CHECK(m.pair.net.link(1, 0).capabilities().inquiry->writing(0) == Writing::no);
    // The connection and the identifier serve other messages.
    m.pair.channels[1].forget_complaint();
    TypedMemory other(kBytes);
    other.set(m.values);
    Transfer s, r;
    s.view = other.view();
    bool gone = false, come = false;
    REQUIRE(m.pair.until([&] {
      if (!gone) gone = m.pair.channels[0].send(s, {1, 0, 0}, other.room(), kBytes) == Answer::done;
      if (!come) come = m.pair.channels[1].recv(r, {1, 0, 0}, m.got.data(), kBytes) == Answer::done;
      return gone && come;
    }));
    CHECK((m.got == m.values));
    CHECK(m.pair.net.registrar.live == 0);
  });
}

TEST_CASE("a receive that is given up between parts gets no further one", "[parts]") {
  visit_between_parts([](GappedMessage& m) {
    protocols::Abandoned& abandoned = m.pair.channels[1].abandoned();
    m.pair.channels[1].abandon(m.r);
    abandoned.ask(false);
    CHECK(abandoned.writing() == Writing::yes);
    for (Ear& ear : m.pair.ears) ear.abandoned_id = kName.communicator;
    const int parts = m.link().parts;
    REQUIRE(m.pair.until([&] {
      m.send();
      return !abandoned.withdrawing();
    }));
    CHECK(m.sends == Answer::again);
    CHECK(m.link().parts == parts);
    CHECK(abandoned.writing() == Writing::no);
    m.pair.channels[0].abandon(m.s);
    m.check_that_nothing_comes();
    for (const protocols::Channel& channel : m.pair.channels) CHECK_FALSE(channel.failed());
    REQUIRE(m.pair.until([&] { return m.pair.net.registrar.live == 0; }));
  });
}

TEST_CASE("a connection that is broken off between parts brings no message", "[parts]") {
  visit_between_parts([](GappedMessage& m) {
    m.pair.channels[0].abandon(m.s);
    m.pair.channels[0].abandoned().break_off();
    CHECK_FALSE(m.pair.channels[0].abandoned().being_read());
    m.check_that_nothing_comes();
    REQUIRE(m.pair.until([&] {
      m.receive();
      m.pair.channels[1].probe();
      return m.receives != Answer::again || m.pair.channels[1].failed();
    }));
    CHECK(m.receives != Answer::done);
    m.pair.channels[1].abandon(m.r);
    for (protocols::Channel& channel : m.pair.channels) {
      channel.abandoned().revoke();
      channel.abandoned().release();
    }
    CHECK(m.pair.net.registrar.live == 0);
  });
}
