// Topologies of machines that a test describes, and of this one.
#include "transport/topology_reader.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace tutti::transport;

namespace {

constexpr auto kSocket = Processors::Kind::package, kCacheOfData = Processors::Kind::cache,
               kCoreOfThreads = Processors::Kind::core;

Processors described(const std::string& synthetic) {
  TopologySource source;
  source.synthetic = synthetic;
  return read_processors(source);
}

}  // namespace

TEST_CASE("sockets, caches and cores of a machine", "[topology]") {
  const Processors machine = described(
      "package:2 numanode:2 l3:1(size=33554432) l2:2(size=1048576) l1d:1(size=49152) l1i:1 core:1 "
      "pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)");
  REQUIRE(machine.problem() == "");
  REQUIRE(machine.levels().size() == 5);
  const auto levels = machine.levels();
  CHECK(levels[0].kind == kSocket);
  for (const std::size_t cache : {1, 2, 3}) CHECK(levels[cache].kind == kCacheOfData);
  CHECK(levels[1].cache_level == 3);
  CHECK(levels[1].bytes == 33554432);
  CHECK(levels[2].cache_level == 2);
  CHECK(levels[2].bytes == 1048576);
  CHECK(levels[3].cache_level == 1);
  CHECK(levels[3].bytes == 49152);
  CHECK(levels[4].kind == kCoreOfThreads);
  CHECK(machine.threads().size() == 16);
  CHECK(machine.members(0, 0) == ThreadList{0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(machine.members(1, 0) == ThreadList{0, 1, 8, 9});
  CHECK(machine.members(4, 3) == ThreadList{3, 11});
  CHECK(machine.group_of(machine.last_cache(), ThreadList{2, 10, 3}) == 1);
}

TEST_CASE("a machine of one level, and a large one", "[topology]") {
  const Processors small = described("pu:3");
  REQUIRE(small.problem() == "");
  CHECK(small.threads().size() == 3);
  CHECK_FALSE(small.package());
  CHECK_FALSE(small.last_cache());
  const Processors large = described("package:8 l3:16 core:8 pu:2");
  CHECK(large.threads().size() == 2048);
  CHECK(large.members(0, 7).size() == 256);
  CHECK(large.members(2, 1023) == ThreadList{2046, 2047});
  const Processors odd = described("package:3 core:5 pu:1");
  CHECK(odd.members(0, 2) == ThreadList{10, 11, 12, 13, 14});
}

TEST_CASE("a machine by XML, of which one thread is not allowed here", "[topology]") {
  const auto object = [](const char* type, int number, const char* threads,
                         const std::string& children) {
    return fmt::format(
        R"(<object type="{}" os_index="{}" cpuset="{}" complete_cpuset="{}" allowed_cpuset="0x10" )"
        R"(nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1">{}</object>)",
        type, number, threads, threads, children);
  };
  TopologySource source;
  source.xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">)" +
               object("Machine", 0, "0x30",
                      object("NUMANode", 0, "0x30", "") +
                          object("Package", 0, "0x30",
                                 object("PU", 4, "0x10", "") + object("PU", 5, "0x20", ""))) +
               "</topology>";
  const Processors machine = read_processors(source);
  REQUIRE(machine.problem() == "");
  REQUIRE(machine.package());
  // Another rank may use what is not allowed here.
  CHECK(machine.members(*machine.package(), 0) == ThreadList{4, 5});
}

TEST_CASE("this machine", "[topology]") {
  const Processors machine = read_processors();
  REQUIRE(machine.problem() == "");
  CHECK(machine.threads().size() == static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  for (const int thread : bound_threads())
    CHECK(std::ranges::binary_search(machine.threads(), thread, {}, &Processors::Thread::number));
}

TEST_CASE("without hwloc or a description, one level is assumed and said", "[topology]") {
  TopologySource none;
  none.library = "libtutti-none.so.0";
  CHECK_THAT(read_processors(none).problem(),
             Catch::StartsWith("hwloc cannot be loaded: libtutti-none.so.0: cannot open"));
  CHECK(read_processors(none).levels().empty());
  TopologySource nonsense;
  nonsense.xml = "<topology";
  CHECK(read_processors(nonsense).problem() == "hwloc cannot read this machine's topology");
  CHECK(described("nonsense").problem() == "hwloc cannot read this machine's topology");
}
