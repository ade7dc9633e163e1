// hwloc in its own namespace: it finds this machine, and the program's variables do not count.
#include "transport/hwloc_library.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <thread>
#include <vector>

using tutti::transport::HwlocLibrary;

namespace {

// The number of hardware threads by hwloc; -1: it cannot tell.
int hwloc_threads(const HwlocLibrary& hwloc) {
  hwloc_topology_t topology = nullptr;
  if (hwloc.topology_init(&topology) != 0) return -1;
  int threads = -1;
  if (hwloc.topology_load(topology) == 0)
    threads = static_cast<int>(
        hwloc.get_nbobjs_by_depth(topology, hwloc.topology_get_depth(topology) - 1));
  hwloc.topology_destroy(topology);
  return threads;
}

}  // namespace

TEST_CASE("hwloc is loaded, again and again", "[hwloc]") {
  for (int i = 0; i < 40; ++i) {
    const HwlocLibrary hwloc;
    REQUIRE(hwloc.problem() == "");
    CHECK(hwloc_threads(hwloc) == sysconf(_SC_NPROCESSORS_ONLN));
  }
}

TEST_CASE("threads that load hwloc at once take turns, and use nothing up", "[hwloc]") {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) wrong += !HwlocLibrary().problem().empty();
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("a library that is not hwloc is not used, and the problem is told", "[hwloc]") {
  CHECK_THAT(HwlocLibrary("libtutti-none.so.0").problem(),
             Catch::Contains("libtutti-none.so.0: cannot open"));
  CHECK_THAT(HwlocLibrary("libm.so.6").problem(), Catch::Contains("hwloc_topology_init"));
}

// Run by the test below, in a process whose variables would make hwloc see another machine.
TEST_CASE("a child that counts its hardware threads", "[.hwloc-child]") {
  const std::string before = getenv("HWLOC_SYNTHETIC");
  REQUIRE(before == "pu:77");
  CHECK(hwloc_threads(HwlocLibrary()) == sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(getenv("HWLOC_SYNTHETIC") == before);
  CHECK(getenv("HWLOC_COMPONENTS") == nullptr);
}

TEST_CASE("variables and plugins of the program's hwloc do not count", "[hwloc]") {
  std::string plugins = (std::filesystem::temp_directory_path() / "tutti-plugins-XXXXXX").string();
  REQUIRE(mkdtemp(plugins.data()));
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  REQUIRE(inotify_add_watch(watch, plugins.c_str(), IN_OPEN) >= 0);
  const std::string command =
      fmt::format("HWLOC_SYNTHETIC=pu:77 HWLOC_PLUGINS_PATH={} {} '[.hwloc-child]' >&2", plugins,
                  std::filesystem::read_symlink("/proc/self/exe").string());
  CHECK(std::system(command.c_str()) == 0);
  char events[4096];
  CHECK(read(watch, events, sizeof events) < 0);  // nobody has opened the folder
  close(watch);
  std::filesystem::remove_all(plugins);
}
