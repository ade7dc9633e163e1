// Scratch memory goes from run to run, and what nobody uses is bounded.
#include "collectives/execution/scratch.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"

using namespace tutti;
using collectives::ScratchMemory;
using collectives::ScratchPool;

TEST_CASE("scratch that was given back is taken again", "[scratch]") {
  ScratchPool pool(1 << 20);
  ScratchMemory first = pool.take(1000), second = pool.take(500);
  CHECK(pool.kept() == 0);
  std::byte* const thousand = first.data();
  std::byte* const half = second.data();
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
  CHECK(pool.kept() == 1500);
  // The smallest that will do.
  ScratchMemory again = pool.take(400);
  CHECK(again.data() == half);
  ScratchMemory longer = pool.take(501);
  CHECK(longer.data() == thousand);
  CHECK(longer.bytes() == 1000);
  CHECK(pool.kept() == 0);
}

TEST_CASE("blocks that are in use are different ones, whole, and aligned", "[scratch]") {
  ScratchPool pool(1 << 20);
  std::vector<ScratchMemory> taken;
  std::set<std::byte*> places;
  for (const Bytes bytes : {1, 63, 64, 65, 100000}) {
    taken.push_back(pool.take(bytes));
    places.insert(taken.back().data());
    CHECK(reinterpret_cast<std::uintptr_t>(taken.back().data()) % kCacheLine == 0);
    std::memset(taken.back().data(), 1, static_cast<std::size_t>(bytes));
  }
  CHECK(places.size() == taken.size());
}

TEST_CASE("what was unused for longest goes first, and the last block stays", "[scratch]") {
  ScratchPool pool(1000);
  std::vector<ScratchMemory> taken;
  for (const Bytes bytes : {300, 400, 500}) taken.push_back(pool.take(bytes));
  for (ScratchMemory& scratch : taken) pool.give_back(std::move(scratch));
  CHECK(pool.kept() == 900);  // 300 has gone
  pool.give_back(pool.take(5000));
  CHECK(pool.kept() == 5000);
  pool.give_back(ScratchMemory(600));
  CHECK(pool.kept() == 600);
}

TEST_CASE("a pool that is to keep nothing keeps nothing", "[scratch]") {
  ScratchPool pool(0);
  pool.give_back(pool.take(100));
  CHECK(pool.kept() == 0);
}

TEST_CASE("a pool keeps few blocks, however short", "[scratch]") {
  ScratchPool pool(1 << 20);
  std::vector<ScratchMemory> taken;
  for (std::size_t i = 0; i < 2 * ScratchPool::kMost; ++i) taken.push_back(pool.take(10));
  for (ScratchMemory& scratch : taken) pool.give_back(std::move(scratch));
  CHECK(pool.kept() == 10 * static_cast<Bytes>(ScratchPool::kMost));
}

TEST_CASE("without memory for scratch there is an error, and the pool goes on", "[scratch]") {
  ScratchPool pool(1 << 20);
  pool.give_back(pool.take(100));
  CHECK_THROWS_AS(pool.take(std::numeric_limits<Bytes>::max() / 2), Error);
  CHECK(pool.kept() == 100);
  CHECK(pool.take(100).bytes() == 100);
}
