// The survey of fake devices: ports that can carry a job, and the problems of those that cannot.
#include "transport/verbs/discovery/survey.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport::verbs;

namespace {

Candidate only_candidate(int gid_index = -1) {
  const auto all = candidates(gid_index);
  REQUIRE(all.size() == 1);
  return all[0];
}

}  // namespace

TEST_CASE("a port that can carry a job has a fabric and a rate", "[verbs][survey]") {
  tests::FakeVerbs fake({"fake0", "fake1"});
  fake[1].limits.vendor_id = 0xffffff;
  const auto all = candidates(-1);
  REQUIRE(all.size() == 2);
  CHECK(all[0].device == "fake0");
  CHECK(all[0].problem.empty());
  CHECK(all[0].fabric.kind == FabricKind::roce_v2_ipv4);
  CHECK(all[0].fabric.subnet == 0x7f000000u);  // 127.0.0.1/8
  CHECK(all[0].gid_index == 0);
  CHECK_FALSE(all[0].software);
  CHECK(all[1].software);
}

TEST_CASE("a rate is lanes times the speed of one", "[verbs][survey]") {
  tests::FakeVerbs fake;
  ibv_port_attr& port = fake[0].ports[0];
  const auto rate = [&](std::uint8_t width, std::uint8_t speed) {
    port.active_width = width;
    port.active_speed = speed;
    return only_candidate().rate;
  };
  CHECK(rate(1, 1) == 2500);
  CHECK(rate(2, 4) == 40000);
  CHECK(rate(2, 16) == 56000);
  CHECK(rate(2, 32) == 100000);
  CHECK(rate(2, 128) == 400000);
  CHECK(rate(4, 64) == 400000);
  CHECK(rate(8, 2) == 60000);
  CHECK(rate(16, 8) == 20000);
  CHECK(rate(3, 1) == 0);
  CHECK(rate(2, 3) == 0);
}

TEST_CASE("each fabric of a port is a candidate, with its best GID", "[verbs][survey]") {
  tests::FakeVerbs fake;
  auto& gids = fake[0].gids;
  gids.push_back(gids[0]);
  gids[1].gid_index = 1;
  gids[1].gid_type = IBV_GID_TYPE_ROCE_V1;
  gids.push_back(gids[0]);  // the same fabric once more
  gids[2].gid_index = 2;
  auto all = candidates(-1);
  REQUIRE(all.size() == 2);
  CHECK(all[0].gid_index == 0);
  CHECK(all[1].fabric.roce_v1());
  CHECK(only_candidate(2).gid_index == 2);
  // An address that no network device has.
  gids[0].gid.raw[12] = 203;
  all = candidates(0);
  REQUIRE(all.size() == 1);
  CHECK(all[0].unassigned);
}

TEST_CASE("a port that cannot carry a job says why", "[verbs][survey]") {
  tests::FakeVerbs fake;
  SECTION("a port that is down") {
    fake[0].ports[0].state = IBV_PORT_DOWN;
    CHECK(only_candidate().problem == "port 1 is down");
    CHECK(only_candidate().code == Code::port_down);
  }
  SECTION("a port without a GID") {
    CHECK(only_candidate(5).problem == "port 1 has no GID 5");
    CHECK(only_candidate(5).code == Code::bad_configuration);
    fake[0].gids.clear();
    CHECK(only_candidate().problem == "port 1 has no GID");
    CHECK(only_candidate().code == Code::unreachable);
  }
  SECTION("a transport without what connections take, whatever else") {
    fake[0].ports[0].state = IBV_PORT_DOWN;
    for (const auto& [type, part] : {std::pair{IBV_TRANSPORT_IWARP, "iWARP"},
                                     {IBV_TRANSPORT_USNIC_UDP, "usNIC"},
                                     {IBV_TRANSPORT_UNKNOWN, "neither InfiniBand nor RoCE"}}) {
      fake[0].device.transport_type = type;
      CHECK_THAT(only_candidate().problem, Catch::Contains(part));
      CHECK(only_candidate().code == Code::no_device);
    }
  }
  SECTION("a device that cannot be opened, or asked") {
    fake.refuse("ibv_open_device", EACCES);
    CHECK(only_candidate().problem == "it cannot be opened: Permission denied");
    CHECK_THAT(survey().at(0).problem, Catch::Contains("Permission denied"));
    fake.allow("ibv_open_device");
    fake.refuse("ibv_query_port", EIO);
    CHECK(only_candidate().problem == "port 1 cannot be read");
    CHECK(survey().at(0).ports.at(0).state == "unreadable");
  }
  CHECK(fake.alive() == 0);
}

TEST_CASE("a survey tells of each port, for people", "[verbs][survey]") {
  tests::FakeVerbs fake;
  fake[0].limits.phys_port_cnt = 2;
  fake[0].ports.push_back(fake[0].ports[0]);
  fake[0].ports[1].state = IBV_PORT_DOWN;
  fake[0].ports[1].link_layer = IBV_LINK_LAYER_INFINIBAND;
  const auto reports = survey();
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].name == "fake0");
  CHECK(reports[0].problem.empty());
  CHECK(reports[0].max_cqe == fake[0].limits.max_cqe);
  REQUIRE(reports[0].ports.size() == 2);
  CHECK(reports[0].ports[0].ethernet);
  CHECK(reports[0].ports[0].active_mtu == 1024);
  REQUIRE(reports[0].ports[0].gids.size() == 1);
  CHECK(reports[0].ports[0].gids[0].address == "::ffff:127.0.0.1");
  CHECK(reports[0].ports[0].gids[0].type == "RoCE v2");
  CHECK_FALSE(reports[0].ports[1].ethernet);
  CHECK(reports[0].ports[1].state == "down");
  CHECK(reports[0].ports[1].gids.empty());
}
