// News that waits for credit: in order, and no more than there is room for.
#include "protocols/news_sender.hpp"

#include <catch2/catch.hpp>

#include "protocols/control.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Control;
using protocols::News;
using protocols::NewsSender;

namespace {

// Rank 0 tells, and rank 1 hears in order when it reads.
struct Attentive final : protocols::Listener {
  void hear(const News& news, int) noexcept override { heard.push_back(news.call); }
  bool unwanted(const MessageName&, int) noexcept override { return false; }
  News why_unwanted(const MessageName&, int) noexcept override { return {}; }
  std::vector<CollectiveNumber> heard;
};
struct Telling {
  HostileNet net;
  Attentive ears[2];
  protocols::Rings rings[2];
  Control reader;
  NewsSender sender;
  explicit Telling(const transport::InboxShape& shape)
      : net(2, shape, {.refuse = 0, .deliver = 1}),
        rings{{net.link(0, 1), ears[0]}, {net.link(1, 0), ears[1]}},
        reader(net.link(1, 0), rings[1], ears[1]),
        sender(rings[0]) {}
  void announce(CollectiveNumber call) { sender.announce(news(call)); }
  void mention(CollectiveNumber call) { sender.mention(news(call)); }
  static News news(CollectiveNumber call) {
    return {.kind = News::Kind::passed, .communicator = 1, .call = call};
  }
  void settle() {
    for (int i = 0; i < 2000; ++i) {
      net.step();
      reader.read();
      for (protocols::Rings& side : rings) side.send_reports();
      sender.send();
    }
  }
};
std::vector<CollectiveNumber> up_to(CollectiveNumber end) {
  std::vector<CollectiveNumber> all;
  for (CollectiveNumber call = 0; call < end; ++call) all.push_back(call);
  return all;
}

}  // namespace

TEST_CASE("news that was announced arrives in order, though there is one slot", "[news]") {
  Telling pair(kTiny);
  for (CollectiveNumber call = 0; call < 10; ++call) pair.announce(call);
  CHECK(pair.sender.pending());
  pair.settle();
  CHECK_FALSE(pair.sender.pending());
  CHECK(pair.ears[1].heard == up_to(10));
}

TEST_CASE("of news that waits for too long the later is dropped", "[news]") {
  Telling pair(kTiny);
  for (CollectiveNumber call = 0; call < 100; ++call) pair.announce(call);
  pair.settle();
  // One went at once, into the slot; 32 waited.
  CHECK(pair.ears[1].heard == up_to(33));
}

TEST_CASE("a mention goes while there is plenty of credit, and never waits", "[news]") {
  Telling pair(kUsual);  // four slots
  for (CollectiveNumber call = 0; call < 10; ++call) pair.mention(call);
  CHECK_FALSE(pair.sender.pending());
  pair.settle();
  const std::size_t sent = pair.ears[1].heard.size();
  CHECK(sent >= 1);
  CHECK(sent < 4);  // it leaves slots to what is announced
  CHECK(pair.ears[1].heard == up_to(static_cast<CollectiveNumber>(sent)));
}

TEST_CASE("nothing is mentioned before what was announced", "[news]") {
  Telling pair(kTiny);
  pair.announce(0);
  pair.announce(1);
  pair.mention(2);
  pair.settle();
  CHECK(pair.ears[1].heard == up_to(2));
}

TEST_CASE("a failed link drops what waits", "[news]") {
  Telling pair(kTiny);
  for (CollectiveNumber call = 0; call < 5; ++call) pair.announce(call);
  CHECK(pair.sender.pending());
  pair.net.link(0, 1).fail(Code::transport_failed, "for the test");
  pair.sender.send();
  CHECK_FALSE(pair.sender.pending());
}
