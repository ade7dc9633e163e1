// Long payloads by either kind of stores, and which kind is chosen.
#include "transport/shm/stores.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace tutti::transport::shm;

TEST_CASE("stores: all bytes, and no others, whichever way") {
  for (const std::size_t bytes :
       {0u, 1u, 7u, 8u, 9u, 15u, 16u, 17u, 4095u, 4096u, 4097u, 4160u, 16424u, 70001u})
    for (std::size_t to_skew = 0; to_skew < 72; to_skew += 8)
      for (const std::size_t from_skew : {0u, 3u}) {
        Stores stores;
        std::vector<unsigned char> from(bytes + 80), to(bytes + 160);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7);
        for (int again = 0; again < 3; ++again) {  // both ways
          std::fill(to.begin(), to.end(), 0xee);
          stores.copy(to.data() + 1 + to_skew, from.data() + from_skew, bytes);
          const auto begin = to.begin() + 1 + static_cast<std::ptrdiff_t>(to_skew),
                     end = begin + static_cast<std::ptrdiff_t>(bytes);
          REQUIRE(std::equal(begin, end, from.begin() + static_cast<std::ptrdiff_t>(from_skew)));
          REQUIRE(std::all_of(to.begin(), begin, [](int byte) { return byte == 0xee; }));
          REQUIRE(std::all_of(end, to.end(), [](int byte) { return byte == 0xee; }));
        }
      }
}

namespace {

// How many of a hundred copies take each way, if these are the ticks they take.
int streamed(Stores& stores, double cached, double streaming) {
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    const Stores::Way way = stores.next();
    count += way == Stores::streaming ? 1 : 0;
    stores.took(way, way == Stores::streaming ? streaming : cached);
  }
  return count;
}

}  // namespace

TEST_CASE("stores: what takes less time serves, and the other is tried now and then") {
  Stores stores;
  CHECK(streamed(stores, 1, 3) <= 5);
  const int later = streamed(stores, 3, 1);  // the cores have moved
  CHECK(later > 40);
  CHECK(streamed(stores, 3, 1) > 90);
  CHECK(streamed(stores, 1, 0.9) < 100);
}

TEST_CASE("stores: a copy in which the rank lost its core changes little") {
  Stores stores;
  streamed(stores, 1, 1.5);
  stores.took(Stores::cached, 10000);
  CHECK(streamed(stores, 1, 1.5) <= 40);
  CHECK(streamed(stores, 1, 1.5) <= 5);
}
