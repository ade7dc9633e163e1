// Hardware threads as sysfs describes them: on a machine that is made up, and on this one.
#include "transport/sysfs_processors.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using namespace tutti::transport;

namespace {

// A folder like /sys/devices/system/cpu.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tutti-cpu-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text << '\n';
  }
  void write_cache(int thread, int index, const char* type, int level, const char* threads) const {
    const auto cache = fmt::format("cpu{}/cache/index{}/", thread, index);
    write(cache + "type", type);
    write(cache + "level", fmt::format("{}", level));
    write(cache + "size", "2048K");
    write(cache + "shared_cpu_list", threads);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("lists of threads", "[processors]") {
  CHECK(parse_threads("0-3,8") == ThreadList{0, 1, 2, 3, 8});
  CHECK(parse_threads("5") == ThreadList{5});
  CHECK(parse_threads("0,2-3,64-65") == ThreadList{0, 2, 3, 64, 65});
  CHECK(parse_threads("").empty());
  CHECK(parse_threads("none").empty());
}

TEST_CASE("threads that share a socket, a core and caches", "[processors]") {
  const Folder folder;
  folder.write("online", "0-7");
  folder.write("cpu2/topology/core_siblings_list", "0,2,4,6");
  folder.write("cpu2/topology/thread_siblings_list", "2,6");
  folder.write_cache(2, 0, "Data", 1, "2,6");
  folder.write_cache(2, 1, "Instruction", 1, "2,6");
  folder.write_cache(2, 2, "Unified", 2, "2,6");
  folder.write_cache(2, 3, "Unified", 3, "0,2,4,6");
  const SysfsProcessors machine(folder.path());
  CHECK(machine.online().size() == 8);
  CHECK(machine.package_of(2) == ThreadList{0, 2, 4, 6});
  CHECK(machine.core_of(2) == ThreadList{2, 6});
  const auto caches = machine.caches_of(2);
  REQUIRE(caches.size() == 3);
  CHECK(caches[0].level == 3);
  CHECK(caches[0].threads == ThreadList{0, 2, 4, 6});
  CHECK(caches[2].level == 1);
  CHECK(caches[2].size == "2048K");
}

TEST_CASE("a kernel that does not tell", "[processors]") {
  const Folder folder;
  const SysfsProcessors machine(folder.path());
  CHECK(machine.online().empty());
  CHECK(machine.package_of(0).empty());
  CHECK(machine.caches_of(0).empty());
}
