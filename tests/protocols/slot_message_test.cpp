// A message of one length that always fits one slot.
#include <catch2/catch.hpp>

#include "protocols/slot_message.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::SlotMessage;
using protocols::Transfer;
using protocols::Use;

TEST_CASE("messages that may need more than a slot are none of these", "[slot]") {
  Hostility growing{1};
  growing.grow = 0.01;
  Pair fixed({1}), small(growing);
  const auto goes = [](Pair& pair, Bytes bytes) {
    return SlotMessage::over(pair.channels[0], bytes, Use::stored).has_value();
  };
  const protocols::Limits limits = fixed.channels[0].limits();
  for (const Bytes bytes : {Bytes{0}, limits.line, limits.small}) {
    INFO(bytes);
    CHECK(goes(fixed, bytes));
    CHECK(goes(small, bytes));
  }
  CHECK(goes(fixed, limits.eager));
  CHECK_FALSE(goes(small, limits.eager));  // its slots are smaller at first
  CHECK_FALSE(goes(fixed, limits.eager + 1));
}

// One end need not know how the other one sends or receives.
TEST_CASE("a slot message is what the channel sends and receives", "[slot]") {
  for (const Hostility& hostility : all_kinds(5))
    for (const Bytes bytes : {0, 8, 200}) {
      Pair pair(hostility);
      const auto out = SlotMessage::over(pair.channels[0], bytes, Use::stored);
      const auto in = SlotMessage::over(pair.channels[1], bytes, Use::stored);
      REQUIRE((out && in));
      const std::size_t length = static_cast<std::size_t>(bytes);
      Transfer sends, receives;  // never made anew
      for (std::uint32_t call = 0; call < 40; ++call) {
        INFO(bytes << " bytes, call " << call);
        const MessageName name{1, call, 0};
        const std::vector<std::byte> data = bytes_of(length, call);
        std::vector<std::byte> got(length);
        Answer sent = Answer::again, received = Answer::again;
        const bool both_end = pair.until([&] {
          if (sent == Answer::again)
            sent = call % 2 == 0 ? out->send(sends, name, data.data())
                                 : pair.channels[0].send(sends, name, data.data(), bytes);
          if (received == Answer::again)
            received = call % 3 == 0 ? in->recv(receives, name, got.data())
                                     : pair.channels[1].recv(receives, name, got.data(), bytes);
          return sent != Answer::again && received != Answer::again;
        });
        REQUIRE(both_end);
        CHECK(sent == Answer::done);
        CHECK(received == Answer::done);
        CHECK(got == data);
      }
    }
}

TEST_CASE("a slot message of another length is a complaint", "[slot]") {
  Pair pair({7});
  const auto in = SlotMessage::over(pair.channels[1], 16, Use::stored);
  REQUIRE(in);
  char data[16] = {};
  Transfer sends, receives;
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    return pair.channels[0].send(sends, {1, 0, 0}, data, 8) == Answer::done;
  }));
  REQUIRE(pair.until([&] {
    return (answer = in->recv(receives, {1, 0, 0}, data)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[1].failure_code() == Code::calls_differ);
}
