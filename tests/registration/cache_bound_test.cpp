// Regions that are bound: their holder's alone, whatever the limits are, and stale in time.
#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "tests/registration/cache_fixture.hpp"
#include "tests/registration/watched.hpp"

using namespace cache_fixture;
using tutti::Error;

TEST_CASE("a bound region is its holder's alone, and no limit ends it", "[registration]") {
  Fixture f({true, 0, 1});
  REQUIRE(f.cache.caches());
  std::byte* memory = map_pages(8);
  Region* const bound = f.cache.bind(memory, 8 * kPage, true);
  CHECK_FALSE(f.hit(memory, kPage));
  CHECK(f.cache.trim(100));  // the region beside it
  CHECK_FALSE(f.cache.trim(100));
  CHECK(f.registrar.live() == 1);
  CHECK(f.cache.statistics().regions == 0);
  CHECK(f.cache.statistics().bytes == 0);
  CHECK_FALSE(f.cache.is_stale(bound));
  CHECK(watched_pages(memory, 8) == 8);
  // Others revoke only the region that they have registered.
  Region* const other = f.cache.acquire(memory, 8 * kPage, true);
  CHECK(other != bound);
  f.cache.revoke(other);
  CHECK_FALSE(f.cache.serves_others(other));
  f.cache.release_revoked(other);
  CHECK(f.registrar.live() == 1);
  f.cache.release(bound);
  CHECK(f.registrar.live() == 0);
  CHECK(watched_pages(memory, 8) == 0);
  munmap(memory, 8 * kPage);
}

TEST_CASE("what is bound leaves the limits to others", "[registration]") {
  Fixture f({true, 4 * kPage, 2});
  REQUIRE(f.cache.caches());
  std::byte* memory = map_pages(16);
  Region* const first = f.cache.bind(memory, 8 * kPage, true);
  Region* const second = f.cache.bind(memory, 8 * kPage, false);
  CHECK_FALSE(f.hit(memory + 8 * kPage, 2 * kPage));
  CHECK_FALSE(f.hit(memory + 10 * kPage, 2 * kPage));
  CHECK(f.hit(memory + 8 * kPage, 2 * kPage));
  CHECK(f.hit(memory + 10 * kPage, 2 * kPage));
  f.cache.release(first);
  f.cache.release(second);
  CHECK(f.hit(memory + 8 * kPage, 2 * kPage));
  CHECK(f.registrar.live() == 2);
  munmap(memory, 16 * kPage);
}

TEST_CASE("a bound region is stale once its memory was unmapped or moved", "[registration]") {
  Fixture f;
  REQUIRE(f.cache.caches());
  std::byte* memory = map_pages(8);
  Region* const bound = f.cache.bind(memory + kPage, 2 * kPage, true);
  CHECK_FALSE(f.cache.is_stale(bound));
  SECTION("unmapped") {
    REQUIRE(munmap(memory, 8 * kPage) == 0);
    REQUIRE(map_pages(8, memory) == memory);
  }
  SECTION("given back") { REQUIRE(madvise(memory + 2 * kPage, kPage, MADV_DONTNEED) == 0); }
  CHECK(f.cache.is_stale(bound));
  Region* const anew = f.cache.bind(memory + kPage, 2 * kPage, true);
  CHECK(f.cache.is_stale(bound));
  CHECK_FALSE(f.cache.is_stale(anew));
  CHECK(f.registrar.live() == 2);
  f.cache.release(bound);
  CHECK(f.registrar.live() == 1);
  REQUIRE(munmap(memory, kPage) == 0);  // of a page beside it
  CHECK_FALSE(f.cache.is_stale(anew));
  f.cache.release(anew);
  CHECK(f.registrar.live() == 0);
  munmap(memory, 8 * kPage);
}

// The watcher's thread has read the event when munmap() returns, but perhaps done no more.
TEST_CASE("a bound region is stale as soon as munmap returns", "[registration]") {
  Fixture f;
  REQUIRE(f.cache.caches());
  std::byte* memory = map_pages(1);
  int missed = 0;
  for (int round = 0; round < 5000; ++round) {
    Region* const bound = f.cache.bind(memory, kPage, true);
    munmap(memory, kPage);
    missed += !f.cache.is_stale(bound);
    f.cache.release(bound);
    memory = map_pages(1, memory);
  }
  CHECK(missed == 0);
  munmap(memory, kPage);
}

TEST_CASE("a shared region stays until its last user has released it", "[registration]") {
  Fixture f({true, 0, 1});
  std::byte* memory = map_pages(2);
  Region* const bound = f.cache.bind(memory, 2 * kPage, true);
  f.cache.share(bound);
  f.cache.release(bound);
  CHECK(f.registrar.live() == 1);
  f.cache.revoke(bound);
  CHECK_FALSE(f.cache.serves_others(bound));
  f.cache.release_revoked(bound);
  CHECK(f.registrar.live() == 0);
  munmap(memory, 2 * kPage);
}

TEST_CASE("memory of which pages can go without a word is not bound", "[registration]") {
  Fixture f;
  void* const memory =
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  CHECK(f.cache.bind(memory, 2 * kPage, true) == nullptr);
  CHECK(f.registrar.adds == 0);
  CHECK(f.warnings.empty());  // a message that registers there warns
  CHECK_FALSE(f.hit(memory, 2 * kPage));
  CHECK_FALSE(f.warnings.empty());
  munmap(memory, 2 * kPage);
}

TEST_CASE("what cannot be bound leaves nothing behind", "[registration]") {
  Fixture f;
  f.registrar.most_live = 0;
  std::byte* memory = map_pages(2);
  CHECK_THROWS_AS(f.cache.bind(memory, 2 * kPage, true), tutti::Error);
  CHECK(watched_pages(memory, 2) == 0);
  f.registrar.most_live = 1;
  Region* const bound = f.cache.bind(memory, 2 * kPage, true);
  CHECK_FALSE(f.cache.is_stale(bound));
  f.cache.release(bound);
  CHECK(f.registrar.live() == 0);
  munmap(memory, 2 * kPage);
}
