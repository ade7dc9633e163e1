// Which fabrics the ranks agree on.
#include "transport/verbs/device/fabric.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/transport/verbs/fabrics.hpp"

using namespace tutti::transport::verbs;
using namespace tutti::tests;

namespace {

// As many ports of each fabric as it is named, none of which is on two.
Offer offer(const std::vector<Fabric>& fabrics, std::uint32_t rails = 1) {
  Offer result;
  result.rails = rails;
  for (std::size_t port = 0; port < fabrics.size(); ++port) {
    const std::size_t place = result.place_of(fabrics[port]);
    if (place == result.count) result.fabrics[result.count++] = fabrics[port];
    result.ports[place] |= std::uint64_t{1} << port;
  }
  return result;
}

}  // namespace

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

TEST_CASE("all ranks have the same rails", "[verbs]") {
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

TEST_CASE("rails that are set and cannot be had are missed", "[verbs]") {
  const auto missed = [](const std::vector<Offer>& offers) {
    return rails_missed(offers, common_rails(offers, 0).size());
  };
  const Offer three = offer({kRed, kBlue, kRed}, 4), four = offer({kRed, kBlue, kRed, kRed}, 4);
  CHECK(missed({four, four}) == 0);
  CHECK(missed({four, three}) == 4);
  CHECK(missed({three, four}) == 4);
  // A rank that wants fewer decides, and one that says nothing misses nothing.
  CHECK(missed({four, offer({kRed, kRed}, 2)}) == 0);
  CHECK(missed({four, offer({kRed, kRed}, 0)}) == 0);
  CHECK(missed({three, Offer{}}) == 4);
}

TEST_CASE("an unknown fabric is the last resort", "[verbs]") {
  // Behind any that is known, however the ranks like it, and behind routers.
  CHECK(common_fabric(std::vector{offer({kUnknown, kRed}), offer({kUnknown, kRed})}, 0) == kRed);
  CHECK(common_fabric(std::vector{offer({kRed, kUnknown}), offer({kBlue, kUnknown})}, 0) == kRed);
  const std::vector<Offer> last{offer({kRed, kUnknown}), offer({kUnknown})};
  for (const std::size_t rank : {0, 1}) CHECK(common_fabric(last, rank) == kUnknown);
}

TEST_CASE("GIDs of different kinds do not reach each other", "[verbs]") {
  const Fabric six{FabricKind::roce_v2_ipv6, 3, 0}, old{FabricKind::roce_v1_ipv4, 1, 0},
      other{FabricKind::roce_v1_ipv4, 2, 0};
  CHECK_FALSE(common_fabric(std::vector{offer({kRed}), offer({six})}, 0));
  CHECK_FALSE(common_fabric(std::vector{offer({kRed}), offer({kUnknown})}, 0));
  CHECK_FALSE(common_fabric(std::vector{offer({kRed}), offer({old})}, 0));
  CHECK_FALSE(common_fabric(std::vector{offer({old}), offer({other})}, 0));
}

TEST_CASE("further rails are on known fabrics, or repeat the first", "[verbs]") {
  const Offer both = offer({kRed, kUnknown, kUnknown}, 3), unknown = offer({kUnknown, kUnknown}, 3);
  CHECK(common_rails(std::vector{both, both}, 0) == std::vector{kRed});
  CHECK(common_rails(std::vector{unknown, both}, 0) == std::vector{kUnknown, kUnknown});
}

TEST_CASE("rails are different ports on every rank", "[verbs]") {
  // A port with addresses in two networks carries one rail.
  Offer one = offer({kRed, kBlue}, 2);
  one.ports = {1, 1};
  CHECK(common_rails(std::vector{one, offer({kRed, kBlue}, 2)}, 0) == std::vector{kRed});
  one.ports = {3, 1};
  const auto rails = common_rails(std::vector{one, offer({kRed, kBlue}, 2)}, 1);
  CHECK(rails == std::vector{kRed, kBlue});
}
