// Which port a rank takes, of which fabric.
#include "transport/verbs/discovery/ports.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "tests/transport/verbs/fabrics.hpp"

using namespace tutti::transport::verbs;
using namespace tutti::tests;

namespace {

std::string names(const std::vector<Candidate>& all) {
  std::string result;
  for (const Candidate& c : all) result += (result.empty() ? "" : " ") + c.device;
  return result;
}

Offer offer_of_fabrics(std::initializer_list<Fabric> fabrics) {
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

TEST_CASE("an offer names each fabric once, and has an end", "[verbs]") {
  CHECK(offer_of_fabrics({kRed, kRed, kBlue, kRed}).count == 2);
  std::vector<Candidate> many;
  for (std::uint64_t i = 0; i < 20; ++i)
    many.push_back(candidate("x", {FabricKind::roce_v2_ipv4, i, 0}));
  CHECK(offer_of(many, 1, false).count == Offer::kMost);
}

TEST_CASE("the ranks of a node use its equal adapters in turn", "[verbs]") {
  const auto all = ranked({candidate("a", kRed), candidate("b", kBlue), candidate("c", kRed),
                           candidate("far", kRed, 100000, 11)},
                          false);
  const auto device = [&](const Fabric& fabric, int local_rank, bool in_order) {
    const std::vector<Offer> node(4, offer_of(all, 1, in_order));
    return all[share(all, {&fabric, 1}, node, local_rank, in_order)[0]].device;
  };
  CHECK(device(kRed, 0, false) == "a");
  CHECK(device(kRed, 1, false) == "c");
  CHECK(device(kRed, 2, false) == "a");
  CHECK(device(kBlue, 3, false) == "b");
  // All devices that are named are used.
  CHECK(device(kRed, 2, true) == "far");
  CHECK(reason(all, 0, false).find("in turn") != std::string::npos);
  CHECK(reason(all, 0, true) == "as set");
}

TEST_CASE("a rank's rails are its share of the node's equal ports", "[verbs]") {
  std::vector<Candidate> all{candidate("a", kRed), candidate("b", kBlue), candidate("c", kRed),
                             candidate("d", kRed), candidate("slow", kRed, 25000)};
  const auto rails = [&](std::size_t ranks, bool in_order) {
    return rails_wanted(std::vector(ranks, offer_of(all, 0, in_order)));
  };
  CHECK(rails(1, false) == 4);
  CHECK(rails(2, false) == 2);
  CHECK(rails(3, false) == 1);
  CHECK(rails(100, false) == 1);
  CHECK(rails(2, true) == 2);
  CHECK(rails_wanted(std::vector{offer_of(all, 3, false), offer_of(all, 0, false, 1)}) == 3);
  CHECK(rails_wanted(std::vector{offer_of({}, 0, false), offer_of(all, 0, false)}) == 4);
  for (Candidate& c : all) c.software = true;
  CHECK(rails(1, false) == 1);
}

TEST_CASE("ranks that are near other ports share none", "[verbs]") {
  // Two adapters near each of two sockets.
  const auto offer_of_fabrics = [](bool first, int node) {
    const int near = first ? 0 : 11, far = 11 - near;
    return offer_of(ranked({candidate("a", kRed, 100000, near), candidate("b", kRed, 100000, near),
                            candidate("c", kRed, 100000, far), candidate("d", kRed, 100000, far)},
                           false),
                    0, false, node);
  };
  CHECK(rails_wanted(std::vector{offer_of_fabrics(true, 0), offer_of_fabrics(false, 0)}) == 2);
  CHECK(rails_wanted(std::vector{offer_of_fabrics(true, 0), offer_of_fabrics(true, 1)}) == 2);
  CHECK(rails_wanted(std::vector{offer_of_fabrics(true, 0), offer_of_fabrics(false, 0),
                                 offer_of_fabrics(false, 0)}) == 1);
}

TEST_CASE("the rails of a node's ranks are different ports", "[verbs]") {
  const std::vector<Candidate> all{candidate("a", kRed), candidate("b", kRed),
                                   candidate("c", kBlue), candidate("d", kRed),
                                   candidate("e", kRed)};
  const std::vector<Fabric> rails{kRed, kRed, kBlue};
  const std::vector<Offer> node(3, offer_of(all, 3, false));
  CHECK(share(all, rails, node, 0, false) == std::vector<std::size_t>{0, 1, 2});
  CHECK(share(all, rails, node, 1, false) == std::vector<std::size_t>{3, 4, 2});
  CHECK(share(all, rails, node, 2, false) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("a port in a known network comes before a faster one with link-local addresses only",
          "[verbs]") {
  std::vector<Candidate> all{candidate("fast", kUnknown, 400000), candidate("slow", kRed, 25000),
                             candidate("none", kUnknown, 400000)};
  all[0].unassigned = true;
  CHECK(names(ranked(all, false)) == "slow none fast");
  CHECK(names(ranked(all, true)) == "slow none fast");
}

TEST_CASE("where the network is unknown all ranks take the same port", "[verbs]") {
  // This rank is near the second one, others may be near the first.
  const auto all = ranked(
      {candidate("a", kUnknown, 100000, 11), candidate("b", kUnknown), candidate("c", kUnknown)},
      false);
  const std::vector<Offer> node(3, offer_of(all, 1, false));
  for (const int rank : {0, 1, 2})
    CHECK(share(all, std::vector{kUnknown}, node, rank, false) == std::vector<std::size_t>{0});
  CHECK(share(all, std::vector{kUnknown, kUnknown}, node, 1, false) ==
        std::vector<std::size_t>{0, 1});
  CHECK(reason(all, 0, false).find("in turn") == std::string::npos);
  CHECK(rails_wanted(std::vector{offer_of(all, 0, false)}) == 1);
}

TEST_CASE("adapters of InfiniBand with the default prefix are used in turn", "[verbs]") {
  const Fabric other{FabricKind::infiniband, kInfiniBand.subnet, 7};
  const auto all = ranked(
      {candidate("a", kInfiniBand), candidate("other", other), candidate("b", kInfiniBand)}, false);
  const std::vector<Offer> node(2, offer_of(all, 1, false));
  const std::vector<Fabric> rail{kInfiniBand};
  CHECK(all[share(all, rail, node, 0, false)[0]].device == "a");
  CHECK(all[share(all, rail, node, 1, false)[0]].device == "b");
}

TEST_CASE("ranks take turns with those that are near the same ports", "[verbs]") {
  // Two adapters near each of two sockets; every second rank is near the first.
  const auto seen_from = [](bool first) {
    const int near = 0, far = 11;
    return ranked({candidate("a", kRed, 100000, first ? near : far),
                   candidate("b", kRed, 100000, first ? near : far),
                   candidate("c", kRed, 100000, first ? far : near),
                   candidate("d", kRed, 100000, first ? far : near)},
                  false);
  };
  std::vector<Offer> node;
  for (const int rank : {0, 1, 2, 3, 4})
    node.push_back(offer_of(seen_from(rank % 2 == 0), 1, false));
  std::string used;
  for (const int rank : {0, 1, 2, 3, 4}) {
    const auto all = seen_from(rank % 2 == 0);
    used += all[share(all, std::vector{kRed}, node, rank, false)[0]].device;
  }
  CHECK(used == "acbda");
}

TEST_CASE("a port on two networks is one rail", "[verbs]") {
  const std::vector<Candidate> one{candidate("a", kRed), candidate("a", kBlue)};
  CHECK(rails_wanted(std::vector{offer_of(one, 0, false)}) == 1);
  CHECK(reason(one, 1, false) == "the only usable one");
  CHECK(common_rails(std::vector{offer_of(one, 2, false)}, 0) == std::vector{kRed});
  // The first rail must leave `a` to the second, which has no other.
  const std::vector<Candidate> two{candidate("a", kRed), candidate("a", kBlue),
                                   candidate("b", kRed)};
  const std::vector<Offer> node{offer_of(two, 2, false)};
  const auto rails = common_rails(node, 0);
  CHECK(rails == std::vector{kRed, kRed});
  CHECK(share(two, std::vector{kRed, kBlue}, node, 0, false) == std::vector<std::size_t>{2, 1});
}

TEST_CASE("what settings name and the host does not have is told, with what it has", "[verbs]") {
  std::vector<Candidate> all{candidate("mlx0", kRed), candidate("mlx0", kInfiniBand),
                             candidate("mlx1", kRed)};
  all[2].port = 2;
  const std::vector<std::string> none, one{"mlx0"}, mixed{"mlx1", "rxe7"};
  CHECK(not_there(all, none, 0).empty());
  CHECK(not_there(all, one, 1).empty());
  CHECK(not_there(all, none, 2).empty());
  CHECK(not_there(all, mixed, 0) ==
        "the setting `device` names rxe7, which this host does not have; it has mlx0, mlx1");
  CHECK(not_there({}, one, 0) ==
        "the setting `device` names mlx0, which this host does not have; it has no RDMA device");
  CHECK(not_there(all, one, 2) ==
        "the setting `port` is 2, and no device that `device` names has such a port; this host has "
        "port 1 of mlx0, port 2 of mlx1");
  CHECK(not_there({}, none, 1) ==
        "the setting `port` is 1, and no device has such a port; this host has no RDMA device");
}
