// A message that fits one slot.
#include <catch2/catch.hpp>

#include "protocols/eager.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;

TEST_CASE("a message of another length is a complaint, and the channel goes on", "[eager]") {
  Pair pair({7, true, true, false});
  char data[100] = {};
  Transfer s, r, s2, r2;
  REQUIRE(pair.until([&] { return pair.channels[0].send(s, {1, 0, 0}, data, 8) == Answer::done; }));
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    return (answer = pair.channels[1].recv(r, {1, 0, 0}, data, 16)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[1].failure_code() == Code::calls_differ);
  CHECK_FALSE(pair.channels[1].failed());
  pair.ears[1].abandoned_id = 1;  // its communicator has failed: nobody wants its message
  REQUIRE(pair.until([&] {
    return pair.channels[0].send(s2, {2, 0, 0}, data, 8) == Answer::done;
  }));
  REQUIRE(pair.until([&] {
    return pair.channels[1].recv(r2, {2, 0, 0}, data, 8) == Answer::done;
  }));
}
