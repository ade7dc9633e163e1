#include "tools/busy.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace tutti::tools {
namespace {

constexpr const char* kStat =
    "cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 7 1\nctxt 9\nprocs_running 4\nprocs_blocked "
    "1\n";

Host host(int ranks, int cpus, Load load) {
  return {.name = "node", .ranks = ranks, .cpus = cpus, .load = load};
}

}  // namespace

TEST_CASE("the kernel's counts of threads are read", "[busy]") {
  const auto load = parse_load("2.75 1.20 0.50 4/321 99\n", kStat);
  REQUIRE(load);
  CHECK(load->last_minute == 2.75);
  CHECK(load->running == 3);  // without the one that reads
  CHECK(load->cpus == 2);
  CHECK(parse_load("0.00 0 0", "cpu0 1\nprocs_running 0")->running == 0);
}

TEST_CASE("what is no count of threads says nothing", "[busy]") {
  CHECK_FALSE(parse_load("", ""));
  CHECK_FALSE(parse_load("x", kStat));
  CHECK_FALSE(parse_load("nan", kStat));
  CHECK_FALSE(parse_load("-1", kStat));
  CHECK_FALSE(parse_load("1", "cpu  1 2\nprocs_running 1\n"));  // no CPU of its own
  CHECK_FALSE(parse_load("1", "cpu0 1\nprocs_running\n"));
  CHECK_FALSE(parse_load("1", "cpu0 1\nprocs_running many\n"));
  CHECK_FALSE(parse_load("1", "cpu0 1\n"));
}

TEST_CASE("a machine is busy if others need more than the ranks leave free", "[busy]") {
  CHECK_FALSE(host(2, 2, {.last_minute = 0.4, .running = 0, .cpus = 2}).busy());
  CHECK(host(2, 2, {.last_minute = 0.4, .running = 1, .cpus = 2}).busy());
  CHECK(host(2, 2, {.last_minute = 1.5, .running = 0, .cpus = 2}).busy());
  CHECK_FALSE(host(2, 8, {.last_minute = 6, .running = 6, .cpus = 8}).busy());
  CHECK(host(2, 8, {.last_minute = 0, .running = 7, .cpus = 8}).busy());
  // More ranks than CPUs leave none.
  CHECK_FALSE(host(8, 2, {.last_minute = 0.9, .running = 0, .cpus = 2}).busy());
  CHECK(host(8, 2, {.last_minute = 0, .running = 1, .cpus = 2}).busy());
  // A container's share of what the whole machine does.
  CHECK_FALSE(host(2, 4, {.last_minute = 30, .running = 30, .cpus = 64}).busy());
  CHECK(host(2, 4, {.last_minute = 30, .running = 60, .cpus = 64}).busy());
  CHECK_FALSE(Host{}.busy());  // the kernel does not tell
}

TEST_CASE("hosts that share a kernel do not take each other's look for work", "[busy]") {
  const Load load{.last_minute = 0.1, .running = 3, .cpus = 1};
  std::vector<Host> hosts{host(1, 1, load), host(1, 1, load), host(1, 1, load), host(1, 1, load)};
  leave_out_lookers(hosts);
  CHECK(hosts[0].load.running == 3);  // nothing is known of kernels
  hosts[0].kernel = hosts[1].kernel = hosts[2].kernel = "one";
  hosts[3].kernel = "another";
  leave_out_lookers(hosts);
  CHECK(hosts[0].load.running == 1);
  CHECK(hosts[2].load.running == 1);
  CHECK(hosts[3].load.running == 3);
  leave_out_lookers(hosts);
  CHECK(hosts[1].load.running == 0);  // not below
  CHECK_FALSE(hosts[1].busy());
  CHECK(hosts[3].busy());
  CHECK(kernel_here() == kernel_here());
}

TEST_CASE("busy hosts are named in one line", "[busy]") {
  const Host quiet = host(1, 2, {.last_minute = 0, .running = 0, .cpus = 2}),
             busy = host(2, 2, {.last_minute = 2.5, .running = 3, .cpus = 2});
  CHECK(busy_line({}).empty());
  CHECK(busy_line(std::vector{quiet, quiet}).empty());
  const std::string line = busy_line(std::vector{quiet, busy});
  CHECK_THAT(line, Catch::Contains("node (3 other threads run, 2.5 in the last minute; 2 ranks on "
                                   "2 CPUs)"));
  CHECK_THAT(busy_line(std::vector(9, busy)), Catch::Contains("and 5 more"));
  CHECK_THAT(busy_line(std::vector(9, busy)), !Catch::Contains("\n"));
  CHECK(json_of(busy)["busy"] == true);
  CHECK(json_of(quiet)["busy"] == false);
}

TEST_CASE("the load of this machine is no less than nothing", "[busy]") {
  const Load load = load_here();
  CHECK(load.running >= 0);
  CHECK(load.cpus >= 1);
}

}  // namespace tutti::tools
