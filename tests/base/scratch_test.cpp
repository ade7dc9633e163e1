// Scratch memory goes from call to call, and what nobody uses is bounded.
#include "base/scratch.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;

namespace {

constexpr ScratchUse kRun{64, "of scratch"}, kCopy{16, "of copied data"};
constexpr Bytes kMost = std::numeric_limits<Bytes>::max();

std::uintptr_t place_in_page(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 4096;
}

// Message of the Error that `call` throws; empty if it throws nothing.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code == Code::out_of_memory);
    return error.message;
  }
  return {};
}

}  // namespace

TEST_CASE("scratch that was given back is taken again", "[scratch]") {
  ScratchPool pool(1 << 20);
  ScratchMemory first = pool.take(1024, kRun), second = pool.take(512, kRun);
  CHECK(pool.kept() == 0);
  std::byte *const longer = first.data(), *const shorter = second.data();
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
  CHECK(pool.kept() == 1536);
  // The smallest that will do.
  CHECK(pool.take(400, kRun).data() == shorter);
  CHECK(pool.take(513, kRun).data() == longer);
  CHECK(pool.kept() == 0);
}

TEST_CASE("memory of one use serves another, and begins where that wants it", "[scratch]") {
  ScratchPool pool(1 << 20);
  for (const Bytes bytes : {4097, 8192 - 64, 8192, 100'000}) {
    ScratchMemory memory = pool.take(bytes, kRun);
    std::byte* const page = memory.data() - kRun.offset;
    CHECK(place_in_page(memory.data()) == 64);
    for (const ScratchUse& use : {kCopy, kRun, kCopy}) {
      pool.give_back(std::move(memory));
      memory = pool.take(bytes, use);
      CHECK(memory.data() == page + use.offset);
      std::memset(memory.data(), 1, static_cast<std::size_t>(bytes));
    }
  }
  // Long enough from byte 16 on, and not from byte 64 on.
  pool.give_back(pool.take(8192 - 16, kCopy));
  const Bytes kept = pool.kept();
  const ScratchMemory other = pool.take(8192 - 16, kRun);
  CHECK(pool.kept() == kept);
}

TEST_CASE("blocks that are in use are different ones, whole, and aligned", "[scratch]") {
  ScratchPool pool(1 << 20);
  std::vector<ScratchMemory> taken;
  std::set<std::byte*> places;
  for (const Bytes bytes : {0, 1, 63, 64, 65, 4095, 4096, 4097, 100000}) {
    taken.push_back(pool.take(bytes, kRun));
    places.insert(taken.back().data());
    CHECK(place_in_page(taken.back().data()) % kCacheLine == 0);
    std::memset(taken.back().data(), 1, static_cast<std::size_t>(bytes));
  }
  CHECK(places.size() == taken.size());
}

TEST_CASE("what was unused for longest goes first, and the last block stays", "[scratch]") {
  ScratchPool pool(1000);
  std::vector<ScratchMemory> taken;
  for (const Bytes bytes : {320, 384, 512}) taken.push_back(pool.take(bytes, kRun));
  for (ScratchMemory& scratch : taken) pool.give_back(std::move(scratch));
  CHECK(pool.kept() == 896);  // 320 has gone
  pool.give_back(pool.take(4096, kRun));
  CHECK(pool.kept() == 4096);
  pool.give_back(ScratchMemory(640, kRun));
  CHECK(pool.kept() == 640);
}

TEST_CASE("a lower limit frees what is too much", "[scratch]") {
  ScratchPool pool(1 << 20);
  ScratchMemory first = pool.take(640, kRun), second = pool.take(1280, kRun);
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
  pool.keep_at_most(1900);
  CHECK(pool.kept() == 1280);
  pool.keep_at_most(1);
  CHECK(pool.kept() == 1280);
  pool.keep_at_most(0);
  CHECK(pool.kept() == 0);
}

TEST_CASE("a pool that is to keep nothing keeps nothing", "[scratch]") {
  ScratchPool pool(0);
  pool.give_back(pool.take(100, kRun));
  CHECK(pool.kept() == 0);
}

TEST_CASE("a pool keeps few blocks, however short", "[scratch]") {
  ScratchPool pool(1 << 20);
  std::vector<ScratchMemory> taken;
  for (std::size_t i = 0; i < 2 * ScratchPool::kMost; ++i) taken.push_back(pool.take(64, kRun));
  for (ScratchMemory& scratch : taken) pool.give_back(std::move(scratch));
  CHECK(pool.kept() == 64 * static_cast<Bytes>(ScratchPool::kMost));
}

TEST_CASE("a buffer gives back what it has taken", "[scratch]") {
  ScratchPool pool(1 << 20);
  std::byte *first = nullptr, *second = nullptr;
  {
    ScratchBuffer a(pool), b(pool), none(pool);
    first = a.get(100'000, kCopy);
    second = b.get(5000, kCopy);
    CHECK(first != second);
  }
  const Bytes kept = pool.kept();
  CHECK(kept >= 105'000);
  {
    ScratchBuffer a(pool), b(pool);
    CHECK(a.get(5000, kCopy) == second);
    CHECK(b.get(99'999, kCopy) == first);
    CHECK(pool.kept() == 0);
    CHECK(a.get(5001, kCopy) == second);  // in place of what it had
    CHECK(pool.kept() == 0);
  }
  CHECK(pool.kept() == kept);
}

TEST_CASE("without memory for scratch there is an error, and the pool goes on", "[scratch]") {
  ScratchPool pool(1 << 20);
  for (const Bytes bytes : {kMost, kMost - 4096, kMost / 2}) {
    if (tests::kSanitized && bytes == kMost / 2) continue;  // they end who asks malloc for so much
    CHECK(message_of([&] { pool.take(bytes, kCopy); }) ==
          "no memory for " + std::to_string(bytes) + " bytes of copied data");
    CHECK(message_of([&] { ScratchMemory(bytes, kRun); }) ==
          "no memory for " + std::to_string(bytes) + " bytes of scratch");
    pool.give_back(pool.take(128, kRun));
    CHECK(pool.kept() == 128);
  }
}

// Sanitizers map more than any limit.
TEST_CASE("where memory ends, what is kept makes room for what is needed", "[scratch]") {
  if (tests::kSanitized) return;
  constexpr Bytes kMiB = 1 << 20;
  ScratchPool pool(1024 * kMiB);
  pool.give_back(pool.take(256 * kMiB, kRun));
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit limit = before;
  limit.rlim_cur = pages * 4096 + 64 * kMiB;
  REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  std::string message, too_much;
  Bytes kept = 0;
  message = message_of([&] {
    const ScratchMemory memory = pool.take(300 * kMiB, kRun);
    kept = pool.kept();
  });
  too_much = message_of([&] { pool.take(400 * kMiB, kRun); });
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(message.empty());
  CHECK(kept == 0);
  CHECK_FALSE(too_much.empty());
}
