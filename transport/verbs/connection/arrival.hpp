// Arrival: how a receiver learns that a message is in its slot. It is a strategy of each
// connection, because the order in which the bytes of a write become visible is a property of the
// devices. No device promises it of the bytes of two writes, so the end of a rendezvous and the
// disconnect always come with immediate data.
//
//     tail   one write; the receiver polls its last word. Only where bytes become visible in order
//     flag   the body, then the last word in a write of its own; the receiver polls that word
//     imm    a write with immediate data; the receiver learns of it from the completion queue
//
// Data path but for the constructor: nothing blocks or allocates. Knows the receive side of one
// queue pair.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string_view>

#include "transport/inbox_shape.hpp"
#include "transport/memory.hpp"

namespace tutti::transport::verbs {

enum class Arrival : std::uint8_t { automatic, tail, imm, flag };
std::string_view name_of(Arrival arrival) noexcept;
// The one of two that asks less of the devices: imm before flag before tail.
Arrival safer_of(Arrival a, Arrival b) noexcept;

// Immediate data: 32 bits that come with a write, or with a write of no bytes. The upper 3 say
// what they tell of; the rest is a number.
class Immediate {
 public:
  enum class Kind : std::uint32_t { message, credit, finished, disconnect, moved };
  static constexpr int kCreditBits = 26;

  static constexpr Immediate message(Ring ring) { return {static_cast<std::uint32_t>(ring), 0}; }
  // Slots of `ring` that the sender has consumed, modulo 2^kCreditBits.
  static constexpr Immediate credit(Ring ring, std::uint32_t consumed) {
    return {kCredit, static_cast<std::uint32_t>(ring) << kCreditBits | (consumed & kCreditMask)};
  }
  // Rendezvous `id` is finished as far as it went by this rail, one of so many.
  static constexpr Immediate finished(std::uint32_t id, std::uint32_t rails) {
    return {kFinished, (rails - 1) << kRailBits | id};
  }
  static constexpr Immediate disconnect() { return {kConnection, 0}; }
  // All messages from now on go to the larger inbox.
  static constexpr Immediate moved() { return {kConnection, 1}; }

  explicit constexpr Immediate(std::uint32_t word) : word_(word) {}
  constexpr std::uint32_t word() const { return word_; }
  constexpr Kind kind() const {
    const std::uint32_t upper = word_ >> kNumberBits;
    return upper < kRings       ? Kind::message
           : upper == kCredit   ? Kind::credit
           : upper == kFinished ? Kind::finished
           : number() == 0      ? Kind::disconnect
                                : Kind::moved;
  }
  // The ring of a message or a credit; may be kRings or more if the peer is broken.
  constexpr std::uint32_t ring() const {
    return kind() == Kind::message ? word_ >> kNumberBits : number() >> kCreditBits;
  }
  constexpr std::uint32_t id() const { return number() & ((1u << kRailBits) - 1); }
  constexpr std::uint32_t rails() const { return (number() >> kRailBits) + 1; }
  // The count of a credit: all consumed slots, which only grows, given the last one.
  constexpr std::uint32_t consumed_after(std::uint32_t last) const {
    return last + ((word_ - last) & kCreditMask);
  }

 private:
  static constexpr std::uint32_t kNumberBits = 29, kNumberMask = (1u << kNumberBits) - 1;
  static constexpr std::uint32_t kRailBits = 27;
  static_assert(kMostRails <= 1u << (kNumberBits - kRailBits));
  static constexpr std::uint32_t kCreditMask = (1u << kCreditBits) - 1;
  static constexpr std::uint32_t kCredit = 5, kFinished = 6, kConnection = 7;
  static_assert(kRings <= kCredit);
  constexpr std::uint32_t number() const { return word_ & kNumberMask; }
  constexpr Immediate(std::uint32_t upper, std::uint32_t number)
      : word_(upper << kNumberBits | number) {}

  std::uint32_t word_;
};

// The receives of one queue pair, or of several that share a queue: each arriving immediate uses
// one up.
class Receives {
 public:
  // Posts as many as can be used up before any is posted again. Throws Error{transport_failed}.
  Receives(ibv_qp* queue_pair, int peer, const InboxShape& shape, bool large = false);
  // Posts so many. Throws the same.
  Receives(ibv_srq* queue, std::uint32_t count);
  static std::uint32_t needed_for(const InboxShape& shape) noexcept;
  // One was used up. false: the device takes no more receives.
  bool replace_one() noexcept;

 private:
  bool post(std::uint32_t count) noexcept;  // false: errno says why

  ibv_qp* const queue_pair_;  // one of both
  ibv_srq* const queue_;
  const std::uint64_t id_;
  std::uint32_t missing_ = 0;
};

}  // namespace tutti::transport::verbs
