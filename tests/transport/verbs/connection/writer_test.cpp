// The work requests of a writer: what they carry, how many there are, and when they have room.
#include "transport/verbs/connection/writer.hpp"

#include <arpa/inet.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>
#include <vector>

#include "tests/transport/verbs/ends.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::End;
using tests::kEndShape;

namespace {

// A large side of each of two ranks, by itself: the links around them are never connected.
struct SideToSide {
  SideToSide(Arrival arrival, tests::FakeVerbs& fake_verbs, const LinkOptions& options = {})
      : fake(fake_verbs), a(1, 1, options), b(0, 1, options) {
    attach(from, to, a, b, arrival);
    attach(to, from, b, a, arrival);
    inbox.place(to.connection.inbox());
    if (arrival == Arrival::imm) inbox.count_arrivals();
  }
  static void attach(Side& side, const Side& peer, const End& end, const End& other,
                     Arrival arrival) {
    side.connection.attach(peer.connection.info(), arrival, end.device.mtu(), other.device.lid(),
                           other.device.gid());
  }

  tests::FakeVerbs& fake;
  End a, b;
  Side from{a.context, a.link, true}, to{b.context, b.link, true};
  Inbox inbox{kEndShape, kEndShape};
  std::vector<Immediate> came{};
  int completions = 0;  // of the writer's requests

  Writer& writer() { return from.writer; }
  void take_completions() {
    a.queues.poll([&](const ibv_wc& completion) {
      REQUIRE(completion.status == IBV_WC_SUCCESS);
      writer().complete(WorkId(completion.wr_id));
      ++completions;
    });
    b.queues.poll([&](const ibv_wc& completion) {
      REQUIRE(completion.status == IBV_WC_SUCCESS);
      came.emplace_back(ntohl(completion.imm_data));
      if (came.back().kind() == Immediate::Kind::message)
        inbox.note_arrival(static_cast<Ring>(came.back().ring()));
      REQUIRE(to.replace_receive());
    });
  }
  Post put(Ring ring, std::uint32_t sequence, std::size_t bytes) {
    std::vector<std::uint8_t> payload(bytes);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = value(sequence, i);
    Trailer trailer{};
    trailer.length = transport::Length(static_cast<std::uint32_t>(bytes));
    trailer.sequence = sequence;
    return writer().put(ring, kEndShape[ring].index_of(sequence), payload.data(), trailer);
  }
  bool has(Ring ring, std::uint32_t sequence, std::size_t bytes) const {
    if (!inbox.arrived(ring, sequence)) return false;
    const Trailer* const trailer = inbox.trailer(ring, sequence);
    const auto* const payload =
        reinterpret_cast<const std::uint8_t*>(trailer) - padded(static_cast<std::uint32_t>(bytes));
    for (std::size_t i = 0; i < bytes; ++i)
      if (payload[i] != value(sequence, i)) return false;
    return trailer->length.bytes() == bytes && trailer->sequence == sequence;
  }
  // A write of `bytes` of memory that is in no use to the peer's inbox. `notice`: number 3 follows.
  Post write(std::size_t bytes, bool notice = true) {
    if (source.size() < bytes) source.resize(bytes);
    return writer().write(reinterpret_cast<std::uint64_t>(source.data()), 0, 0, 0, bytes,
                          notice ? std::optional(Immediate::finished(3, 1)) : std::nullopt);
  }
  std::vector<std::byte> source{};

 private:
  static std::uint8_t value(std::uint32_t sequence, std::size_t i) {
    return static_cast<std::uint8_t>(sequence * 31 + i * 7 + i / 251);
  }
};

// So that packets cost CPU time.
void make_software(tests::FakeVerbs& fake) { fake[0].limits.vendor_id = 0xffffff; }

}  // namespace

TEST_CASE("a message arrives whole, by each arrival and in each length", "[verbs][writer]") {
  tests::FakeVerbs fake;
  const Arrival arrival = GENERATE(Arrival::imm, Arrival::tail, Arrival::flag);
  SideToSide sides(arrival, fake);
  const std::uint32_t inline_limit = sides.from.connection.inline_limit();
  CHECK(inline_limit == 512);
  std::uint32_t small = 0, eager = 0;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8},
        std::size_t{inline_limit} - 24, std::size_t{inline_limit} - 23, std::size_t{1064}}) {
    REQUIRE(sides.put(Ring::small, ++small, bytes) == Post::done);
    sides.take_completions();
    CHECK(sides.has(Ring::small, small, bytes));
  }
  for (const std::size_t bytes : {std::size_t{1000}, std::size_t{16424}}) {
    REQUIRE(sides.put(Ring::eager, ++eager, bytes) == Post::done);
    sides.take_completions();
    CHECK(sides.has(Ring::eager, eager, bytes));
  }
  CHECK_FALSE(sides.inbox.arrived(Ring::small, small + 1));
  CHECK(sides.came.size() == (arrival == Arrival::imm ? small + eager : 0));
}

TEST_CASE("a device with little inline data sends from its own memory", "[verbs][writer]") {
  tests::FakeVerbs fake;
  fake[0].max_inline = 32;
  SideToSide sides(GENERATE(Arrival::imm, Arrival::tail, Arrival::flag), fake);
  for (std::uint32_t sequence = 1; sequence <= 100; ++sequence) {
    const std::size_t bytes = sequence % 100;
    REQUIRE(sides.put(Ring::line, sequence, bytes) == Post::done);
    sides.take_completions();
    REQUIRE(sides.has(Ring::line, sequence, bytes));
  }
}

TEST_CASE("a writer stops before its queue is full, and goes on", "[verbs][writer]") {
  tests::FakeVerbs fake;
  LinkOptions options;
  options.send_queue_depth = 31;
  SideToSide sides(Arrival::tail, fake, options);
  fake.hold(true);
  std::uint32_t sequence = 0;
  Post post = Post::done;
  while (post == Post::done && sequence < 1000) post = sides.put(Ring::line, ++sequence, 8);
  CHECK(post == Post::again);
  CHECK(sequence > 16);
  CHECK(sequence <= 32);
  CHECK_FALSE(sides.a.link.state().failed());
  fake.hold(false);
  sides.take_completions();
  // For as long as one likes, if completions are taken now and then.
  for (int i = 0; i < 1000; ++i) {
    if (i % 16 == 0) sides.take_completions();
    REQUIRE(sides.put(Ring::line, sequence++, 8) == Post::done);
  }
}

TEST_CASE("a writer asks for a completion before a quarter of its queue is taken",
          "[verbs][writer]") {
  tests::FakeVerbs fake;
  LinkOptions options;
  options.send_queue_depth = GENERATE(16u, 31u, 64u, 1000u);
  SideToSide sides(GENERATE(Arrival::imm, Arrival::tail, Arrival::flag), fake, options);
  const Writer& writer = sides.writer();
  std::uint64_t most = 0;
  for (std::uint32_t sequence = 1; sequence <= 2000; ++sequence) {
    REQUIRE(sides.put(Ring::line, sequence, 8) == Post::done);
    REQUIRE(sides.writer().report(Ring::line, sequence) == Post::done);
    sides.take_completions();
    most = std::max(most, writer.posted() - writer.completed());
  }
  CHECK(most < options.send_queue_depth / 4);
  CHECK(sides.completions < 2000);  // and not for each
}

TEST_CASE("what takes much of the shared place asks for a completion of its own",
          "[verbs][writer]") {
  const tests::FakeVerbs fake;
  constexpr InboxShape kShares{{{{128, 64}, {1088, 16}, {65600, 16}, {64, 16}, {64, 16}}}};
  const Arrival arrival = GENERATE(Arrival::imm, Arrival::tail, Arrival::flag);
  End a(1), b(0);
  const auto context_of = [&](End& end) {
    return LinkContext{end.device,  end.queues, end.shared, end.rails, end.registrar,
                       end.options, kShares,    [] {},      [] {}};
  };
  LinkContext at_a = context_of(a), at_b = context_of(b);
  Side from(at_a, a.link, true), to(at_b, b.link, true);
  REQUIRE(from.connection.mirror().shares(Ring::eager));
  SideToSide::attach(from, to, a, b, arrival);
  SideToSide::attach(to, from, b, a, arrival);
  const std::vector<std::byte> payload(60000);
  for (std::uint32_t sequence = 1; sequence <= 3; ++sequence) {
    Trailer trailer{};
    trailer.length = transport::Length(static_cast<std::uint32_t>(payload.size()));
    trailer.sequence = sequence;
    REQUIRE(from.writer.put(Ring::eager, sequence, payload.data(), trailer) == Post::done);
    a.queues.poll([&](const ibv_wc& done) { from.writer.complete(WorkId(done.wr_id)); });
    b.queues.poll([&](const ibv_wc&) { CHECK(to.replace_receive()); });
    CHECK(from.writer.completed() == from.writer.posted());
  }
}

TEST_CASE("a long write in pieces has a completion for every 2 MiB, and one at its end",
          "[verbs][writer]") {
  tests::FakeVerbs fake;
  constexpr std::size_t kPiece = 1 << 20, kMore = (8 << 20) + 1;
  fake[0].ports[0].max_msg_sz = kPiece;
  SideToSide sides(Arrival::imm, fake);
  std::vector<std::byte> target(kMore);
  sides.source.resize(kMore);
  const Registration source = sides.a.registrar.add(sides.source.data(), kMore, true),
                     there = sides.b.registrar.add(target.data(), kMore, true);
  const auto completions_of = [&](std::size_t bytes, bool notice) {
    const int before = sides.completions;
    CHECK(sides.writer().write(
              reinterpret_cast<std::uint64_t>(sides.source.data()), source.local_keys[0],
              reinterpret_cast<std::uint64_t>(target.data()), there.remote_keys[0], bytes,
              notice ? std::optional(Immediate::finished(3, 1)) : std::nullopt) == Post::done);
    sides.take_completions();
    CHECK(sides.writer().completed() == sides.writer().posted());
    return sides.completions - before;
  };
  CHECK(completions_of(kPiece, true) == 1);
  CHECK(completions_of(kPiece, false) == 1);
  CHECK(completions_of(8 * kPiece, true) == 5);
  CHECK(completions_of(8 * kPiece, false) == 4);
  CHECK(completions_of(kMore, false) == 5);
  sides.a.registrar.remove(source);
  sides.b.registrar.remove(there);
}

TEST_CASE("credits go by immediate data, or to the head of the peer's inbox", "[verbs][writer]") {
  tests::FakeVerbs fake;
  const Arrival arrival = GENERATE(Arrival::imm, Arrival::tail);
  SideToSide sides(arrival, fake);
  REQUIRE(sides.writer().report(Ring::eager, 77) == Post::done);
  sides.take_completions();
  if (arrival == Arrival::imm) {
    REQUIRE(sides.came.size() == 1);
    CHECK(sides.came[0].kind() == Immediate::Kind::credit);
    CHECK(sides.came[0].ring() == static_cast<std::uint32_t>(Ring::eager));
    CHECK(sides.came[0].consumed_after(0) == 77);
  } else {
    CHECK(sides.came.empty());
    CHECK(sides.inbox.reported(Ring::eager) == 77);
    CHECK(sides.inbox.reported(Ring::small) == 0);
  }
}

TEST_CASE("an adapter takes a large write as one, a device in software in pieces",
          "[verbs][writer]") {
  tests::FakeVerbs fake;
  constexpr std::size_t kPacket = 1024;
  const auto requests = [&](std::size_t bytes, bool notice) {
    SideToSide sides(Arrival::imm, fake);
    std::vector<std::byte> target(bytes + 1);
    sides.source.resize(bytes + 1, std::byte{5});
    const Registration source = sides.a.registrar.add(sides.source.data(), bytes + 1, true),
                       there = sides.b.registrar.add(target.data(), bytes + 1, true);
    REQUIRE(sides.writer().write(
                reinterpret_cast<std::uint64_t>(sides.source.data()), source.local_keys[0],
                reinterpret_cast<std::uint64_t>(target.data()), there.remote_keys[0], bytes,
                notice ? std::optional(Immediate::finished(3, 1)) : std::nullopt) == Post::done);
    sides.take_completions();
    CHECK(sides.writer().completed() == sides.writer().posted());
    CHECK(std::count(target.begin(), target.end(), std::byte{5}) ==
          static_cast<std::ptrdiff_t>(bytes));
    CHECK(sides.came.size() == (notice ? 1u : 0u));
    sides.a.registrar.remove(source);
    sides.b.registrar.remove(there);
    return sides.writer().posted();
  };
  CHECK(requests(1 << 20, true) == 2);
  CHECK(requests(1 << 20, false) == 1);
  CHECK(requests(0, true) == 1);
  fake[0].ports[0].max_msg_sz = 1 << 18;
  CHECK(requests((1 << 20) + 1, true) == 6);
  make_software(fake);
  CHECK(requests(8 * kPacket, false) == 1);
  CHECK(requests(8 * kPacket + 1, false) == 2);
  CHECK(requests(64 * kPacket, false) == 8);
  // Where that would not fit the queue, pieces are longer.
  CHECK(requests(4096 * kPacket, true) <= LinkOptions{}.send_queue_depth / 2 + 1);
}

TEST_CASE("a write that the queue never has room for fails the link, and one that it has waits",
          "[verbs][writer]") {
  tests::FakeVerbs fake;
  fake[0].ports[0].max_msg_sz = 4096;
  LinkOptions options;
  options.send_queue_depth = 15;
  SideToSide sides(Arrival::imm, fake, options);
  CHECK(sides.writer().may_write(14 * 4096, true) == Post::done);
  fake.hold(true);
  REQUIRE(sides.put(Ring::line, 1, 1) == Post::done);
  CHECK(sides.writer().may_write(14 * 4096, true) == Post::again);
  CHECK(sides.writer().may_write(13 * 4096, true) == Post::done);
  CHECK_FALSE(sides.a.link.state().failed());
  CHECK(sides.write(15 * 4096) == Post::failed);
  CHECK(sides.a.link.state().code() == Code::internal);
  CHECK(sides.writer().posted() == 1);
}

TEST_CASE("a queue is short for writes whose pieces would be too long", "[verbs][writer]") {
  tests::FakeVerbs fake;
  LinkOptions options;
  options.send_queue_depth = 16;  // 8 pieces of 32 packets
  {
    const SideToSide sides(Arrival::imm, fake, options);
    CHECK(sides.from.writer.most_at_once() == std::size_t{8} << 30);
    CHECK_FALSE(sides.from.writer.is_short_for(std::size_t{8} << 30));
    CHECK(sides.from.writer.is_short_for((std::size_t{8} << 30) + 1));
  }
  make_software(fake);
  const SideToSide sides(Arrival::imm, fake, options);
  CHECK_FALSE(sides.from.writer.is_short_for(8 * 32 * 1024 - 1));
  CHECK(sides.from.writer.is_short_for(8 * 32 * 1024));
}

TEST_CASE("a write that may go at once takes half of the queue at most", "[verbs][writer]") {
  tests::FakeVerbs fake;
  fake[0].ports[0].max_msg_sz = 100000;  // of 1024-byte packets, no multiple
  if (GENERATE(true, false)) make_software(fake);
  LinkOptions options;
  options.send_queue_depth = GENERATE(15u, 16u, 255u);
  SideToSide sides(Arrival::imm, fake, options);
  const std::size_t most = sides.writer().most_at_once();
  CHECK(most == options.send_queue_depth / 2 * 100000);
  fake.hold(true);
  // The other half is in use.
  std::uint32_t sequence = 0;
  while (sides.writer().posted() + options.send_queue_depth / 2 + 1 < options.send_queue_depth)
    REQUIRE(sides.put(Ring::line, ++sequence, 1) == Post::done);
  for (const std::size_t bytes : {most, most - 1, most / 2, most / 3 + 1})
    CHECK(sides.writer().may_write(bytes, true) == Post::done);
}

TEST_CASE("a request that the device refuses fails the link", "[verbs][writer]") {
  tests::FakeVerbs fake;
  SideToSide sides(Arrival::imm, fake);
  fake.refuse("ibv_post_send", EIO, 1);
  CHECK(sides.put(Ring::line, 1, 1) == Post::failed);
  CHECK(sides.writer().posted() == 0);
  CHECK(sides.a.link.state().code() == Code::transport_failed);
  CHECK_THAT(sides.a.link.state().text(), Catch::Contains("refuses to send to rank 1"));
  CHECK(sides.put(Ring::line, 1, 1) == Post::failed);  // and nothing more is posted
  CHECK(sides.writer().report(Ring::line, 1) == Post::failed);
  CHECK(sides.writer().posted() == 0);
}

TEST_CASE("of a write that is refused halfway, what was posted counts", "[verbs][writer]") {
  constexpr std::uint32_t kDepth = 128, kPieces = 50;
  tests::FakeVerbs fake;
  make_software(fake);
  LinkOptions options;
  options.send_queue_depth = kDepth;
  // Takes places of the queue that the writer does not know of; returns how many there were.
  const auto fill = [](SideToSide& sides, std::uint32_t most) {
    const PeerInfo& peer = sides.from.connection.peer_info();
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma = {peer.inbox_address, peer.inbox_key};
    std::uint32_t posted = 0;
    while (posted < most && ibv_post_send(sides.from.connection.queue_pair(), &wr, &bad) == 0)
      ++posted;
    return posted;
  };
  const std::uint32_t room = [&] {
    SideToSide sides(Arrival::imm, fake, options);
    return fill(sides, 1000);
  }();
  REQUIRE(room >= kDepth);
  for (const std::uint32_t accepted : {0u, 1u, 31u, 32u, 33u, kPieces}) {
    SideToSide sides(Arrival::imm, fake, options);
    REQUIRE(fill(sides, room - accepted) == room - accepted);
    CHECK(sides.write(kPieces * 8 * 1024) == Post::failed);
    CHECK(sides.writer().posted() == accepted);
    CHECK(sides.a.link.state().code() == Code::transport_failed);
  }
}

TEST_CASE("a writer is idle when all of it has arrived, and asks if nothing tells",
          "[verbs][writer]") {
  tests::FakeVerbs fake;
  SideToSide sides(Arrival::tail, fake);
  Writer& writer = sides.writer();
  CHECK(writer.idle());
  REQUIRE(sides.put(Ring::line, 1, 1) == Post::done);
  sides.take_completions();
  CHECK(writer.completed() == 0);
  CHECK_FALSE(writer.idle());
  CHECK(writer.posted() == 2);
  CHECK_FALSE(writer.idle());  // one question is enough
  CHECK(writer.posted() == 2);
  sides.take_completions();
  CHECK(writer.idle());
  CHECK(sides.came.empty());  // the peer sees nothing of it
}

TEST_CASE("probes do not pile up, and the disconnect is sent once", "[verbs][writer]") {
  tests::FakeVerbs fake;
  SideToSide sides(Arrival::tail, fake);
  fake.hold(true);
  for (int i = 0; i < 5; ++i) sides.writer().probe();
  CHECK(sides.writer().posted() == 1);
  fake.hold(false);
  sides.take_completions();
  sides.writer().probe();
  CHECK(sides.writer().posted() == 2);
  for (int i = 0; i < 3; ++i) sides.writer().send_disconnect();
  REQUIRE(sides.writer().send_moved() == Post::done);
  sides.take_completions();
  REQUIRE(sides.came.size() == 2);
  CHECK(sides.came[0].kind() == Immediate::Kind::disconnect);
  CHECK(sides.came[1].kind() == Immediate::Kind::moved);
  CHECK(sides.writer().sent_disconnect());
}

TEST_CASE("the device reads what was neither completed nor flushed", "[verbs][writer]") {
  tests::FakeVerbs fake;
  SideToSide sides(Arrival::tail, fake);
  for (std::uint32_t sequence = 1; sequence <= 5; ++sequence)
    REQUIRE(sides.put(Ring::line, sequence, 1) == Post::done);
  Writer& writer = sides.writer();
  CHECK(writer.reads(1));
  CHECK(writer.complete(WorkId::send(1, 2, true)) == 2);
  CHECK_FALSE(writer.reads(2));
  CHECK(writer.reads(3));
  writer.fail(WorkId::send(1, 4, true));
  CHECK_FALSE(writer.reads(4));
  CHECK(writer.reads(5));
  CHECK(writer.completed() == 2);
  CHECK(writer.complete_all() == 5);
  CHECK_FALSE(writer.reads(5));
}
