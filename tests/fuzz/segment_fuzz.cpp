// The words of the segment that the ranks of a node share: a peer that writes anything wherever it
// can, while this rank sends, receives, gives up, asks for signs of life and takes invitations
// back. The input is a story, a few bytes for each step.
#include <fmt/format.h>
#include <unistd.h>

#include "tests/fuzz/link.hpp"
#include "tests/fuzz/moves.hpp"
#include "transport/shm/link.hpp"
#include "transport/shm/memory.hpp"

using namespace tutti;
using namespace tutti::fuzz;
using namespace tutti::protocols;
using namespace tutti::transport::shm;
using transport::Ring;

namespace {

constexpr int kMe = 0, kPeer = 1;

// The peer is this process, too, so it lives; nothing is copied by the kernel, whose target would
// be this process's memory.
class SharedSegment {
 public:
  SharedSegment()
      : segment_(fmt::format("/tutti-fuzz-{}", getpid()), kMe, 2, kShape, Copy::twice,
                 [](std::int64_t mine) { return mine; }) {
    peer().pid = segment_.members()[kMe].pid.load();
    peer().pid_namespace = segment_.members()[kMe].pid_namespace.load();
    segment_.connect(kPeer);
  }
  Segment& operator*() noexcept { return segment_; }
  Member& peer() noexcept { return segment_.members()[kPeer]; }
  std::byte* inbox() noexcept { return segment_.inbox(kMe, kPeer); }
  // All that the peer maps and this rank reads.
  void poke(std::size_t what, std::size_t word, std::uint32_t value) noexcept {
    const auto into = [&](void* begin, std::size_t bytes) {
      std::memcpy(static_cast<std::byte*>(begin) + word % (bytes / sizeof value) * sizeof value,
                  &value, sizeof value);
    };
    switch (what % 6) {
      case 0: return into(inbox(), kShape.bytes());
      case 1: return into(inbox(), transport::InboxShape::kCreditBytes);
      case 2: return into(segment_.inbox(kPeer, kMe), transport::InboxShape::kCreditBytes);
      case 3: return into(&segment_.invitations(kMe, kPeer), sizeof(Invitations));
      case 4: return into(&segment_.invitations(kPeer, kMe), sizeof(Invitations));
      case 5: return into(&peer(), sizeof(Member));
    }
  }

 private:
  Segment segment_;
};

class Story {
 public:
  explicit Story(Input& input) : input_(input) {}

  void step() {
    switch (input_.below(12)) {
      case 0:
      case 1: return arrive();
      case 2:
      case 3: {
        const auto what = input_.take<std::uint8_t>();
        const auto word = input_.take<std::uint16_t>();
        return shared_.poke(what, word, input_.take<std::uint32_t>());
      }
      case 4: return moves_.begin();
      case 5:
      case 6: return moves_.go_on();
      case 7: return moves_.give_up();
      case 8: return channel_.probe();
      case 9: return notice();
      case 10: return invite();
      case 11: return channel_.news().announce({.communicator = 1, .code = Code::timed_out});
    }
  }
  void progress() {
    channel_.progress();
    must(!channel_.failed() || channel_.failure()[0] != '\0', "what fails has a reason");
  }

 private:
  // The next message of a ring, with a trailer that is mostly right.
  void arrive() {
    const auto ring = static_cast<Ring>(input_.below(transport::kRings));
    const auto odd = input_.take<std::uint8_t>();
    const std::uint32_t sequence = ++sent_[static_cast<std::size_t>(ring)];
    transport::Trailer trailer{some_name(input_), {}, 0, sequence};
    trailer.length =
        transport::Length(odd & 1 ? input_.take<std::uint32_t>()
                                  : static_cast<std::uint32_t>(fuzz::kLengths[input_.below(9)]));
    if (odd & 2) trailer.consumed = input_.take<std::uint32_t>();
    if (odd & 4) trailer.name.ordinal = input_.take<std::uint32_t>();
    const transport::RingShape& shape = kShape[ring];
    std::byte* const end = shared_.inbox() + kShape.slot_end(ring, shape.index_of(sequence));
    const std::uint32_t bytes = std::min<std::uint32_t>(trailer.length.bytes(), shape.capacity());
    if (bytes != 0) input_.take(end - sizeof trailer - transport::padded(bytes), bytes);
    std::memcpy(end - sizeof trailer, &trailer, sizeof trailer);
    (*shared_).marks(kMe, kPeer) |= 1u << static_cast<std::uint32_t>(ring);
  }
  void notice() {
    transport::Notices& left = shared_.peer().notices;
    const std::uint32_t number = input_.take<std::uint8_t>() % left.kMost;
    input_.take(left.all[number].bytes.data(), sizeof(transport::Notice));
    left.size = number + 1;
  }
  // Uses an invitation, whatever state it is in.
  void invite() {
    const auto invitation = static_cast<std::uint32_t>(input_.below(transport::kInvitations));
    transport::Revocation& revocation = *link_.capabilities().revocation;
    switch (input_.below(5)) {
      case 0:
        if (revocation.enter(invitation)) revocation.leave(invitation);
        return;
      case 1: return static_cast<void>(revocation.is_revoked(invitation));
      case 2: return static_cast<void>(revocation.revoke(invitation));
      case 3: return revocation.reopen(invitation);
      case 4: return static_cast<void>(link_.state_of_peer());
    }
  }

  Input& input_;
  SharedSegment shared_;
  ShmLink link_{kShape, kPeer, *shared_, kMe, kPeer};
  Ear ear_;
  Channel channel_{link_, nullptr, ear_};
  std::array<std::uint32_t, transport::kRings> sent_{};
  Moves moves_{input_, channel_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Story story(input);
  while (!input.empty()) {
    story.step();
    story.progress();
  }
  return 0;
}
