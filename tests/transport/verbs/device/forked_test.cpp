// A child releases a device: its file, and what is mapped from it.
#include "transport/verbs/device/forked.hpp"

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/pages.hpp"

using tutti::page_bytes;
using tutti::transport::verbs::release_in_child;

namespace {

// A file whose line in /proc/self/maps looks like one of a device, and one that does not.
struct DeviceFolder {
  std::filesystem::path path;
  DeviceFolder() {
    std::string name = std::filesystem::temp_directory_path() / "tutti-forked-XXXXXX";
    path = mkdtemp(name.data());
    std::filesystem::create_directories(path / "a /dev/infiniband");
  }
  ~DeviceFolder() { std::filesystem::remove_all(path); }
  // Maps a file of two pages.
  std::byte* mapped(const char* file) const {
    const auto name = path / file;
    std::ofstream(name) << std::string(2 * page_bytes(), 'x');
    const int opened = open(name.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(opened >= 0);
    void* const memory = mmap(nullptr, 2 * page_bytes(), PROT_READ, MAP_SHARED, opened, 0);
    close(opened);
    REQUIRE(memory != MAP_FAILED);
    return static_cast<std::byte*>(memory);
  }
};

bool is_mapped(std::byte* memory) { return msync(memory, 2 * page_bytes(), MS_ASYNC) == 0; }

bool is_null_device(int file) {
  struct stat its {};
  struct stat null {};
  return fstat(file, &its) == 0 && stat("/dev/null", &null) == 0 && its.st_rdev == null.st_rdev &&
         S_ISCHR(its.st_mode);
}

// The status of a child that ends with what `test` returns.
template <class Test>
int status_of_child(Test&& test) {
  const pid_t child = fork();
  if (child == 0) _exit(test());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a child releases a device's file and memory, and nothing else", "[verbs]") {
  const DeviceFolder folder;
  std::byte* const device = folder.mapped("a /dev/infiniband/uverbs0");
  std::byte* const other = folder.mapped("other");
  std::byte* const second = folder.mapped("a /dev/infiniband/uverbs17");
  ibv_context context{};
  context.cmd_fd = open((folder.path / "other").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(context.cmd_fd >= 0);
  const int status = status_of_child([&] {
    release_in_child(context);
    return (is_mapped(device) ? 1 : 0) + (is_mapped(second) ? 2 : 0) + (is_mapped(other) ? 0 : 4) +
           (is_null_device(context.cmd_fd) ? 0 : 8);
  });
  CHECK(status == 0);
  // The parent has all of it still.
  CHECK(is_mapped(device));
  CHECK_FALSE(is_null_device(context.cmd_fd));
  close(context.cmd_fd);
  for (std::byte* const memory : {device, other, second}) munmap(memory, 2 * page_bytes());
}
