// Bytes that messages are sent from, taken and freed in order.
#include "transport/verbs/connection/send_stretch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

using tutti::transport::verbs::SendStretch;

namespace {

constexpr std::uint32_t kLine = 64;

struct Piece {
  std::uint32_t begin, end;
  std::uint64_t request;
  bool asks;
};

}  // namespace

TEST_CASE("no message is put together where another one is still sent from", "[verbs]") {
  constexpr std::uint32_t kSlots = 16, kLongest = 1024, kBytes = 4 * kLongest;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    SendStretch stretch(kBytes, kSlots);
    std::deque<Piece>
        under_way;  // pieces that the device may still read: all that are not known to be sent
    std::uint64_t completed = 0, request = 0;
    int waited = 0;
    for (int message = 0; message < 2000; ++message) {
      const std::uint32_t most = random() % 3 == 0 ? kLongest : kBytes / (2 * kSlots);
      const std::uint32_t bytes = kLine * (1 + random() % (most / kLine));
      // A message for the same slot has come back with credit.
      if (under_way.size() == kSlots) under_way.pop_front();
      auto begin = stretch.room_for(bytes, completed);
      while (!begin) {
        ++waited;
        // One that asked for a completion gets it, and all before it are through.
        const auto asks = std::ranges::find(under_way, true, &Piece::asks);
        REQUIRE(asks != under_way.end());
        completed = asks->request;
        under_way.erase(under_way.begin(), asks + 1);
        begin = stretch.room_for(bytes, completed);
      }
      REQUIRE(*begin + bytes <= kBytes);
      for (const Piece& other : under_way)
        REQUIRE((*begin + bytes <= other.begin || other.end <= *begin));
      stretch.take(*begin, bytes, ++request);
      under_way.push_back({*begin, *begin + bytes, request, stretch.is_long(bytes)});
    }
    CHECK(waited > 0);
  }
}

TEST_CASE("short messages never wait for a completion", "[verbs]") {
  constexpr std::uint32_t kSlots = 8, kLongest = 1024, kBytes = 4 * kLongest, kShort = 256;
  SendStretch stretch(kBytes, kSlots);
  CHECK_FALSE(stretch.is_long(kShort));
  CHECK(stretch.is_long(kShort + kLine));
  std::uint64_t request = 0;
  for (int message = 0; message < 100; ++message) {
    const auto begin = stretch.room_for(kShort, 0);
    REQUIRE(begin);
    stretch.take(*begin, kShort, ++request);
    CHECK(stretch.room_for(kLongest, 0));  // beside all that are under way
  }
}

TEST_CASE("a message waits for room until an earlier one is complete", "[verbs]") {
  SendStretch stretch(4096, 16);
  for (std::uint64_t request = 1; request <= 4; ++request) {
    const auto begin = stretch.room_for(1024, 0);
    REQUIRE(begin);
    CHECK(*begin == 1024 * (request - 1));
    stretch.take(*begin, 1024, request);
  }
  CHECK_FALSE(stretch.room_for(64, 0));
  CHECK(stretch.room_for(1024, 1) == 0u);
  CHECK_FALSE(stretch.room_for(1088, 1));
  CHECK(stretch.room_for(1088, 4) == 0u);
}
