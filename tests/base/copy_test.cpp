// Copies of every length around the parts they are made in.
#include "base/copy.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace tutti;

TEST_CASE("copies: all bytes, and no others") {
  std::mt19937 random(1);
  for (const std::size_t bytes : {0u, 1u, 7u, 2047u, 2048u, 2049u, 4096u, 4097u, 65537u,
                                  (1u << 20) - 1, 1u << 20, (1u << 20) + 1})
    for (const std::size_t skew : {0u, 8u, 63u}) {
      std::vector<unsigned char> from(bytes + 64), to(bytes + 128, 0xee);
      for (auto& byte : from) byte = static_cast<unsigned char>(random());
      copy_bytes(to.data() + 1 + skew, from.data(), bytes);
      const auto begin = to.begin() + 1 + static_cast<std::ptrdiff_t>(skew),
                 end = begin + static_cast<std::ptrdiff_t>(bytes);
      CHECK(std::equal(begin, end, from.begin()));
      CHECK(std::all_of(to.begin(), begin, [](int byte) { return byte == 0xee; }));
      CHECK(std::all_of(end, to.end(), [](int byte) { return byte == 0xee; }));
    }
}
