// Numbers of calls wrap, and names of messages tell calls apart.
#include "base/types.hpp"

#include <catch2/catch.hpp>

using namespace tutti;

TEST_CASE("the earlier one of two calls is known though numbers wrap", "[types]") {
  CHECK(is_earlier(0, 1));
  CHECK_FALSE(is_earlier(1, 0));
  CHECK_FALSE(is_earlier(7, 7));
  CHECK(is_earlier(~0u, 0));
  CHECK(is_earlier(~0u - 5, 1u << 30));
  CHECK_FALSE(is_earlier(1u << 30, ~0u - 5));
}

TEST_CASE("a name has its call's mark in the upper bits of its ordinal", "[types]") {
  const MessageName name{1, 2, Ordinal{5} << kOrdinalBits | 3};
  CHECK(name.mark() == 5);
  CHECK(MessageName{1, 2, 3}.mark() == 0);
  CHECK(name.of_same_call({1, 2, 3}));
  CHECK_FALSE(name.of_same_call({1, 3, name.ordinal}));
  CHECK_FALSE(name.of_same_call({2, 2, name.ordinal}));
  CHECK_FALSE(name == MessageName{1, 2, 3});
}
