// Facts that are read in sysfs, from files like the kernel's.
#include "transport/verbs/discovery/sysfs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

using namespace tutti::transport::verbs;

namespace {

// Files as the kernel shows them.
struct Sysfs {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / fmt::format("tutti-sysfs-{}", getpid());
  ~Sysfs() { std::filesystem::remove_all(root); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
};

}  // namespace

TEST_CASE("the distance of a device is that of the nearest NUMA node of the process", "[verbs]") {
  const Sysfs sysfs;
  const auto& root = sysfs.root;
  const auto write = [&](const std::string& path, const std::string& text) {
    sysfs.write(path, text);
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
  nodes("4000,0-1023", "5000,6000-6001");
  CHECK(distance_to("x", root) == 31);
  nodes("nonsense,0-1023", "0-");
  CHECK(distance_to("x", root) == 0);
  nodes(nowhere, nowhere);
  CHECK(distance_to("x", root) == 0);
  write("class/infiniband/x/device/numa_node", "-1");
  nodes(everywhere, nowhere);
  CHECK(distance_to("x", root) == 0);
  CHECK(distance_to("y", root) == 0);
}

TEST_CASE("the rate of a port is what the kernel says", "[verbs]") {
  const Sysfs sysfs;
  const auto rate = [&](const std::string& text) {
    sysfs.write("class/infiniband/x/ports/2/rate", text);
    return rate_of("x", 2, sysfs.root);
  };
  CHECK(rate("800 Gb/sec (4X XDR)") == 800000);
  CHECK(rate("2.5 Gb/sec (1X SDR)") == 2500);
  for (const char* const nonsense :
       {"", "x", "100", "-1 Gb/sec", "nan Gb/sec", "1e300 Gb/sec", "100 Mb/sec"})
    CHECK(rate(nonsense) == 0);
  CHECK(rate_of("x", 1, sysfs.root) == 0);
}
