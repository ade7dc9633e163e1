// Files that killed jobs leave in /dev/shm.
#include "transport/named_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/transport/fresh_name.hpp"

using namespace tutti::transport;

namespace {

bool exists(const std::string& name) { return access(("/dev/shm" + name).c_str(), F_OK) == 0; }

// Jobs that begin beside this test remove leftovers, too: one may hold the file for a moment.
bool is_removed(const std::string& name) {
  for (int i = 0; i < 1000 && exists(name); ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    remove_leftovers();
  }
  return !exists(name);
}

}  // namespace

TEST_CASE("what a killed process leaves is removed, and what is in use stays", "[nodes]") {
  const std::string dead = fmt::format("{}{}-dead", kSegmentName, getpid()),
                    living = fmt::format("{}{}-living", kBeaconName, getpid()),
                    foreign = tutti::tests::fresh_name();
  const pid_t child = fork();
  if (child == 0) {
    if (create_named(dead) < 0 || !exists(dead)) _exit(1);
    close(shm_open(foreign.c_str(), O_CREAT | O_RDWR, 0600));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const int file = create_named(living);
  REQUIRE(file >= 0);
  CHECK(is_removed(dead));
  CHECK(exists(living));
  CHECK(exists(foreign));
  CHECK(create_named(living) == -1);
  CHECK(errno == EEXIST);
  close(file);
  CHECK(is_removed(living));
  shm_unlink(foreign.c_str());
}

TEST_CASE("nothing is removed from under who creates it", "[nodes]") {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) remove_leftovers();
  });
  for (int i = 0; i < 2000; ++i) {
    const std::string name = fmt::format("{}{}-{}", kSegmentName, getpid(), i);
    const int file = create_named(name);
    REQUIRE(file >= 0);
    CHECK(exists(name));
    shm_unlink(name.c_str());
    close(file);
  }
  done = true;
  other.join();
}
