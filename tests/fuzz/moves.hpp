// Sends and receives of this rank while the fuzzer plays its peer.
#pragma once

#include <array>
#include <vector>

#include "protocols/channel.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace tutti::fuzz {

inline constexpr Bytes kElement = 4;
inline constexpr Bytes kLengths[] = {0, 4, 40, 100, 296, 1000, 1064, 1068, 5000};

// Reads and writes every byte that it is given, in whole elements.
inline void combine_bytes(const void*, const void* left, const void* right, void* out,
                          Bytes bytes) {
  must(bytes % kElement == 0, "only whole elements are combined");
  for (Bytes i = 0; i < bytes; ++i)
    static_cast<std::uint8_t*>(out)[i] = static_cast<std::uint8_t>(
        static_cast<const std::uint8_t*>(left)[i] + static_cast<const std::uint8_t*>(right)[i]);
}
inline constexpr Combine kCombine{combine_bytes};

inline MessageName some_name(Input& input) {
  const auto bits = input.take<std::uint8_t>();
  return {bits & 1u, bits >> 1 & 3u, bits >> 3 & 3u};
}

class Moves {
 public:
  // Both must outlive this object.
  Moves(Input& input, protocols::Channel& channel) : input_(input), channel_(channel) {}
  ~Moves() {
    for (Move& move : all_) give_up(move);
  }
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;

  void begin() {
    Move& move = some();
    if (move.active) return;
    const std::size_t kind = input_.below(8);
    move.active = true;
    move.transfer = {};
    move.sends = kind & 1;
    move.use = static_cast<protocols::Use>(kind >> 1 & 3);
    move.name = some_name(input_);
    const auto bytes = static_cast<std::size_t>(kLengths[input_.below(std::size(kLengths))]);
    move.data = std::vector<std::byte>(bytes);
    move.other = move.data;
  }
  void go_on() {
    using protocols::Answer;
    Move& move = some();
    if (!move.active) return;
    const auto bytes = static_cast<Bytes>(move.data.size());
    const Operand operand{&kCombine, move.other.data(), false};
    const bool combines = move.use == protocols::Use::combined &&
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
  void give_up() { give_up(some()); }

 private:
  // A send or a receive, in memory of its own.
  struct Move {
    bool active = false, sends = false;
    protocols::Transfer transfer{};
    MessageName name{};
    protocols::Use use{};
    std::vector<std::byte> data, other;
  };
  Move& some() { return all_[input_.below(all_.size())]; }
  void give_up(Move& move) {
    if (!move.active) return;
    move.active = false;
    channel_.abandon(move.transfer);
  }

  Input& input_;
  protocols::Channel& channel_;
  std::array<Move, 4> all_;
};

}  // namespace tutti::fuzz
