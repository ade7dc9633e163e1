// The choice of a rank's ports, and the reasons that it gives.
#include "transport/verbs/discovery/port_choice.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/transport/verbs/fabrics.hpp"

using namespace tutti::transport::verbs;
using namespace tutti::tests;

TEST_CASE("a choice is settled by the agreed fabric, and tells of each port", "[verbs]") {
  Candidate down = candidate("down", kRed, 400000);
  down.problem = "port 1 is DOWN";
  const std::vector<Candidate> all{down, candidate("fast", kBlue, 200000), candidate("a", kRed),
                                   candidate("b", kRed)};
  DeviceSettings settings;
  settings.other.local_rank = 1;
  const PortChoice choice(settings, all);
  const std::vector<Offer> node(2, choice.offer());
  CHECK(choice.settle(common_rails(node, 1), node)[0].device == "fast");
  const auto settled = choice.settle(std::vector{kRed}, node);
  REQUIRE(settled.size() == 1);
  CHECK(settled[0].device == "b");
  CHECK(settled[0].port == 1);
  std::string verdicts;
  for (const auto& [port, words] : choice.verdicts(settled))
    verdicts += port.device + ": " + words.substr(0, words.find(',')) + "; ";
  CHECK(verdicts ==
        "down: left out: port 1 is DOWN; fast: not taken; a: not taken; "
        "b: chosen: on the fabric that all ranks have; ");
  // A device that is not there says so when it is opened.
  DeviceSettings gone;
  gone.devices = {"gone"};
  CHECK(PortChoice(gone, all).settle({}, {})[0].device == "gone");
  // With others in the list it is told of.
  gone.devices = {"a", "gone"};
  CHECK(PortChoice(gone, all).missing() == std::vector<std::string>{"gone"});
}

TEST_CASE("a list may name devices that only some hosts have, but none that no host has",
          "[verbs]") {
  const auto choice = [](std::vector<std::string> names, const char* here) {
    DeviceSettings settings;
    settings.devices = std::move(names);
    std::vector<Candidate> all{candidate(here, kRed)};
    all[0].problem = std::string_view(here) == "down" ? "port 1 is DOWN" : "";
    return PortChoice(settings, all);
  };
  const auto error_of = [](std::initializer_list<PortChoice> choices) {
    std::vector<Offer> offers;
    for (const PortChoice& each : choices) offers.push_back(each.offer());
    std::string message;
    for (std::size_t rank = 0; rank < offers.size(); ++rank) {
      try {
        std::data(choices)[rank].check_list(offers, rank);
        message += "fine; ";
      } catch (const tutti::Error& error) {
        CHECK(error.code == tutti::Code::bad_configuration);
        message += error.message.substr(0, error.message.find(',')) + "; ";
      }
    }
    return message;
  };
  CHECK(error_of({choice({"a", "b"}, "a"), choice({"a", "b"}, "b")}) == "fine; fine; ");
  CHECK(error_of({choice({"a", "b"}, "a"), choice({"a", "b"}, "c")}) ==
        "the setting `device` names b; the setting `device` names b; ");
  // A device that cannot be used is there; those of other lists say nothing of this one.
  CHECK(error_of({choice({"down", "a"}, "down"), choice({"down", "a"}, "a")}) == "fine; fine; ");
  CHECK(error_of({choice({"a", "b"}, "a"), choice({"b"}, "b"), choice({}, "b")}) ==
        "the setting `device` names b; fine; fine; ");
  // If nothing is there, opening the first one says what there is.
  CHECK(error_of({choice({"gone", "lost"}, "a"), choice({}, "a")}) == "fine; fine; ");
}

TEST_CASE("a port is opened with the GID of the agreed fabric, and told of once", "[verbs]") {
  std::vector<Candidate> all{candidate("a", kRed), candidate("a", kBlue), candidate("b", kRed)};
  for (int i = 0; i < 3; ++i) all[static_cast<std::size_t>(i)].gid_index = i;
  const PortChoice choice(DeviceSettings{}, all);
  const std::vector<Offer> node{choice.offer()};
  CHECK(choice.settle(std::vector{kRed}, node)[0].gid_index == 0);
  const auto settled = choice.settle(std::vector{kBlue}, node);
  CHECK(settled[0].gid_index == 1);
  const auto verdicts = choice.verdicts(settled);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].words.substr(0, 6) == "chosen");
  CHECK(verdicts[1].words == "not taken");
}

TEST_CASE("if no port is usable, the error says why of each", "[verbs]") {
  Candidate warp = candidate("siw0", kRed), down = candidate("rxe0", kRed);
  warp.problem = "it is iWARP";
  down.problem = "port 1 is down";
  down.code = tutti::Code::port_down;
  const auto error_of = [](const std::vector<Candidate>& all, const char* name) {
    DeviceSettings settings;
    if (name) settings.devices = {name};
    try {
      PortChoice(settings, all).settle({}, {});
    } catch (const tutti::Error& error) {
      return std::pair(error.code, error.message.substr(0, error.message.find(';')));
    }
    return std::pair(tutti::Code::success, std::string());
  };
  using tutti::Code;
  CHECK(error_of({warp, down}, "siw0") ==
        std::pair(Code::no_device, std::string("there is no usable port (siw0: it is iWARP)")));
  CHECK(error_of({warp, down}, nullptr) ==
        std::pair(Code::port_down, std::string("there is no usable port (siw0: it is iWARP")));
}
