// From settings to what both ends of a connection agree on, and to who is wanted.
#include "src/setup/transports.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using transport::InboxShape;
using transport::Ring;

TEST_CASE("an inbox has the rings that the settings ask for", "[transports]") {
  for (const int slots : {1, 4, 64})
    for (const Bytes small : {Bytes{40}, Bytes{1000}, Bytes{1024}})
      for (const Bytes eager : {Bytes{0}, Bytes{2048}, Bytes{65536}}) {
        Configuration c;
        c.line_slots = c.small_slots = c.eager_slots = c.ready_slots = slots;
        c.small_bytes = small;
        const InboxShape shape = inbox_shape(c, eager);
        INFO(slots << " slots, small " << small << ", eager " << eager);
        REQUIRE(shape.valid());
        CHECK(shape[Ring::line].slot_bytes == 128);
        CHECK(shape[Ring::small].capacity() >= small);
        CHECK(shape[Ring::eager].capacity() >= eager);
        for (const Ring ring : {Ring::small, Ring::eager})  // spread over the sets of a cache
          CHECK(shape[ring].slot_bytes / 64 % 2 == 1);
        for (const auto& ring : shape.rings) CHECK(ring.slots == static_cast<std::uint32_t>(slots));
      }
}

TEST_CASE("a wire that costs CPU time copies longer messages", "[transports]") {
  Configuration c;
  CHECK(verbs_eager_limit(c, costly_packets(c, true)) >
        verbs_eager_limit(c, costly_packets(c, false)));
  const Bytes hardware = verbs_eager_limit(c, costly_packets(c, false)),
              software = verbs_eager_limit(c, costly_packets(c, true));
  c.wire = Wire::hardware;
  CHECK(verbs_eager_limit(c, costly_packets(c, true)) == hardware);
  c.wire = Wire::software;
  CHECK(verbs_eager_limit(c, costly_packets(c, false)) == software);
  c.eager_limit = 5000;
  CHECK(verbs_eager_limit(c, costly_packets(c, true)) == 5000);
}

TEST_CASE("which transports are wanted follows from the setting and the nodes", "[transports]") {
  REQUIRE(transport_kinds().size() == 2);  // shm, then verbs
  const auto wanted = [](TransportChoice choice, int nodes) {
    Configuration c;
    c.transport = choice;
    std::vector<transport::PlacementCard> cards(2);
    cards[1].node = nodes == 2 ? 1 : 0;
    const transport::Placement placement(0, cards);
    const TransportContext context{c, placement, [](std::string_view) {}};
    return std::pair(transport_kinds()[0].wanted(context), transport_kinds()[1].wanted(context));
  };
  CHECK(wanted(TransportChoice::automatic, 1) == std::pair(true, false));
  CHECK(wanted(TransportChoice::automatic, 2) == std::pair(true, true));
  CHECK(wanted(TransportChoice::shm, 2) == std::pair(true, false));
  CHECK(wanted(TransportChoice::verbs, 1) == std::pair(false, true));
}
