// The registration cache, above all: a program that frees memory and gets the same address again.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/registration/cache_fixture.hpp"
#include "tests/registration/watched.hpp"

using namespace cache_fixture;
using tutti::Error;

TEST_CASE("the kernel of the test machine watches memory", "[registration]") {
  // Without this the tests below would prove nothing about the cache that users run.
  Fixture f;
  INFO(f.warnings);
  REQUIRE(f.cache.caches());
}

TEST_CASE("a range inside a kept region is a hit, one beyond it is not", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(16);
  CHECK_FALSE(f.hit(memory + 100, 4 * kPage));
  CHECK(f.hit(memory + 100, 4 * kPage));
  CHECK(f.hit(memory + 500, 10));
  CHECK_FALSE(f.hit(memory + 100, 4 * kPage + 1));
  CHECK_FALSE(f.hit(memory, 100));
  CHECK(f.hit(memory + 3 * kPage, kPage, false));
  munmap(memory, 16 * kPage);
}

TEST_CASE("a long region is found behind shorter ones that begin later", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(32);
  CHECK_FALSE(f.hit(memory + 20 * kPage, kPage));  // the first is short
  CHECK_FALSE(f.hit(memory, 16 * kPage, false));
  for (const int page : {2, 8}) CHECK_FALSE(f.hit(memory + page * kPage, kPage, true));
  CHECK(f.hit(memory + 15 * kPage, kPage, false));
  CHECK(f.hit(memory, 16 * kPage, false));
  munmap(memory, 32 * kPage);
}

TEST_CASE("a region for reading is not lent for writing", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(4);
  CHECK_FALSE(f.hit(memory, kPage, false));
  CHECK_FALSE(f.hit(memory, kPage, true));
  CHECK(f.hit(memory, kPage, false));
  munmap(memory, 4 * kPage);
}

TEST_CASE("memory that is unmapped and mapped again at the same address is registered again",
          "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(8);
  SECTION("munmap, mmap") {
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(munmap(memory, 8 * kPage) == 0);
    REQUIRE(map_pages(8, memory) == memory);
  }
  SECTION("mapped over") {
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(map_pages(8, memory) == memory);
  }
  SECTION("a part only") {
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(munmap(memory + 3 * kPage, kPage) == 0);
    map_pages(1, memory + 3 * kPage);
  }
  SECTION("given back to the kernel") {
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(madvise(memory, 8 * kPage, MADV_DONTNEED) == 0);
    memory[0] = std::byte{1};  // and touched again: nothing may hang
  }
  SECTION("moved away") {
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    void* elsewhere = mremap(memory, 8 * kPage, 16 * kPage, MREMAP_MAYMOVE);
    REQUIRE(elsewhere != MAP_FAILED);
    if (elsewhere == memory) return;  // grew in place: nothing moved
    map_pages(8, memory);
    munmap(elsewhere, 16 * kPage);
  }
  CHECK_FALSE(f.hit(memory, 8 * kPage));
  CHECK(f.cache.statistics().invalidations >= 1);
  CHECK(f.hit(memory, 8 * kPage));
  munmap(memory, 8 * kPage);
}

TEST_CASE("free and malloc of the same address register again", "[registration]") {
  Fixture f;
  constexpr std::size_t bytes = 8 << 20;
  mallopt(M_MMAP_THRESHOLD, 1 << 20);  // each is a mapping of its own: free() returns it to the
                                       // kernel, without our knowing
  int same = 0;
  for (int round = 0; round < 20; ++round) {
    void* first = std::malloc(bytes);
    std::memset(first, 1, bytes);
    CHECK_FALSE(f.hit(first, bytes));
    const auto place = reinterpret_cast<std::uintptr_t>(first);
    std::free(first);
    void* second = std::malloc(bytes);
    std::memset(second, 2, bytes);
    if (reinterpret_cast<std::uintptr_t>(second) == place) {
      ++same;
      CHECK_FALSE(f.hit(second, bytes));
    }
    std::free(second);
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(same > 0);  // sanitizers keep freed memory in quarantine
#endif
}

TEST_CASE("a region in use outlives its memory, and is never found again", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(2);
  Region* held = f.cache.acquire(memory, 2 * kPage, true);
  munmap(memory, 2 * kPage);
  map_pages(2, memory);
  CHECK_FALSE(f.hit(memory, 2 * kPage));
  CHECK(f.registrar.live() == 2);
  f.cache.release(held);
  CHECK(f.registrar.live() == 1);
  munmap(memory, 2 * kPage);
}

TEST_CASE("the least recently used region goes first, and none that is in use", "[registration]") {
  Fixture f({true, 1 << 30, 3});
  std::byte* memory = map_pages(64);
  Region* held = f.cache.acquire(memory, kPage, true);
  for (int i = 1; i < 3; ++i) f.hit(memory + i * 4 * kPage, kPage);
  CHECK(f.hit(memory + 4 * kPage, kPage));         // used again: younger than the next
  CHECK_FALSE(f.hit(memory + 40 * kPage, kPage));  // a fourth
  CHECK(f.hit(memory + 4 * kPage, kPage));
  CHECK_FALSE(f.hit(memory + 8 * kPage, kPage));  // that one had to go
  CHECK(f.hit(memory, kPage));                    // this one is held
  f.cache.release(held);
  CHECK(f.cache.statistics().regions <= 3);
  munmap(memory, 64 * kPage);
}

TEST_CASE("the limit in bytes holds", "[registration]") {
  Fixture f({true, 10 * kPage, 1000});
  std::byte* memory = map_pages(64);
  for (int i = 0; i < 16; ++i) f.hit(memory + i * 4 * kPage, 4 * kPage);
  CHECK(f.cache.statistics().bytes <= 10 * kPage);
  CHECK(f.registrar.live() <= 2);
  munmap(memory, 64 * kPage);
}

TEST_CASE("a full registrar gets another try without the unused", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(64);
  f.registrar.most_live = 4;
  for (int i = 0; i < 10; ++i) CHECK_FALSE(f.hit(memory + i * 4 * kPage, kPage));
  std::vector<Region*> held;
  for (int i = 0; i < 4; ++i) held.push_back(f.cache.acquire(memory + i * 4 * kPage, kPage, true));
  CHECK_THROWS_AS(f.cache.acquire(memory + 50 * kPage, kPage, true), Error);
  for (Region* region : held) f.cache.release(region);
  CHECK_FALSE(f.hit(memory + 50 * kPage, kPage));
  munmap(memory, 64 * kPage);
}

TEST_CASE("a region that takes the place of another one of its pages is watched all the same",
          "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(4);
  f.hit(memory, 4 * kPage, false);
  f.registrar.most_live = 1;  // for writing, the one for reading has to go first
  CHECK_FALSE(f.hit(memory, 4 * kPage));
  CHECK(f.hit(memory, 4 * kPage));
  munmap(memory, 4 * kPage);
  map_pages(4, memory);
  CHECK_FALSE(f.hit(memory, 4 * kPage));
  munmap(memory, 4 * kPage);
}

TEST_CASE("regions that overlap leave nothing watched", "[registration]") {
  CacheOptions options;
  options.write_protect = GENERATE(true, false);
  Fixture f(options);
  std::byte* memory = map_pages(64);
  SECTION("each begins within another") {
    for (const int first : {0, 16, 32}) f.hit(memory + first * kPage, 32 * kPage);
  }
  SECTION("one lies within another") {
    f.hit(memory + 16 * kPage, 8 * kPage);
    f.hit(memory, 64 * kPage);
  }
  SECTION("one covers two others") {
    f.hit(memory + 8 * kPage, 8 * kPage);
    f.hit(memory + 32 * kPage, 8 * kPage);
    f.hit(memory + 4 * kPage, 40 * kPage);
  }
  SECTION("a part is gone") {
    f.hit(memory, 32 * kPage);
    f.hit(memory + 16 * kPage, 32 * kPage);
    munmap(memory + 20 * kPage, kPage);
  }
  f.cache.trim(100);
  CHECK(watched_pages(memory, 64) == 0);
  munmap(memory, 64 * kPage);
}

TEST_CASE("what a kept region shares with a dropped one stays watched", "[registration]") {
  Fixture f({true, 1 << 30, 2});
  std::byte* memory = map_pages(64);
  f.hit(memory + 8 * kPage, 8 * kPage);
  f.hit(memory, 32 * kPage);
  f.hit(memory + 40 * kPage, kPage);  // a third: the first has to go
  CHECK(watched_pages(memory, 64) == 33);
  f.hit(memory + 30 * kPage, 4 * kPage);  // and the second, save two pages
  CHECK(watched_pages(memory, 64) == 5);
  munmap(memory, 64 * kPage);
}

TEST_CASE("pages that moved are not watched where they came from", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(8);
  f.hit(memory, 8 * kPage);
  // Not by mremap(): see the test of the watcher.
  const long moved =
      syscall(SYS_mremap, memory, 8 * kPage, 8 * kPage, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
  REQUIRE(moved > 0);
  f.cache.trim(100);
  CHECK(f.cache.statistics().regions == 0);
  CHECK(watched_pages(memory, 8) == 0);
  CHECK(watched_pages(reinterpret_cast<void*>(moved), 8) == 0);
  munmap(memory, 8 * kPage);
  munmap(reinterpret_cast<void*>(moved), 8 * kPage);
}

TEST_CASE("memory that one thread unmaps and another one maps again is registered again",
          "[registration]") {
  Fixture f;
  int stale = 0;
  for (int round = 0; round < 300; ++round) {
    std::byte* const memory = map_pages(4);
    f.hit(memory, 4 * kPage);
    std::thread unmaps([&] { munmap(memory, 4 * kPage); });
    // As soon as the address is free, while the thread that freed it may still wait for its event
    // to be read.
    void* again = MAP_FAILED;
    while (again == MAP_FAILED)
      again = mmap(memory, 4 * kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    stale += f.hit(again, 4 * kPage);
    unmaps.join();
    munmap(again, 4 * kPage);
  }
  CHECK(stale == 0);
}

TEST_CASE("what nobody uses is given up where others want its memory", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(8);
  Region* used = f.cache.acquire(memory, kPage, true);
  f.hit(memory + 2 * kPage, kPage);
  f.hit(memory + 4 * kPage, kPage);
  CHECK(f.cache.trim(100));
  CHECK(f.registrar.live() == 1);
  CHECK_FALSE(f.cache.trim(100));
  f.cache.release(used);
  munmap(memory, 8 * kPage);
}

TEST_CASE("a revoked region is deregistered with its last release", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(4);
  Region* region = f.cache.acquire(memory, kPage, true);
  f.cache.revoke(region);
  CHECK_FALSE(f.hit(memory, kPage));
  CHECK(f.registrar.live() == 2);
  CHECK_FALSE(f.cache.serves_others(region));
  f.cache.release_revoked(region);
  CHECK(f.registrar.live() == 1);
  munmap(memory, 4 * kPage);
}

TEST_CASE("whether others use a revoked region can be asked", "[registration]") {
  Fixture f;
  REQUIRE(f.cache.caches());
  std::byte* memory = map_pages(4);
  Region* region = f.cache.acquire(memory, kPage, true);
  CHECK(f.cache.acquire(memory, kPage, true) == region);
  f.cache.revoke(region);
  CHECK(f.cache.serves_others(region));
  f.cache.release_revoked(region);
  CHECK(f.registrar.live() == 1);
  f.cache.revoke(region);
  CHECK_FALSE(f.cache.serves_others(region));
  f.cache.release_revoked(region);
  CHECK_FALSE(f.hit(memory, kPage));
  munmap(memory, 4 * kPage);
}

TEST_CASE("switched off, nothing is kept", "[registration]") {
  Fixture f({false, 1 << 30, 1000});
  std::byte* memory = map_pages(4);
  CHECK(f.cache.bind(memory, kPage, true) == nullptr);
  CHECK_FALSE(f.hit(memory, kPage));
  CHECK_FALSE(f.hit(memory, kPage));
  CHECK(f.registrar.live() == 0);
  munmap(memory, 4 * kPage);
}

TEST_CASE("threads that map, register and unmap at the same time", "[registration]") {
  Fixture f({true, 1 << 30, 32});
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 150; ++round) {
        void* memory =
            mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        auto* bytes = static_cast<std::byte*>(memory);
        bytes[0] = std::byte{1};
        Region* first = f.cache.acquire(bytes, 8 * kPage, true);
        f.cache.release(f.cache.acquire(bytes + kPage, kPage, true));
        f.cache.release(first);
        munmap(memory, 8 * kPage);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(f.registrar.wrong_removals == 0);
  CHECK(f.cache.statistics().regions == 0);  // all of it was unmapped
}
