// Which port a rank takes, of which fabric.
#include "transport/verbs/candidates.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "transport/verbs/choice.hpp"
#include "transport/verbs/distance.hpp"

using namespace tutti::transport::verbs;

namespace {

constexpr Fabric kInfiniBand{false, 0xfe80}, kRed{true, 1}, kBlue{true, 2};

Candidate candidate(const char* device, Fabric fabric, std::uint64_t rate = 100000,
                    int distance = 0) {
  Candidate result{.device = device, .problem = {}};
  result.rate = rate;
  result.distance = distance;
  result.fabric = fabric;
  return result;
}

std::string names(const std::vector<Candidate>& all) {
  std::string result;
  for (const Candidate& c : all) result += (result.empty() ? "" : " ") + c.device;
  return result;
}

Offer offer(std::initializer_list<Fabric> fabrics) {
  std::vector<Candidate> all;
  for (const Fabric& fabric : fabrics) all.push_back(candidate("x", fabric));
  return offer_of(all, 1, false);
}

}  // namespace

TEST_CASE("hardware before software, then the fastest, then the nearest", "[verbs]") {
  std::vector<Candidate> all{candidate("siw0", kRed),
                             candidate("rxe0", kRed),
                             candidate("down", kRed, 400000),
                             candidate("slow", kRed, 25000),
                             candidate("far", kInfiniBand, 200000, 11),
                             candidate("near", kInfiniBand, 200000, 1)};
  all[0].problem = "iWARP has no datagrams";
  all[1].software = true;
  all[1].rate = 1000000;
  all[2].problem = "port 1 is DOWN";
  CHECK(names(ranked(all, false)) == "near far slow rxe0");
  CHECK(names(ranked(named(all, {}, 0), false)) == "near far slow rxe0");
}

TEST_CASE("devices that are named come in the order of their names", "[verbs]") {
  const std::vector<Candidate> all{candidate("a", kRed), candidate("b", kRed, 200000),
                                   candidate("c", kRed)};
  const std::vector<std::string> wanted{"c", "b"};
  CHECK(names(ranked(named(all, wanted, 0), true)) == "c b");
  CHECK(named(all, {}, 2).empty());
  CHECK(names(named(all, {}, 1)) == "a b c");
}

TEST_CASE("all ranks take the fabric that all have", "[verbs]") {
  const std::vector<Offer> offers{offer({kRed, kInfiniBand}), offer({kInfiniBand}), Offer{},
                                  offer({kBlue, kRed, kInfiniBand})};
  for (const std::size_t rank : {0, 1, 3}) CHECK(common_fabric(offers, rank) == kInfiniBand);
  CHECK_FALSE(common_fabric(offers, 2));
}

TEST_CASE("where two fabrics would do, all ranks decide alike", "[verbs]") {
  const std::vector<Offer> offers{offer({kRed, kBlue}), offer({kBlue, kRed})};
  CHECK(common_fabric(offers, 0) == common_fabric(offers, 1));
}

TEST_CASE("subnets may be joined by routers, link layers are not", "[verbs]") {
  const std::vector<Offer> routed{offer({kInfiniBand, kRed}), offer({kBlue})};
  CHECK(common_fabric(routed, 0) == kRed);
  CHECK(common_fabric(routed, 1) == kBlue);
  const std::vector<Offer> apart{offer({kInfiniBand}), offer({kBlue})};
  CHECK_FALSE(common_fabric(apart, 0));
  CHECK_FALSE(common_fabric(apart, 1));
}

TEST_CASE("an offer names each fabric once, and has an end", "[verbs]") {
  CHECK(offer({kRed, kRed, kBlue, kRed}).count == 2);
  std::vector<Candidate> many;
  for (std::uint64_t i = 0; i < 20; ++i) many.push_back(candidate("x", {true, i}));
  CHECK(offer_of(many, 1, false).count == Offer::kMost);
}

TEST_CASE("the ranks of a node use its equal adapters by turns", "[verbs]") {
  const auto all = ranked({candidate("a", kRed), candidate("b", kBlue), candidate("c", kRed),
                           candidate("far", kRed, 100000, 11)},
                          false);
  const auto device = [&](const Fabric& fabric, int local_rank, bool in_order) {
    return all[share(all, {&fabric, 1}, local_rank, in_order)[0]].device;
  };
  CHECK(device(kRed, 0, false) == "a");
  CHECK(device(kRed, 1, false) == "c");
  CHECK(device(kRed, 2, false) == "a");
  CHECK(device(kBlue, 3, false) == "b");
  // Those that are named are used all.
  CHECK(device(kRed, 2, true) == "far");
  CHECK(reason(all, 0, false).find("by turns") != std::string::npos);
  CHECK(reason(all, 0, true) == "as set");
}

TEST_CASE("a rank's rails are its share of the node's equal ports", "[verbs]") {
  std::vector<Candidate> all{candidate("a", kRed), candidate("b", kBlue), candidate("c", kRed),
                             candidate("d", kRed), candidate("slow", kRed, 25000)};
  CHECK(rails_of_a_rank(all, 1, false) == 4);
  CHECK(rails_of_a_rank(all, 2, false) == 2);
  CHECK(rails_of_a_rank(all, 3, false) == 1);
  CHECK(rails_of_a_rank(all, 100, false) == 1);
  CHECK(rails_of_a_rank(all, 1, true) == 5);
  CHECK(rails_of_a_rank({}, 1, false) == 1);
  for (Candidate& c : all) c.software = true;
  CHECK(rails_of_a_rank(all, 1, false) == 1);
}

TEST_CASE("all ranks have the same rails", "[verbs]") {
  const auto offer = [](const std::vector<Fabric>& fabrics, int rails) {
    std::vector<Candidate> all;
    all.reserve(fabrics.size());
    for (const Fabric& fabric : fabrics) all.push_back(candidate("x", fabric));
    return offer_of(all, rails, false);
  };
  using Rails = std::vector<Fabric>;
  const std::vector<Offer> offers{offer({kRed, kBlue, kRed, kRed}, 4), Offer{},
                                  offer({kBlue, kRed, kRed, kInfiniBand}, 3)};
  for (const std::size_t rank : {0, 2}) {
    const auto rails = common_rails(offers, rank);
    CHECK(rails.size() == 3);
    CHECK(rails == common_rails(offers, 0));
    CHECK(std::ranges::count(rails, kRed) == 2);
  }
  // The rank that wants least decides, and so does the one that has least.
  CHECK(common_rails(std::vector{offers[0], offer({kRed, kBlue}, 1)}, 0).size() == 1);
  CHECK(common_rails(std::vector{offers[0], offer({kRed}, 4)}, 0) == Rails{kRed});
  // Joined by routers: one.
  CHECK(common_rails(std::vector{offer({kRed, kRed}, 2), offer({kBlue, kBlue}, 2)}, 0) ==
        Rails{kRed});
  CHECK(common_rails(std::vector{offer({kInfiniBand}, 2), offer({kBlue}, 2)}, 0).empty());
}

TEST_CASE("the rails of a node's ranks are different ports", "[verbs]") {
  const std::vector<Candidate> all{candidate("a", kRed), candidate("b", kRed),
                                   candidate("c", kBlue), candidate("d", kRed),
                                   candidate("e", kRed)};
  const std::vector<Fabric> rails{kRed, kRed, kBlue};
  CHECK(share(all, rails, 0, false) == std::vector<std::size_t>{0, 1, 2});
  CHECK(share(all, rails, 1, false) == std::vector<std::size_t>{3, 4, 2});
  CHECK(share(all, rails, 2, false) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("a choice is settled by the agreed fabric, and tells of each port", "[verbs]") {
  Candidate down = candidate("down", kRed, 400000);
  down.problem = "port 1 is DOWN";
  const std::vector<Candidate> all{down, candidate("fast", kBlue, 200000), candidate("a", kRed),
                                   candidate("b", kRed)};
  DeviceWish wish;
  wish.other.local_rank = 1;
  const PortChoice choice(wish, all);
  CHECK(choice.settle({})[0].device == "fast");
  const auto settled = choice.settle(std::vector{kRed});
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].device == "b");
  CHECK(settled[0].port == 1);
  std::string verdicts;
  for (const auto& [port, words] : choice.verdicts(settled))
    verdicts += port.device + ": " + words.substr(0, words.find(',')) + "; ";
  CHECK(verdicts ==
        "down: left out: port 1 is DOWN; fast: not taken; a: not taken; "
        "b: chosen: on the fabric that all ranks have; ");
  // Nothing usable: the device that was named says why when it is opened.
  for (const char* name : {"gone", "down"}) {
    DeviceWish only;
    only.devices = {name};
    CHECK(PortChoice(only, all).settle({})[0].device == name);
  }
}

TEST_CASE("the distance of a device is that of the nearest NUMA node of the process", "[verbs]") {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / fmt::format("tutti-sysfs-{}", getpid());
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  };
  const auto nodes = [&](const std::string& of_0, const std::string& of_1) {
    write("devices/system/node/node0/cpulist", of_0);
    write("devices/system/node/node1/cpulist", of_1);
  };
  const std::string everywhere = "0-1023", nowhere;
  write("devices/system/node/online", "0-1");
  write("devices/system/node/node0/distance", "10 21");
  write("devices/system/node/node1/distance", "31 10");
  write("class/infiniband/x/device/numa_node", "1");
  nodes(everywhere, nowhere);
  CHECK(distance_to("x", root) == 31);
  nodes(nowhere, everywhere);
  CHECK(distance_to("x", root) == 0);
  nodes(nowhere, nowhere);
  CHECK(distance_to("x", root) == 0);
  write("class/infiniband/x/device/numa_node", "-1");
  nodes(everywhere, nowhere);
  CHECK(distance_to("x", root) == 0);
  CHECK(distance_to("y", root) == 0);
  std::filesystem::remove_all(root);
}
