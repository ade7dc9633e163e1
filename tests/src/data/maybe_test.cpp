// An object that is made later is destroyed once, and one that is never made is not.
#include "src/data/maybe.hpp"

#include <catch2/catch.hpp>
#include <utility>

using tutti::Maybe;

namespace {

struct Lived {
  Lived(int& alive, int value) : alive_(alive), value(value) { ++alive_; }
  ~Lived() { --alive_; }
  Lived(const Lived&) = delete;
  Lived& operator=(const Lived&) = delete;
  int& alive_;
  int value;
};

}  // namespace

TEST_CASE("nothing is made, and nothing destroyed, before it is asked for", "[maybe]") {
  int alive = 0;
  {
    const Maybe<Lived> never;
    CHECK_FALSE(never);
    Maybe<Lived> later;
    CHECK(alive == 0);
    Lived& made = later.emplace(alive, 7);
    CHECK(alive == 1);
    CHECK(later);
    CHECK(&made == &*later);
    CHECK(later->value == 7);
    CHECK(std::as_const(later)->value == 7);
  }
  CHECK(alive == 0);
}
