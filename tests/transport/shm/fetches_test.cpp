// Which long messages are fetched, by what was measured.
#include "transport/shm/fetches.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/transport/fresh_name.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/link.hpp"

using namespace tutti;
using namespace tutti::transport::shm;
using tests::kLargeShape;
using tests::kMeetAlone;
using transport::Load;

namespace {

constexpr Bytes kShort = 32 * 1024, kLong = 1 << 20;

struct FetchingPair {
  FetchTimes told{};
  Fetches fetches{told};
  FetchClock clock{told};

  // How many of so many messages are fetched, if a byte takes so many ticks.
  int fetched(int messages, Bytes bytes, double fetch, double in_pieces) {
    int count = 0;
    for (int i = 0; i < messages; ++i) {
      if (!fetches.pays(bytes, in_pieces)) continue;
      ++count;
      clock.record(bytes, static_cast<std::uint64_t>(fetch * static_cast<double>(bytes)));
    }
    return count;
  }
};

}  // namespace

TEST_CASE("fetches: what takes less time serves, for each length, and the other is tried") {
  FetchingPair pair;
  CHECK(pair.fetched(1000, kShort, 0.5, 0.2) <= 80);
  CHECK(pair.fetched(1000, kLong, 0.2, 0.5) >= 900);
  CHECK(pair.fetched(100000, kShort, 0.5, 0.2) > 16);
  CHECK(pair.fetched(100000, kShort, 0.5, 0.2) < 500);
  CHECK(pair.fetched(100000, kLong, 0.2, 0.5) > 99500);
  CHECK(pair.fetched(100000, kLong, 0.2, 0.5) < 99984);
  pair.fetched(20000, kShort, 0.2, 0.5);  // the cores have moved
  CHECK(pair.fetched(1000, kShort, 0.2, 0.5) >= 900);
  pair.fetched(20000, kShort, 0.5, 0.2);
  CHECK(pair.fetched(1000, kShort, 0.5, 0.2) <= 100);
}

TEST_CASE("fetches: where that is to be tried later, pieces come first") {
  const FetchTimes told{};
  Fetches at_once(told), later(told, Fetches::Tries::later);
  CHECK(at_once.pays(kLong, 0.5));
  int pieces = 0;
  while (!later.pays(kLong, 0.5)) ++pieces;
  CHECK(pieces == 512);
}

TEST_CASE("fetches: the first ones after pieces take longer, and do not decide") {
  FetchingPair pair;
  int consecutive = 0, fetched = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool fetches = pair.fetches.pays(kLong, 0.58);
    consecutive = fetches ? consecutive + 1 : 0;
    if (fetches)
      pair.clock.record(kLong, static_cast<std::uint64_t>(kLong * (consecutive <= 4 ? 1.0 : 0.33)));
    fetched += i >= 2000 && fetches ? 1 : 0;
  }
  CHECK(fetched > 900);
}

TEST_CASE("fetches: nothing is fetched before pieces are measured, or if nobody tells the times") {
  FetchingPair pair;
  CHECK(pair.fetched(1000, kShort, 0.1, 0) == 0);
  Fetches unheard(pair.told);
  int fetched = 0;
  for (int i = 0; i < 1000; ++i) fetched += unheard.pays(kShort, 0.5) ? 1 : 0;
  CHECK(fetched > 0);
  CHECK(fetched <= 80);
}

TEST_CASE("fetches: the same for several receivers at once may be the other way round") {
  FetchingPair pair;
  pair.fetched(1000, kShort, 0.5, 0.3);
  int fetched = 0;
  for (int i = 0; i < 1000; ++i) {
    fetched += pair.fetches.pays(kShort, 0.9) ? 1 : 0;
    pair.fetches.pays(kShort, 0.3);
  }
  CHECK(fetched > 900);
}

TEST_CASE("fetches: a message in which the rank lost its core changes little") {
  FetchingPair pair;
  pair.fetched(2000, kLong, 0.2, 0.5);
  pair.clock.record(kLong, 1ull << 40);
  CHECK(pair.fetched(100, kLong, 0.2, 0.5) >= 80);
}

TEST_CASE("fetches: two ways that take about as long do not take turns") {
  FetchingPair pair;
  pair.fetched(1000, kShort, 0.2, 0.25);
  int changes = 0;
  for (int i = 0, fetched = 1; i < 2000; ++i) {
    const int now = pair.fetched(1, kShort, i % 7 == 0 ? 0.24 : 0.2, i % 3 == 0 ? 0.21 : 0.23);
    changes += now != fetched ? 1 : 0;
    fetched = now;
  }
  CHECK(changes > 0);  // trials
  CHECK(changes <= 8);
}

TEST_CASE("fetches: one in which the rank lost its core does not decide") {
  FetchingPair pair;
  pair.fetched(1000, kShort, 0.2, 0.25);
  pair.fetched(1, kShort, 100, 0.25);
  CHECK(pair.fetched(100, kShort, 0.2, 0.25) >= 84);
}

TEST_CASE("fetches: what pieces take depends on who stores and reads at the same time") {
  const StorePolicy::Times times{0.2, 0.3};
  const Load alone{.receivers = 1, .receives = false}, both{.receivers = 1, .receives = true},
      many{.receivers = 4, .receives = false};
  // One stores while the other reads what came before.
  CHECK(time_in_pieces(times, 100, alone, false) == Approx(0.3 + 0.002));
  CHECK(time_in_pieces(times, 1, alone, false) == Approx(0.5));
  CHECK(time_in_pieces(times, 0.5, alone, false) == Approx(0.5));
  CHECK(time_in_pieces(times, 100, both, false) == Approx(0.5));
  CHECK(time_in_pieces(times, 100, many, false) == Approx(0.8 + 0.003));
  for (const Load& load : {alone, both, many})
    CHECK(time_in_pieces(times, 100, load, true) == Approx(0.5));
  CHECK(time_in_pieces({0, 0.3}, 100, alone, false) == 0);
  CHECK(time_in_pieces({0.2, 0}, 100, both, true) == 0);
}

TEST_CASE("fetches: every length has a class") {
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, kShort, kLong, Bytes{1} << 40})
    CHECK(length_class(bytes) < kLengths);
  CHECK(length_class(16385) == length_class(32767));
  CHECK(length_class(32767) != length_class(32768));
  FetchTimes told{};
  FetchClock clock(told);
  clock.record(0, 10);
  clock.record(1, ~0ull);
  CHECK(told[0].ticks_per_byte() == ToldTime::kLargest);
}

// The peer tells nothing yet, then that it is slow in pieces, then that it is slow to fetch.
TEST_CASE("fetches: packed data is fetched where that takes less time") {
  constexpr Bytes kBytes = 200000;
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kLargeShape, Copy::automatic, kMeetAlone);
  segment.connect(0);
  ShmLink link(kLargeShape, 0, segment, 0, 0);
  const Load packs{1, true, true};
  CHECK_FALSE(link.fetch_pays(kBytes, packs));
  std::vector<std::byte> data(kBytes), room(data.size());
  PackedView view(TypedBytes::plain(data.data(), kBytes), room.data());
  constexpr auto kRing = transport::Ring::eager;
  for (std::uint32_t sequence = 1; sequence <= 500; ++sequence) {  // all kinds of stores are tried
    const transport::Trailer trailer{{}, transport::Length(16000), 0, sequence};
    const std::uint32_t index = kLargeShape[kRing].index_of(sequence);
    REQUIRE(link.put_packed(kRing, index, view, room.data(), trailer) == transport::Post::done);
  }
  CHECK_FALSE(link.fetch_pays(kBytes, packs));
  segment.read_times(0, 0).cached.tell(100);
  segment.read_times(0, 0).streamed.tell(100);
  segment.read_times(0, 0).string.tell(100);
  REQUIRE(segment.allocate_invitations(0, 0) == 0);
  const auto fetches = [&](double told) {
    segment.invitations(0, 0).fetch_times[length_class(kBytes)].tell(told);
    int times = 0;
    for (int i = 0; i < 2000; ++i) times += link.fetch_pays(kBytes, packs);
    return times;
  };
  CHECK(fetches(1) > 1400);
  CHECK(fetches(10000) < 100);
}
