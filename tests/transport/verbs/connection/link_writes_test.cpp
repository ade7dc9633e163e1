// Writes to user memory by a link over verbs: whole, in parts, by several rails.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/transport/verbs/connection/linked.hpp"
#include "transport/verbs/connection/link.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::End;
using tests::grow_over;
using tests::Linked;
using tests::Target;

TEST_CASE("a write to user memory is told when all of it is there", "[verbs][verbs-link]") {
  const std::size_t rails = GENERATE(1u, 2u, 3u);
  Linked two(rails);
  if (rails > 1) {
    tests::enlarge_ends(two.a, two.b);
    grow_over(two.a, two.b);
  }
  constexpr std::size_t kBytes = (1 << 18) + 5;
  Target source(two.a, kBytes), target(two.b, kBytes);
  source.bytes.assign(kBytes, std::byte{9});
  std::uint64_t ticket = 0;
  REQUIRE(two.a.link.write(source.bytes.data(), source.registration, target.key(), kBytes, 5,
                           &ticket) == Post::posted);
  CHECK(two.a.link.writes().begun() == std::uint64_t{1} << 5);
  CHECK(two.a.link.completed() < ticket);
  CHECK(two.a.link.reads(ticket));
  two.progress();
  CHECK(two.a.link.completed() >= ticket);
  CHECK_FALSE(two.a.link.reads(ticket));
  CHECK(two.a.link.progress_count() >= rails);
  CHECK(two.b.link.inbox().finished() == 5u);
  CHECK_FALSE(two.b.link.inbox().finished());
  CHECK((target.bytes == source.bytes));
  // Short ones go by the first rail alone, and nothing of them is left out.
  REQUIRE(two.a.link.write(source.bytes.data(), source.registration, target.key(), 1, 6, &ticket) ==
          Post::posted);
  REQUIRE(two.a.link.write(source.bytes.data(), source.registration, target.key(), 0, 7, &ticket) ==
          Post::posted);
  two.progress();
  CHECK(two.b.link.inbox().finished() == 6u);
  CHECK(two.b.link.inbox().finished() == 7u);
  CHECK_FALSE(two.a.link.state().failed());
}

TEST_CASE("a write in parts is told once, behind all of them", "[verbs][verbs-link]") {
  const std::size_t rails = GENERATE(1u, 2u);
  Linked two(rails);
  Parts& parts = *two.a.link.capabilities().parts;
  constexpr std::size_t kPart = 1 << 16, kBytes = 3 * kPart + 5;
  CHECK(parts.part_bytes(kBytes) == 0);  // the link may go over to the other queue pair meanwhile
  tests::enlarge_ends(two.a, two.b);
  grow_over(two.a, two.b);
  CHECK(parts.part_bytes(1000) == 0);
  CHECK(parts.part_bytes(std::size_t{1} << 20) == std::size_t{1} << 17);
  Target source(two.a, kBytes), target(two.b, kBytes);
  source.bytes.assign(kBytes, std::byte{9});
  std::uint64_t ticket = 0;
  const auto target_from = [&](std::size_t begin) {
    RemoteKey key = target.key();
    key.address += begin, key.length -= begin;
    return key;
  };
  for (std::size_t begin = 0; begin < 2 * kPart; begin += kPart) {
    REQUIRE(parts.write_part(source.bytes.data() + begin, source.registration, target_from(begin),
                             kPart, 5, &ticket) == Post::posted);
    CHECK(two.a.link.writes().begun() == std::uint64_t{1} << 5);
    two.progress();
    CHECK(two.a.link.completed() >= ticket);
    CHECK_FALSE(two.b.link.inbox().finished());
  }
  SECTION("by its last part") {
    REQUIRE(two.a.link.write(source.bytes.data() + 2 * kPart, source.registration,
                             target_from(2 * kPart), kPart + 5, 5, &ticket) == Post::posted);
    CHECK(two.a.link.writes().begun() == std::uint64_t{1} << 5);
    two.progress();
    CHECK(two.b.link.inbox().finished() == 5u);
    CHECK((target.bytes == source.bytes));
  }
  SECTION("or not at all, if it is given up") {
    parts.give_up(5);
    CHECK(two.a.link.writes().begun() == 0);
  }
  CHECK_FALSE(two.b.link.inbox().finished());
  CHECK_FALSE(two.a.link.state().failed());
}

TEST_CASE("a link reads what was written before a ticket as long as a queue pair has it",
          "[verbs][verbs-link]") {
  Linked two(2);
  constexpr std::size_t kBytes = 1 << 16;
  Target source(two.a, kBytes), target(two.b, kBytes);
  const auto make_larger = [&] {
    tests::enlarge_ends(two.a, two.b);
    grow_over(two.a, two.b);
  };
  const bool grows_in_between = GENERATE(false, true);
  std::uint64_t before = 0, part = 0;
  if (!grows_in_between) make_larger();
  REQUIRE(two.a.link.write(source.bytes.data(), source.registration, target.key(), kBytes, 1,
                           &before) == Post::posted);
  if (grows_in_between) make_larger();
  REQUIRE(two.a.link.capabilities().parts->write_part(source.bytes.data(), source.registration,
                                                      target.key(), kBytes, 2,
                                                      &part) == Post::posted);
  CHECK(part > before);
  // The part is complete, and something of the write before it is not.
  std::vector<ibv_wc> later;
  two.a.queues.poll([&](const ibv_wc& completion) {
    const bool waits = grows_in_between && !WorkId(completion.wr_id).is_large();
    waits ? later.push_back(completion) : two.a.link.complete(completion, 0);
  });
  CHECK(two.a.link.reads(before));
  CHECK(two.a.link.reads(part));
  for (const ibv_wc& completion : later) two.a.link.complete(completion, 0);
  two.progress();
  CHECK_FALSE(two.a.link.reads(part));
}

TEST_CASE("a message by several rails is there when the slowest has come", "[verbs][verbs-link]") {
  Linked two(2);
  tests::enlarge_ends(two.a, two.b);
  grow_over(two.a, two.b);
  constexpr std::size_t kBytes = 1 << 16;
  Target source(two.a, kBytes), target(two.b, kBytes);
  std::uint64_t ticket = 0;
  REQUIRE(two.a.link.write(source.bytes.data(), source.registration, target.key(), kBytes, 1,
                           &ticket) == Post::posted);
  const auto take_rail = [](End& end, std::size_t rail) {
    const auto take = [&](const ibv_wc& completion) { end.link.complete(completion, rail); };
    rail == 0 ? end.queues.poll(take) : end.rails[rail - 1].queues.poll(take);
  };
  take_rail(two.b, 1);
  take_rail(two.a, 1);
  CHECK_FALSE(two.b.link.inbox().finished());
  CHECK(two.a.link.reads(ticket));
  take_rail(two.b, 0);
  take_rail(two.a, 0);
  CHECK(two.b.link.inbox().finished() == 1u);
  CHECK_FALSE(two.a.link.reads(ticket));
}

// The device cuts writes into so many pieces that no send queue has places for all.
TEST_CASE("a write of more pieces than the queue has places goes in parts", "[verbs][verbs-link]") {
  const std::size_t rails = GENERATE(1u, 2u);
  constexpr std::size_t kPiece = 4096, kBytes = 300 * kPiece + 5;
  Linked two(rails, Arrival::imm, [=](auto& fake) {
    for (std::size_t rail = 0; rail < rails; ++rail) fake[rail].ports[0].max_msg_sz = kPiece;
  });
  Target source(two.a, kBytes), target(two.b, kBytes);
  for (std::size_t i = 0; i < kBytes; ++i)
    source.bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  std::uint64_t ticket = 0;
  const auto write = [&] {
    return two.a.link.write(source.bytes.data(), source.registration, target.key(), kBytes, 5,
                            &ticket);
  };
  // Whether the link grows or not is settled first.
  CHECK(write() == Post::again);
  Parts& parts = *two.a.link.capabilities().parts;
  CHECK(parts.most_at_once(kBytes) == 0);
  CHECK(two.a.wanted_larger == 1);
  std::size_t most = 0;
  SECTION("of the large side") {
    tests::enlarge_ends(two.a, two.b);
    grow_over(two.a, two.b);
    most = 127 * kPiece;
  }
  SECTION("or of the small one, if there will be no other") {
    two.a.link.larger().give_up();
    most = 7 * kPiece;
  }
  int waits = 0;
  std::size_t moved = 0;
  const auto rest = [&] {
    RemoteKey key = target.key();
    key.address += moved, key.length -= moved;
    return key;
  };
  while (kBytes - moved > most) {
    CHECK(parts.most_at_once(kBytes - moved) == most);
    const Post post = parts.write_part(source.bytes.data() + moved, source.registration, rest(),
                                       most, 5, &ticket);
    if (post == Post::posted) moved += most;
    if (post == Post::again) {
      REQUIRE(++waits < 1000);
      two.progress();
    } else {
      REQUIRE(post == Post::posted);
    }
  }
  CHECK(parts.most_at_once(kBytes - moved) == most);
  CHECK_FALSE(two.b.link.inbox().finished());
  two.progress();
  REQUIRE(two.a.link.write(source.bytes.data() + moved, source.registration, rest(), kBytes - moved,
                           5, &ticket) == Post::posted);
  two.progress();
  CHECK(two.a.link.completed() >= ticket);
  CHECK(two.b.link.inbox().finished() == 5u);
  CHECK((target.bytes == source.bytes));
  CHECK_FALSE(two.a.link.state().failed());
}

TEST_CASE("a device in software waits with long writes for the large side", "[verbs][verbs-link]") {
  Linked two(1, Arrival::imm, [](auto& fake) { fake[0].limits.vendor_id = 0xffffff; });
  constexpr std::size_t kBytes = 1 << 20;
  Target source(two.a, kBytes), target(two.b, kBytes);
  std::uint64_t ticket = 0;
  const auto write = [&] {
    return two.a.link.write(source.bytes.data(), source.registration, target.key(), kBytes, 1,
                            &ticket);
  };
  CHECK(write() == Post::again);
  CHECK(two.a.link.writes().begun() == 0);
  CHECK(two.a.wanted_larger == 1);
  CHECK(two.a.growth().written() == 0);
  SECTION("until there is one") {
    tests::enlarge_ends(two.a, two.b);
    grow_over(two.a, two.b);
  }
  SECTION("or until there will be none") { two.a.link.larger().give_up(); }
  CHECK(write() == Post::posted);
  two.progress();
  CHECK(two.b.link.inbox().finished() == 1u);
}
