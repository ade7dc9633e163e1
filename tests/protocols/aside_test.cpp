// Messages that were set aside: a bound, and who drops them.
#include "protocols/aside.hpp"

#include <catch2/catch.hpp>

using namespace tutti;

TEST_CASE("messages set aside are bounded, and dropped with their communicator", "[aside]") {
  protocols::Aside aside;
  std::vector<std::byte> memory(1 << 20);
  auto* trailer = reinterpret_cast<transport::Trailer*>(memory.data() + memory.size()) - 1;
  *trailer = {{5, 0, 0}, static_cast<std::uint32_t>(memory.size() - sizeof *trailer), 0, 0};
  int kept = 0;
  while (kept < 100 && aside.keep(transport::Ring::eager, trailer)) ++kept;
  CHECK(kept == 16);
  CHECK(aside.find(transport::Ring::small, trailer->name) == nullptr);
  CHECK(aside.find(transport::Ring::eager, {5, 1, 0}) == nullptr);
  const transport::Trailer* one = aside.find(transport::Ring::eager, {5, 0, 0});
  REQUIRE(one != nullptr);
  aside.release(one);
  CHECK(aside.find(transport::Ring::eager, {5, 0, 0}) != nullptr);  // the next one
  CHECK(aside.keep(transport::Ring::eager, trailer));
  aside.drop([](const MessageName& name) { return name.communicator == 5; });
  CHECK(aside.empty());
}
