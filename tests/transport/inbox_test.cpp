// Messages that an inbox reports as arrived: by its memory, and by the link's counts; before it
// grows, and after.
#include "transport/inbox.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "tests/transport/rings.hpp"

using namespace tutti;
using namespace tutti::transport;
using tests::kAllRings;

namespace {

constexpr InboxShape kFullInbox{{{{64, 8}, {128, 4}, {320, 4}, {64, 4}, {64, 4}}}};
constexpr InboxShape kFirstInbox{{{{64, 2}, {128, 1}, {128, 1}, {64, 1}, {64, 2}}}};

// Memory of an inbox, and the peer that writes it.
class PeersMemory {
 public:
  explicit PeersMemory(const InboxShape& shape)
      : shape_(shape), lines_(shape.bytes() / kCacheLine) {}
  std::byte* begin() { return lines_.front().bytes; }
  void write(Ring ring, std::uint32_t sequence, std::uint32_t payload) {
    std::byte* const end = begin() + shape_.slot_end(ring, shape_[ring].index_of(sequence));
    const Trailer trailer{{1, 2, 3}, Length(sizeof payload), 0, sequence};
    std::memcpy(end - sizeof trailer, &trailer, sizeof trailer);
    std::memcpy(end - sizeof trailer - padded(sizeof payload), &payload, sizeof payload);
  }
  void write_credit(Ring ring, std::uint32_t consumed) {
    std::memcpy(begin() + static_cast<std::size_t>(ring) * sizeof consumed, &consumed,
                sizeof consumed);
  }

 private:
  struct alignas(kCacheLine) Line {
    std::byte bytes[kCacheLine];
  };
  const InboxShape shape_;
  std::vector<Line> lines_;
};

std::uint32_t payload_of(const Trailer* trailer) {
  std::uint32_t payload;
  std::memcpy(&payload, reinterpret_cast<const std::byte*>(trailer) - padded(sizeof payload),
              sizeof payload);
  return payload;
}

}  // namespace

TEST_CASE("a message has arrived when its number stands in its slot", "[inbox]") {
  PeersMemory memory(kFullInbox);
  Inbox inbox(kFullInbox, kFullInbox);
  inbox.place(memory.begin());
  for (const Ring ring : kAllRings)
    for (std::uint32_t sequence = 1; sequence <= 20; ++sequence) {
      CHECK_FALSE(inbox.arrived(ring, sequence));
      memory.write(ring, sequence, 100 + sequence);
      CHECK(inbox.arrived(ring, sequence));
      CHECK_FALSE(inbox.arrived(ring, sequence + 1));
      CHECK(inbox.trailer(ring, sequence)->sequence == sequence);
      CHECK(payload_of(inbox.trailer(ring, sequence)) == 100 + sequence);
      CHECK(inbox.slot_end(ring, 1) == kFullInbox.slot_end(ring, 1));
    }
  CHECK(inbox.reported(Ring::small) == 0);
  memory.write_credit(Ring::small, 7);
  CHECK(inbox.reported(Ring::small) == 7);
  CHECK(inbox.reported(Ring::line) == 0);
}

TEST_CASE("what the link counts has arrived, whatever the memory shows", "[inbox]") {
  PeersMemory memory(kFullInbox);
  Inbox inbox(kFullInbox, kFullInbox);
  inbox.place(memory.begin());
  inbox.count_arrivals();
  memory.write(Ring::eager, 1, 5);
  memory.write_credit(Ring::eager, 3);
  CHECK_FALSE(inbox.arrived(Ring::eager, 1));
  CHECK(inbox.reported(Ring::eager) == 0);
  inbox.note_arrival(Ring::eager);
  inbox.note_arrival(Ring::eager);
  inbox.note_credit(Ring::eager, 2);
  CHECK(inbox.arrived(Ring::eager, 1));
  CHECK(inbox.arrived(Ring::eager, 2));
  CHECK_FALSE(inbox.arrived(Ring::eager, 3));
  CHECK_FALSE(inbox.arrived(Ring::line, 1));
  CHECK(inbox.reported(Ring::eager) == 2);
}

TEST_CASE("a ring whose memory is not there yet is not read", "[inbox]") {
  PeersMemory memory(kFullInbox);
  Inbox inbox(kFullInbox, kFullInbox);
  inbox.place(memory.begin());
  std::uint32_t opened = 0;
  inbox.open_by(&opened, 1u << static_cast<std::uint32_t>(Ring::line));
  for (const Ring ring : {Ring::line, Ring::ready}) memory.write(ring, 1, 9);
  CHECK(inbox.arrived(Ring::line, 1));
  CHECK_FALSE(inbox.arrived(Ring::ready, 1));
  opened = 1u << static_cast<std::uint32_t>(Ring::ready);
  CHECK(inbox.arrived(Ring::ready, 1));
  opened = 0;  // a ring that was there stays
  CHECK(inbox.arrived(Ring::ready, 1));
}

TEST_CASE("an inbox that grows keeps what was taken over, and what came to the large one",
          "[inbox]") {
  for (const bool counts : {false, true}) {
    INFO("counts " << counts);
    PeersMemory small(kFirstInbox), large(kFullInbox);
    Inbox inbox(kFirstInbox, kFullInbox);
    inbox.place(small.begin());
    if (counts) inbox.count_arrivals();
    const auto come = [&](std::uint32_t sequence, bool to_large) {
      (to_large ? large : small).write(Ring::line, sequence, sequence);
      if (counts) inbox.note_arrival(Ring::line, to_large);
    };
    inbox.place_larger(large.begin());
    come(1, false);
    come(2, false);
    come(3, true);
    CHECK_FALSE(inbox.must_grow());
    inbox.note_moved();
    CHECK(inbox.must_grow());
    CHECK(inbox.shape() == kFirstInbox);
    CHECK(inbox.arrived(Ring::line, 2));
    CHECK_FALSE(inbox.arrived(Ring::line, 3));
    inbox.take_over(Ring::line, 2, sizeof(std::uint32_t));
    CHECK_FALSE(inbox.grown());
    inbox.grow();
    CHECK(inbox.grown());
    CHECK_FALSE(inbox.must_grow());
    CHECK(inbox.shape() == kFullInbox);
    for (const std::uint32_t sequence : {2u, 3u}) {
      CHECK(inbox.arrived(Ring::line, sequence));
      CHECK(payload_of(inbox.trailer(Ring::line, sequence)) == sequence);
    }
    CHECK_FALSE(inbox.arrived(Ring::line, 4));
    come(4, true);
    CHECK(inbox.arrived(Ring::line, 4));
    // Credits go on to come where they came before.
    counts ? inbox.note_credit(Ring::line, 6) : small.write_credit(Ring::line, 6);
    CHECK(inbox.reported(Ring::line) == 6);
  }
}

TEST_CASE("finished transfers are told in order, as many as can be under way", "[inbox]") {
  Inbox inbox(kFullInbox, kFullInbox);
  CHECK_FALSE(inbox.finished());
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    for (std::uint32_t id = 0; id < kInvitations; ++id) REQUIRE(inbox.note_finished(id));
    CHECK_FALSE(inbox.note_finished(0));
    for (std::uint32_t id = 0; id < kInvitations; ++id) CHECK(inbox.finished() == id);
    CHECK_FALSE(inbox.finished());
  }
}
