// Events of a device: whom they concern, and the end of the file that tells them.
#include "transport/verbs/device/device_events.hpp"

#include <poll.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/transport/verbs/fake_verbs.hpp"
#include "transport/verbs/device/queue_pair.hpp"

using namespace tutti;
using namespace tutti::transport::verbs;

namespace {

struct Listener final : DeviceEvents::Handler {
  tests::FakeVerbs fake{};
  Device device{{}, [](std::string_view) {}};
  int devices_failed = 0;
  std::vector<std::uint32_t> pairs_failed{};
  std::vector<std::string> said{};
  DeviceEvents events{device, *this, [this](std::string_view text) { said.emplace_back(text); }};

  void device_failed(const char*) override { ++devices_failed; }
  void queue_pair_failed(std::uint32_t number, const char*) override {
    pairs_failed.push_back(number);
  }
  bool readable() const {
    pollfd file{events.file(), POLLIN, 0};
    return poll(&file, 1, 0) == 1;
  }
};

}  // namespace

TEST_CASE("an event of the device is not one of a queue pair", "[verbs]") {
  Listener listener;
  const CompletionQueue queue(ibv_create_cq(listener.device.context(), 4, nullptr, nullptr, 0));
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = queue.get();
  wanted.qp_type = IBV_QPT_RC;
  const QueuePair pair = create_queue_pair(listener.device, wanted);
  CHECK_FALSE(listener.readable());
  for (const ibv_event_type type : {IBV_EVENT_DEVICE_FATAL, IBV_EVENT_CQ_ERR, IBV_EVENT_SRQ_ERR})
    listener.fake.report(0, type);
  for (const ibv_event_type type :
       {IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR})
    listener.fake.report(0, type, pair->qp_num);
  // A port that comes back in time costs nothing.
  listener.fake.report(0, IBV_EVENT_PORT_ERR);
  CHECK(listener.readable());
  listener.events.read(POLLIN);
  CHECK(listener.devices_failed == 3);
  CHECK(listener.pairs_failed == std::vector<std::uint32_t>(3, pair->qp_num));
  CHECK(listener.said.size() == 7);
  CHECK_FALSE(listener.readable());
}

TEST_CASE("a file of events that breaks is said once, and read no longer", "[verbs]") {
  Listener listener;
  listener.events.read(POLLIN);
  CHECK(listener.events.file() >= 0);  // no event was there
  CHECK(listener.said.empty());
  SECTION("the kernel says so by an error") {
    listener.fake.break_events(0, EIO);
    listener.events.read(POLLIN);
    CHECK_THAT(listener.said.back(), Catch::Contains("no longer reports events"));
  }
  SECTION("or poll() does") {
    listener.events.read(POLLIN | POLLERR);
    CHECK_THAT(listener.said.back(), Catch::Contains("its file is broken"));
  }
  SECTION("but not a signal") {
    listener.fake.break_events(0, EINTR);
    listener.events.read(POLLIN | POLLERR);
    CHECK(listener.events.file() >= 0);
    return;
  }
  CHECK(listener.events.file() == -1);
  CHECK(listener.devices_failed == 0);
}
