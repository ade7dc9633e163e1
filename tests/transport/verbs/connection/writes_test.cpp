// The peer's writes as far as a rank knows of them, and its answers about its own.
#include "transport/verbs/connection/writes.hpp"

#include <catch2/catch.hpp>

using namespace tutti::transport;
using verbs::Writes;

namespace {

// Two ranks that ask each other.
struct Ends {
  int asked = 0;
  std::function<void()> has_datagram = [this] { ++asked; };
  Writes sender{has_datagram}, receiver{has_datagram};
  void answer() {
    if (const auto question = receiver.take_question())
      receiver.take_answer(*question, sender.begun());
  }
};

}  // namespace

TEST_CASE("a write is under way from its beginning until all of it is here", "[writes]") {
  Ends ends;
  for (const std::uint32_t invitation : {0u, 5u, 63u})
    for (int write = 0; write < 3; ++write) {
      ends.receiver.ask(false);
      CHECK(ends.receiver.writing(invitation) == Writing::unknown);
      ends.answer();
      CHECK(ends.receiver.writing(invitation) == Writing::no);
      ends.sender.note_begun(invitation);
      CHECK(ends.receiver.writing(invitation) == Writing::no);  // by the last answer
      ends.receiver.ask(false);
      ends.answer();
      CHECK(ends.receiver.writing(invitation) == Writing::yes);
      CHECK(ends.receiver.writing(7) == Writing::no);
      ends.receiver.note_ended(invitation);
      CHECK(ends.receiver.writing(invitation) == Writing::no);
    }
  CHECK(ends.asked == 18);
}

TEST_CASE("what was not written has not begun", "[writes]") {
  Ends ends;
  ends.sender.note_begun(1);
  const std::uint64_t before = ends.sender.note_begun(2);
  ends.sender.take_out(before);
  ends.receiver.ask(false);
  ends.answer();
  CHECK(ends.receiver.writing(1) == Writing::yes);
  CHECK(ends.receiver.writing(2) == Writing::no);
}
