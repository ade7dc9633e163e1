// A machine's processors are read once, late, and for all ranks of the node.
#include "transport/machine.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace tutti::transport;

namespace {

TopologySource machine_described(const char* synthetic) {
  TopologySource source;
  source.synthetic = synthetic;
  return source;
}

}  // namespace

TEST_CASE("without hwloc one level is assumed, and the log says so once", "[machine]") {
  std::vector<std::string> log;
  TopologySource none;
  none.library = "libtutti-none.so.0";
  Machine machine([&](std::string_view line) { log.emplace_back(line); }, none);
  int asked = 0;
  machine.share_by([&](const std::function<Machine::Words()>& find_out) {
    ++asked;
    CHECK(find_out().empty());  // so that a rank that has hwloc may read
    return Machine::Words{};
  });
  CHECK(log.empty());  // nothing was read yet
  CHECK(machine.processors().levels().empty());
  CHECK(&machine.processors() == &machine.processors());
  CHECK(asked == 1);
  REQUIRE(log.size() == 1);
  CHECK_THAT(log[0], Catch::StartsWith("hardware threads: one level is assumed, on which all are "
                                       "alike, as hwloc cannot be loaded: libtutti-none.so.0"));
}

TEST_CASE("other ranks take the processors that one rank has read", "[machine]") {
  Machine::Words board;
  const auto share = [&](const std::function<Machine::Words()>& find_out) {
    if (board.empty()) board = find_out();
    return board;
  };
  const auto no_log = [](std::string_view line) { FAIL(line); };
  Machine first(no_log, machine_described("package:2 pu:3"));
  Machine second(no_log, machine_described("package:1 pu:1"));
  first.share_by(share);
  second.share_by(share);
  CHECK(first.processors().threads().size() == 6);
  CHECK(second.processors().threads().size() == 6);
}

TEST_CASE("a rank that gets nothing, or nonsense, reads by itself", "[machine]") {
  const auto no_log = [](std::string_view line) { FAIL(line); };
  for (const std::size_t bytes : {0, 5, 100}) {
    Machine machine(no_log, machine_described("pu:3"));
    machine.share_by([&](const std::function<Machine::Words()>&) { return Machine::Words(bytes); });
    CHECK(machine.processors().threads().size() == 3);
  }
  Machine alone(no_log, machine_described("pu:4"));
  CHECK(alone.processors().threads().size() == 4);
}
