// Sockets, caches and cores that hardware threads share, on made-up machines; and copies of them.
#include "transport/processors.hpp"

#include <sched.h>

#include <catch2/catch.hpp>
#include <cstring>

using namespace tutti::transport;

namespace {

constexpr auto kPackage = Processors::Kind::package, kCache = Processors::Kind::cache,
               kCore = Processors::Kind::core;

Processors::Thread thread_of(int number, std::initializer_list<int> groups) {
  Processors::Thread thread{number};
  thread.groups.fill(-1);
  std::copy(groups.begin(), groups.end(), thread.groups.begin());
  return thread;
}

// Two sockets, the first one with two L3 caches; threads 0 and 8 share a core.
Processors two_sockets() {
  return {{{kPackage}, {kCache, 3, 1 << 25}, {kCache, 2, 1 << 20}, {kCore}},
          {thread_of(0, {0, 0, 0, 0}), thread_of(1, {0, 0, 1, 1}), thread_of(2, {0, 1, 2, 2}),
           thread_of(4, {1, 2, 3, 3}), thread_of(5, {1, -1, -1, 4}), thread_of(8, {0, 0, 0, 0})}};
}

}  // namespace

TEST_CASE("threads that share a socket, a core and the last cache", "[processors]") {
  const Processors machine = two_sockets();
  REQUIRE(machine.package() == 0u);
  REQUIRE(machine.last_cache() == 1u);
  REQUIRE(machine.core() == 3u);
  const auto group = [&](std::optional<std::size_t> level, const ThreadList& threads) {
    return machine.group_of(level, threads);
  };
  CHECK(group(0, {0, 1, 2}) == 0);
  CHECK(group(0, {4, 5}) == 1);
  CHECK(group(0, {2, 4}) == -1);  // on both sockets
  CHECK(group(0, {2, 3}) == -1);  // 3 is not known
  CHECK(group(0, {77, 0}) == -1);
  CHECK(group(0, {}) == -1);
  CHECK(group(1, {0, 8}) == 0);
  CHECK(group(1, {5}) == -1);  // it has none
  CHECK(group(std::nullopt, {0}) == -1);
  CHECK(machine.members(3, 0) == ThreadList{0, 8});
  CHECK(machine.members(0, 1) == ThreadList{4, 5});
  CHECK(machine.members(1, -1).empty());
}

TEST_CASE("processes that are bound to one socket or cache are counted", "[processors]") {
  const Processors machine = two_sockets();
  const std::vector<ThreadList> bindings = {{0}, {1}, {2, 8}, {4}, {0, 1, 2, 4}, {}};
  CHECK(machine.sharing(machine.package(), bindings) == 3);
  CHECK(machine.sharing(machine.last_cache(), bindings) == 2);
  const std::vector<ThreadList> anywhere = {{0, 4}, {0, 4}};
  CHECK(machine.sharing(machine.package(), anywhere) == 0);
  CHECK(machine.sharing(machine.package(), {}) == 0);
  CHECK(Processors("a test").sharing(std::nullopt, bindings) == 0);
}

TEST_CASE("one level is assumed for an unknown machine", "[processors]") {
  const Processors machine("nobody knows");
  CHECK(machine.problem() == "nobody knows");
  CHECK(machine.levels().empty());
  CHECK_FALSE(machine.package());
  CHECK_FALSE(machine.last_cache());
  CHECK_FALSE(machine.core());
}

TEST_CASE("a copy of the processors is equal, and no other bytes are taken for one",
          "[processors]") {
  const Processors machine = two_sockets();
  std::vector<std::byte> words = machine.packed();
  const auto copy = Processors::unpacked(words);
  REQUIRE(copy);
  CHECK(copy->problem() == "");
  CHECK(copy->packed() == words);
  CHECK(copy->members(3, 0) == ThreadList{0, 8});
  CHECK(copy->levels()[1].bytes == 1 << 25);
  for (std::size_t length = 0; length < words.size(); ++length)
    CHECK_FALSE(Processors::unpacked(std::span(words).first(length)));
  // Each word in turn is nonsense: it is refused or goes unnoticed, but never does harm.
  int refused = 0;
  for (std::size_t at = 0; at + 4 <= words.size(); at += 4) {
    std::vector<std::byte> spoilt = words;
    std::memset(spoilt.data() + at, 0xfe, 4);
    const auto read = Processors::unpacked(spoilt);
    refused += !read;
    if (read) read->sharing(read->package(), std::vector<ThreadList>{{0}, {8}});
  }
  CHECK(refused >= 2 + 4 + 6 * 9);  // the counts, the kinds, and all about threads
  const auto empty = Processors::unpacked(Processors({}, {}).packed());
  REQUIRE(empty);
  CHECK(empty->threads().empty());
}

TEST_CASE("the threads that this process may run on", "[processors]") {
  const ThreadList threads = bound_threads();
  REQUIRE_FALSE(threads.empty());
  CHECK(std::ranges::is_sorted(threads));
  CHECK(std::ranges::binary_search(threads, sched_getcpu()));
  CHECK(bound_threads(getpid()) == threads);
  CHECK(bound_threads(1 << 30).empty());  // there is no such process
}
