// Random numbers have all bits, and do not come again.
#include "base/random.hpp"

#include <catch2/catch.hpp>
#include <set>

TEST_CASE("random numbers differ, and each of their bits does", "[random]") {
  constexpr int kNumbers = 128;  // by chance a bit would be the same in all once in 2^121 runs
  std::set<std::uint64_t> numbers;
  std::uint64_t ever = 0, always = ~std::uint64_t{0};
  for (int i = 0; i < kNumbers; ++i) {
    const std::uint64_t number = tutti::random_number();
    numbers.insert(number);
    ever |= number;
    always &= number;
  }
  CHECK(numbers.size() == kNumbers);
  CHECK(ever == ~std::uint64_t{0});
  CHECK(always == 0);
}
