// Trailers and rings: a peer that writes anything, while this rank sends, receives and gives up
// messages. The input is a story, a few bytes for each step.
#include "tests/fuzz/link.hpp"
#include "tests/fuzz/moves.hpp"

using namespace tutti;
using namespace tutti::fuzz;
using namespace tutti::protocols;
using transport::Ring;

namespace {

class Story {
 public:
  Story(Input& input, const PeerlessLink::Kind& kind) : input_(input), link_(kind) {}

  void step() {
    switch (input_.below(14)) {
      case 0:
      case 1:
      case 2: return arrive();
      case 3: {
        const auto word = input_.take<std::uint16_t>();
        return link_.poke(word, input_.take<std::uint32_t>());
      }
      case 4: {
        const std::size_t ring = input_.below(transport::kRings);
        return link_.credit(ring, input_.take<std::uint32_t>());
      }
      case 5:
        return link_.finish(input_.below(8) == 7 ? input_.take<std::uint32_t>()
                                                 : input_.take<std::uint8_t>());
      case 6: return link_.acknowledge();
      case 7: return moves_.begin();
      case 8: return moves_.go_on();
      case 9: return moves_.give_up();
      case 10: ear_.abandoned = input_.take<std::uint8_t>(); return;
      case 11:
        channel_.news().announce({.communicator = 1, .code = Code::timed_out});
        return channel_.news().mention({.kind = News::Kind::passed, .communicator = 1});
      case 12: return link_.move();
      case 13: return link_.let_grow();
    }
  }
  void progress() { channel_.progress(); }

 private:
  // A message of the peer: mostly the next of its ring, with a trailer that is right.
  void arrive() {
    const auto ring = static_cast<Ring>(input_.below(transport::kRings));
    std::uint32_t& sent = sent_[static_cast<std::size_t>(ring)];
    const auto odd = input_.take<std::uint8_t>();
    transport::Trailer trailer{some_name(input_), {}, 0, ++sent};
    trailer.length =
        transport::Length(odd & 1 ? input_.take<std::uint32_t>()
                                  : static_cast<std::uint32_t>(fuzz::kLengths[input_.below(9)]));
    if (ring == Ring::control && !(odd & 1))
      trailer.length = transport::Length(lengths_of_control_[odd >> 6 & 3]);
    if (ring == Ring::ready && !(odd & 1)) trailer.length = transport::Length(sizeof(ReadyEntry));
    if (odd & 2) trailer.consumed = input_.take<std::uint32_t>();
    if (odd & 4) trailer.sequence = input_.take<std::uint32_t>();
    if (odd & 8) trailer.name.ordinal = input_.take<std::uint32_t>();
    link_.arrive(ring, odd & 16 ? input_.take<std::uint8_t>() : sent - 1, trailer, input_);
  }
  static constexpr std::uint32_t lengths_of_control_[] = {sizeof(std::uint32_t), sizeof(Ask),
                                                          sizeof(News), 5 * sizeof(std::uint32_t)};
  Input& input_;
  PeerlessLink link_;
  Ear ear_;
  Channel channel_{link_, nullptr, ear_};
  std::array<std::uint32_t, transport::kRings> sent_{};
  Moves moves_{input_, channel_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const auto kind = input.take<std::uint8_t>();
  Story story(input, {(kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0, (kind & 8) == 0,
                      (kind & 16) != 0});
  while (!input.empty()) {
    story.step();
    story.progress();
  }
  return 0;
}
