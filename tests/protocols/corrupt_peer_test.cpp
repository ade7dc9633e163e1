// Messages of a broken peer: whichever of their words is wrong, nothing is read or written where it
// must not be, and impossible words break the connection.
#include <catch2/catch.hpp>
#include <limits>

#include "tests/base/no_code.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::News;
using protocols::Transfer;
using protocols::Use;
using transport::Ring;

namespace {

constexpr Bytes kPayload = 5000;
constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kHalf = 1u << 31;

// Rank 0 is broken. Each way makes it write messages of one ring, and rank 1 read them.
struct Way {
  const char* what;
  Ring ring;
  Bytes bytes;
  Use use = Use::stored;
  enum Kind { sends, searched, receives, announces, withdraws } kind = sends;
};

constexpr Way kLine{"a line", Ring::line, 8}, kSmall{"a small message", Ring::small, 100},
    kEager{"an eager message", Ring::eager, 1000},
    kSearched{"a message of a later call, in a full ring", Ring::eager, 1000, Use::stored,
              Way::searched},
    kPieces{"pieces", Ring::eager, kPayload, Use::combined},
    kReady{"a ready entry", Ring::ready, kPayload, Use::stored, Way::receives},
    kReadyToSend{"a ready entry to be fetched", Ring::ready, kPayload, Use::spread},
    kFinished{"the end of a transfer", Ring::control, kPayload, Use::spread, Way::receives},
    kWithdrawn{"a withdrawal", Ring::control, kPayload, Use::stored, Way::withdraws},
    kNews{"news", Ring::control, 0, Use::stored, Way::announces};

// Over memory of one node if the receiver fetches, or if messages are to come in pieces.
Hostility wire_for(const Way& way, bool polls) {
  Hostility wire{1, polls};
  wire.refuse = 0;
  wire.deliver = 1;
  wire.fetches = way.use == Use::spread;
  wire.passes_pieces = way.use == Use::combined;
  return wire;
}

struct Story {
  Pair pair;
  std::vector<std::byte> sent = bytes_of(kPayload, 1), got;
  Answer answer = Answer::again;  // of what rank 1 did

  Story(const Way& way, const Hostility& wire)
      : pair(wire, way.kind == Way::searched ? kTiny : kUsual), got(kPayload) {
    if (way.kind == Way::withdraws) pair.ears[0].abandoned_id = 9;
    if (way.kind == Way::announces)
      pair.channels[0].news().announce({.communicator = 9, .code = Code::timed_out, .culprit = 3});
    Transfer theirs, mine;
    const bool sends = way.kind == Way::sends || way.kind == Way::searched;
    const MessageName name{9, way.kind == Way::searched ? 1u : 0u, 0};
    auto* place = sends ? got.data() : sent.data();
    for (int i = 0; i < 100 && !pair.net.link(1, 0).state().failed(); ++i) {
      if (sends)
        pair.channels[0].send(theirs, name, sent.data(), way.bytes, way.use);
      else if (way.kind == Way::receives)
        pair.channels[0].recv(theirs, name, got.data(), way.bytes, way.use);
      if (answer == Answer::again && way.bytes != 0)
        answer = sends || way.kind == Way::withdraws
                     ? pair.channels[1].recv(mine, {9, 0, 0}, got.data(), way.bytes, way.use)
                     : pair.channels[1].send(mine, {9, 0, 0}, place, way.bytes, way.use);
      pair.net.step();
      for (auto& channel : pair.channels) channel.progress();
    }
  }
  bool broken() { return pair.net.link(1, 0).state().failed(); }
};

// Values that no rank writes there. Words count from the message's end.
struct Wrong {
  Way way;
  const char* field;
  std::size_t word;
  std::vector<std::uint32_t> values;
};

std::vector<Wrong> all_wrong() {
  const auto none = static_cast<std::uint32_t>(no_code());
  std::vector<Wrong> all;
  for (const Way& way : {kLine, kSmall, kEager, kSearched, kPieces, kReady, kReadyToSend, kFinished,
                         kWithdrawn, kNews}) {
    const std::uint32_t room = way.ring == Ring::small   ? 320 - 24
                               : way.ring == Ring::eager ? 1088 - 24
                                                         : 64 - 24;
    all.push_back({way, "length", 2, {room + 1, 1 << 20, kHalf + room + 1, kMost - 7, kMost}});
    all.push_back({way, "credits", 1, {5, 1000, kHalf - 1}});
  }
  for (const Way& way : {kReady, kReadyToSend, kFinished, kWithdrawn, kNews})
    all.push_back({way, "length", 2, {0, 1, 23, 39}});
  for (const Way& way : {kReady, kReadyToSend}) {
    all.push_back({way, "access", 6, {way.use == Use::spread ? 2u : 1u, 2, kHalf, kMost}});
    all.push_back({way, "identifier", 7, {64, kHalf, kMost}});
    all.push_back({way, "length of the buffer", 12, {kMost}});
  }
  for (const Way& way : {kFinished, kWithdrawn, kNews})
    all.push_back({way, "kind", 3, {0, 4, kHalf, kMost}});
  all.push_back({kFinished, "identifier", 7, {1, 63, 64, kHalf, kMost}});
  all.push_back({kWithdrawn, "identifier", 11, {1, 63, 64, kHalf, kMost}});
  all.push_back({kWithdrawn, "cause", 8, {0, none, kHalf, kMost}});
  all.push_back({kWithdrawn, "culprit", 7, {kHalf, kMost - 1}});
  all.push_back({kNews, "kind of news", 15, {2, 3, 4, kHalf, kMost}});
  all.push_back({kNews, "cause", 12, {0, none, kHalf, kMost}});
  all.push_back({kNews, "culprit", 11, {kHalf, kMost - 1}});
  return all;
}

}  // namespace

TEST_CASE("a message that cannot be breaks the link", "[corrupt]") {
  for (const bool polls : {true, false})
    for (const Wrong& wrong : all_wrong())
      for (const std::uint32_t value : wrong.values) {
        INFO(wrong.way.what << ", " << wrong.field << " = " << value << ", polls " << polls);
        Hostility wire = wire_for(wrong.way, polls);
        wire.corruption = {0, wrong.way.ring, 1, wrong.word, value};
        Story story(wrong.way, wire);
        CHECK(story.broken());
        const transport::Link& link = story.pair.net.link(1, 0);
        CHECK(link.state().code() == Code::transport_failed);
        CHECK_THAT(link.state().text(),
                   Catch::StartsWith("rank 0 of MPI_COMM_WORLD cannot be trusted"));
        CHECK(story.pair.ears[1].heard == 0);
        CHECK(story.answer != Answer::done);
      }
}

TEST_CASE("without a wrong word, all of that is said and believed", "[corrupt]") {
  for (const bool polls : {true, false})
    for (const Wrong& wrong : all_wrong()) {
      INFO(wrong.way.what << ", polls " << polls);
      Story story(wrong.way, wire_for(wrong.way, polls));
      CHECK_FALSE(story.broken());
      if (wrong.way.kind == Way::withdraws || wrong.way.kind == Way::announces)
        CHECK(story.pair.ears[1].heard == 1);
      else if (wrong.way.kind != Way::searched)
        CHECK(story.answer == Answer::done);
    }
}

TEST_CASE("a message that arrives with another's number breaks the link", "[corrupt]") {
  for (const Way& way : {kLine, kSmall, kEager, kPieces, kReady, kNews})
    for (const std::uint32_t value : {0u, 2u, kHalf, kMost}) {
      INFO(way.what << ", number " << value);
      Hostility wire = wire_for(way, false);
      wire.corruption = {0, way.ring, 1, 0, value};
      CHECK(Story(way, wire).broken());
    }
}

TEST_CASE("whatever else is wrong, nothing is done to other memory", "[corrupt]") {
  for (const bool polls : {true, false})
    for (const Way& way : {kLine, kSmall, kEager, kSearched, kPieces, kReady, kReadyToSend,
                           kFinished, kWithdrawn, kNews})
      for (std::size_t word = 0; word < 16; ++word)
        for (const std::uint32_t value : {0u, 1u, 24u, 63u, 64u, 65536u, kHalf, kMost - 7, kMost}) {
          // The address and the key of a buffer are the device's business.
          if (way.ring == Ring::ready && word >= 8) continue;
          INFO(way.what << ", word " << word << " = " << value << ", polls " << polls);
          Hostility wire = wire_for(way, polls);
          wire.corruption = {0, way.ring, 1, word, value};
          Story(way, wire);
        }
}

TEST_CASE("what no single word makes wrong breaks the link, too", "[corrupt]") {
  Pair pair({1});
  transport::Link& liar = pair.net.link(0, 1);
  const auto told = [&](const auto& write) {
    for (int i = 0; i < 1000 && !pair.net.link(1, 0).state().failed(); ++i) {
      if (i == 0)
        while (write() == transport::Post::again) pair.net.step();
      pair.net.step();
      pair.channels[1].progress();
    }
    return pair.net.link(1, 0).state().failed();
  };
  SECTION("two entries") {
    const protocols::ReadyEntry entry{{0, 5000, {}}, 3};
    CHECK_FALSE(told([&] {
      return liar.put(Ring::ready, 0, &entry, {{1, 0, 0}, transport::Length(sizeof entry), 0, 1});
    }));
    CHECK(told([&] {
      return liar.put(Ring::ready, 1, &entry, {{2, 0, 0}, transport::Length(sizeof entry), 0, 2});
    }));
  }
  SECTION("asks that cannot be") {
    const auto says = [&](const protocols::Ask& ask) {
      return told([&] {
        return liar.put(Ring::control, 0, &ask,
                        {{0, 0, protocols::Ask::kOrdinal}, transport::Length(sizeof ask), 0, 1});
      });
    };
    SECTION("what can be") { CHECK_FALSE(says({{1, 0, 0}, 0, Ring::eager})); }
    SECTION("for a ring without messages") { CHECK(says({{1, 0, 0}, 0, Ring::ready})); }
    SECTION("for no ring") { CHECK(says({{1, 0, 0}, 0, static_cast<Ring>(255)})); }
    SECTION("of slots that were never used") { CHECK(says({{1, 0, 0}, 1, Ring::line})); }
  }
  SECTION("messages without credit") {
    const std::uint32_t slots = kUsual[Ring::eager].slots;
    const std::vector<std::byte> data(1000);
    std::vector<std::byte> got(data.size());
    Transfer waits;
    std::uint32_t sent = 0;
    while (!pair.net.link(1, 0).state().failed() && sent < 100 * slots) {
      const transport::Trailer trailer{{9, 1, 0}, transport::Length(1000), 0, sent + 1};
      while (liar.put(Ring::eager, sent % slots, data.data(), trailer) == transport::Post::again)
        pair.net.step();
      ++sent;
      for (int i = 0; i < 50; ++i) {
        CHECK(pair.channels[1].recv(waits, {9, 0, 0}, got.data(), 1000) != Answer::done);
        pair.net.step();
        pair.channels[1].progress();
      }
    }
    CHECK(pair.net.link(1, 0).state().failed());
    CHECK(sent > 2 * slots);  // honest peers may send as many
    CHECK(sent <= 4 * slots);
    pair.channels[1].abandon(waits);
  }
  SECTION("a request that cannot be") {
    const protocols::EntryRequest request{{1, 0, 0}, static_cast<protocols::Access>(2)};
    CHECK(told([&] {
      return liar.put(Ring::control, 0, &request,
                      {{0, 0, 4}, transport::Length(sizeof request), 0, 1});
    }));
  }
  SECTION("a transfer that cannot be, or to which nobody has invited") {
    std::uint32_t word = 0;
    std::uint64_t ticket = 0;
    CHECK(told([&] {
      return liar.write(&word, {}, {reinterpret_cast<std::uint64_t>(&word), sizeof word, {}},
                        sizeof word, GENERATE(0u, 5u, protocols::kMostRendezvous), &ticket);
    }));
  }
  SECTION("a transfer that has ended twice") {
    const std::vector<std::byte> data(5000);
    std::vector<std::byte> got(5000);
    Transfer waits;
    const auto finish = [&] {
      std::uint64_t ticket = 0;
      return liar.write(data.data(), {},
                        {reinterpret_cast<std::uint64_t>(got.data()), got.size(), {}}, got.size(),
                        0u, &ticket);
    };
    REQUIRE(pair.until([&] {
      pair.channels[1].recv(waits, {9, 0, 0}, got.data(), 5000);
      return waits.phase == Transfer::Phase::awaits_outcome;
    }));
    CHECK_FALSE(told(finish));
    CHECK(told(finish));
    pair.channels[1].abandon(waits);
  }
}
