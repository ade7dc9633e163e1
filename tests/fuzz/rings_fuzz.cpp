// Trailers and rings: a peer that writes anything, while this rank sends, receives and gives up
// messages. The input is a story, a few bytes for each step.
#include <vector>

#include "protocols/channel.hpp"
#include "tests/fuzz/link.hpp"

using namespace tutti;
using namespace tutti::fuzz;
using namespace tutti::protocols;
using transport::Ring;

namespace {

constexpr Bytes kElement = 4;
constexpr Bytes kLengths[] = {0, 4, 40, 100, 296, 1000, 1064, 1068, 5000};

// Reads and writes every byte that it is given, in whole elements.
void combine(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  must(bytes % kElement == 0, "only whole elements are combined");
  for (Bytes i = 0; i < bytes; ++i)
    static_cast<std::uint8_t*>(out)[i] = static_cast<std::uint8_t>(
        static_cast<const std::uint8_t*>(left)[i] + static_cast<const std::uint8_t*>(right)[i]);
}
constexpr Combine kCombine{combine};

// A send or a receive of this rank, in memory of its own.
struct Move {
  bool active = false, sends = false;
  Transfer transfer{};
  MessageName name{};
  Use use{};
  std::vector<std::byte> data, other;
};

MessageName some_name(Input& input) {
  const auto bits = input.take<std::uint8_t>();
  return {bits & 1u, bits >> 1 & 3u, bits >> 3 & 3u};
}

class Story {
 public:
  Story(Input& input, const PeerlessLink::Kind& kind) : input_(input), link_(kind) {}
  ~Story() {
    for (Move& move : moves_) give_up(move);
  }

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
      case 7: return begin();
      case 8: return go_on();
      case 9: return give_up(some_move());
      case 10: ear_.abandoned = input_.take<std::uint8_t>(); return;
      case 11:
        channel_.announce({.communicator = 1, .code = Code::timed_out});
        return channel_.mention({.kind = News::Kind::passed, .communicator = 1});
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
    transport::Trailer trailer{some_name(input_), 0, 0, ++sent};
    trailer.bytes = odd & 1 ? input_.take<std::uint32_t>()
                            : static_cast<std::uint32_t>(kLengths[input_.below(9)]);
    if (ring == Ring::control && !(odd & 1)) trailer.bytes = lengths_of_control_[odd >> 6 & 3];
    if (ring == Ring::ready && !(odd & 1)) trailer.bytes = sizeof(ReadyEntry);
    if (odd & 2) trailer.consumed = input_.take<std::uint32_t>();
    if (odd & 4) trailer.sequence = input_.take<std::uint32_t>();
    if (odd & 8) trailer.name.ordinal = input_.take<std::uint32_t>();
    link_.arrive(ring, odd & 16 ? input_.take<std::uint8_t>() : sent - 1, trailer, input_);
  }
  Move& some_move() { return moves_[input_.below(std::size(moves_))]; }
  void begin() {
    Move& move = some_move();
    if (move.active) return;
    const std::size_t kind = input_.below(8);
    move.active = true;
    move.transfer = {};
    move.sends = kind & 1;
    move.use = static_cast<Use>(kind >> 1 & 3);
    move.name = some_name(input_);
    const auto bytes = static_cast<std::size_t>(kLengths[input_.below(9)]);
    move.data = std::vector<std::byte>(bytes);
    move.other = move.data;
  }
  void go_on() {
    Move& move = some_move();
    if (!move.active) return;
    const auto bytes = static_cast<Bytes>(move.data.size());
    const Operand operand{&kCombine, move.other.data(), false};
    const bool combines = move.use == Use::combined &&
                          combines_on_arrival(bytes, kElement, move.use, channel_.limits());
    const Answer answer =
        move.sends ? channel_.send(move.transfer, move.name, move.data.data(), bytes, move.use)
                   : channel_.recv(move.transfer, move.name, move.data.data(), bytes, move.use,
                                   combines ? &operand : nullptr);
    if (answer == Answer::done) move.active = false;
    if (answer != Answer::failed) return;
    must(channel_.failure_code() != Code::success && channel_.failure()[0] != '\0',
         "what fails has a reason");
    give_up(move);
    channel_.forget_complaint();
  }
  void give_up(Move& move) {
    if (!move.active) return;
    move.active = false;
    channel_.abandon(move.transfer);
  }

  static constexpr std::uint32_t lengths_of_control_[] = {
      sizeof(std::uint32_t), sizeof(Ask), sizeof(News), sizeof(std::uint32_t) + sizeof(News)};
  Input& input_;
  PeerlessLink link_;
  Ear ear_;
  Channel channel_{link_, nullptr, ear_};
  std::array<std::uint32_t, transport::kRings> sent_{};
  Move moves_[4];
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
