// The small side of a link and the large one: queues, receives, and tickets over several rails.
#include "transport/verbs/connection/side.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "tests/transport/verbs/ends.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::End;
using tests::EndSite;

TEST_CASE("a small side shares receives where the device can", "[verbs][side]") {
  tests::FakeVerbs fake;
  const bool shares = GENERATE(true, false);
  if (!shares) fake[0].limits.max_srq = 0;
  End end(1);
  Side side(end.context, end.link, false);
  CHECK(side.receives.has_value() == !shares);
  CHECK((side.connection.queue_pair()->srq != nullptr) == shares);
  CHECK(end.shared.peer_of(side.connection.queue_pair()->qp_num) == (shares ? 1 : kNoPeer));
  const int sends = static_cast<int>(LinkOptions{}.at_first().send_queue_depth),
            receives = static_cast<int>(Receives::needed_for(first_shape(tests::kEndShape)));
  CHECK(Side::completions(end.context, false) == (shares ? sends : sends + receives));
  // A large one never does: its peer may use up many at once.
  CHECK(Side::completions(end.context, true) ==
        static_cast<int>(LinkOptions{}.send_queue_depth + Receives::needed_for(tests::kEndShape)));
  Side large(end.context, end.link, true);
  CHECK(large.receives);
  CHECK_FALSE(large.connection.queue_pair()->srq);
  CHECK(large.connection.shape() == tests::kEndShape);
}

TEST_CASE("a side that cannot be made leaves nothing behind", "[verbs][side]") {
  tests::FakeVerbs fake(tests::rail_names(3));
  End end(1, 3);
  const int before = fake.alive();
  int k = 1;
  for (;; ++k) {
    fake.refuse_kth(k);
    try {
      const LargeSide side(end.context, end.link);
      if (!fake.refused_kth()) break;
    } catch (const Error& error) {
      CHECK((error.code == Code::out_of_memory || error.code == Code::locked_memory ||
             error.code == Code::transport_failed));
    }
    CHECK(fake.alive() == before);
  }
  fake.refuse_kth(0);
  CHECK(k > 3 * 3);  // a queue pair, a region and a step for each rail
}

TEST_CASE("a ticket over several rails is complete when each of them is", "[verbs][side]") {
  tests::FakeVerbs fake(tests::rail_names(2));
  End a(1, 2), b(0, 2);
  tests::connect_ends(a, b);
  tests::enlarge_ends(a, b);
  LargeSide& side = *a.link.larger().side();
  std::byte memory[64]{};
  const Registration source = a.registrar.add(memory, sizeof memory, true);
  fake.hold(true);
  CHECK(side.idle());
  // By the first rail only, then by the second only.
  const auto write = [&](std::size_t rail) {
    const Connection& connection = rail == 0 ? side.connection : side.lanes[rail - 1].connection();
    Writer& writer = side.writer_of(rail);
    REQUIRE(writer.write(reinterpret_cast<std::uint64_t>(memory), source.local_keys[0],
                         connection.peer_info().inbox_address, connection.peer_info().inbox_key, 0,
                         Immediate::finished(1, 2)) == Post::done);
    Shares::Marks marks{};
    marks[rail] = writer.posted();
    return side.shares->add(marks);
  };
  const std::uint64_t first = write(0), second = write(1);
  CHECK(side.completed() == 0);
  CHECK(side.reads(first));
  CHECK(side.reads(second));
  CHECK_FALSE(side.idle());
  // The second rail is faster: tickets are complete in their order.
  side.lanes[0].writer().complete_all();
  CHECK(side.completed() == 0);
  CHECK(side.reads(first));
  CHECK(side.reads(second));  // because of the first one
  side.writer.complete_all();
  CHECK(side.completed() == second);
  CHECK(side.idle());
  a.registrar.remove(source);
}
