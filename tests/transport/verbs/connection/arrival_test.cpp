// Meaning of the bits of immediate data and of a work request's id.
#include "transport/verbs/connection/arrival.hpp"

#include <catch2/catch.hpp>

#include "tests/transport/rings.hpp"
#include "transport/verbs/connection/work_id.hpp"

using namespace tutti::tests;
using namespace tutti::transport;
using verbs::Arrival;
using verbs::Immediate;
using verbs::WorkId;

namespace {

Immediate over_the_wire(Immediate immediate) { return Immediate(immediate.word()); }

}  // namespace

TEST_CASE("immediate data says of which ring, or which rendezvous", "[verbs]") {
  for (const Ring ring : kAllRings) {
    const Immediate message = over_the_wire(Immediate::message(ring));
    CHECK(message.kind() == Immediate::Kind::message);
    CHECK(message.ring() == static_cast<std::uint32_t>(ring));
    const Immediate credit = over_the_wire(Immediate::credit(ring, 12345));
    CHECK(credit.kind() == Immediate::Kind::credit);
    CHECK(credit.ring() == static_cast<std::uint32_t>(ring));
    CHECK(credit.consumed_after(12300) == 12345);
  }
  CHECK(over_the_wire(Immediate::disconnect()).kind() == Immediate::Kind::disconnect);
  CHECK(over_the_wire(Immediate::moved()).kind() == Immediate::Kind::moved);
}

TEST_CASE("credits are counted on when their bits wrap", "[verbs]") {
  // Others may have ridden on messages between two reports: up to a half of what the bits count.
  for (const std::uint32_t last : {0u, 5u, (1u << 26) - 3, (1u << 26), 0xfffffffdu})
    for (const std::uint32_t more : {0u, 1u, 8u, 64u, 1u << (Immediate::kCreditBits - 1)}) {
      const Immediate credit = over_the_wire(Immediate::credit(Ring::control, last + more));
      CHECK(credit.consumed_after(last) == last + more);
    }
}

TEST_CASE("the safer strategy of two is the same from both ends", "[verbs]") {
  for (const Arrival a : {Arrival::tail, Arrival::flag, Arrival::imm}) {
    CHECK(safer_of(a, a) == a);
    CHECK(safer_of(a, Arrival::imm) == Arrival::imm);
    for (const Arrival b : {Arrival::tail, Arrival::flag, Arrival::imm})
      CHECK(safer_of(a, b) == safer_of(b, a));
  }
  CHECK(safer_of(Arrival::tail, Arrival::flag) == Arrival::flag);
}

TEST_CASE("a work request's id names its peer and its number", "[verbs]") {
  CHECK(WorkId::shared_receive().is_receive());
  CHECK(WorkId::shared_receive().is_shared());
  CHECK_FALSE(WorkId::shared_receive().is_large());
  for (const int peer : {0, 1, 4711, (1 << 23) - 1}) {
    for (const bool large : {false, true}) {
      const WorkId receive(WorkId::receive(peer, large).word());
      CHECK(receive.is_receive());
      CHECK_FALSE(receive.is_shared());
      CHECK(receive.is_large() == large);
      CHECK(receive.peer() == peer);
      CHECK(WorkId(WorkId::send(peer, 5, large).word()).is_large() == large);
      CHECK(WorkId(WorkId::send(peer, 5, large).word()).peer() == peer);
    }
    for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{1} << 40,
                                       (std::uint64_t{1} << 41) - 1, std::uint64_t{1} << 50}) {
      const WorkId id(WorkId::send(peer, number).word());
      CHECK_FALSE(id.is_receive());
      CHECK(id.peer() == peer);
      for (const std::uint64_t later : {0, 1, 255}) CHECK(id.number(number + later) == number);
    }
  }
}
