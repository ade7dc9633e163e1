// How the ranks of a node agree on their copies: processes of their own, as only between processes
// the kernel may forbid anything.
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <optional>

#include "tests/protocols/pair.hpp"
#include "tests/transport/fresh_name.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/memory.hpp"

using namespace tutti;
using namespace tutti::tests;
using transport::shm::Copy;
using transport::shm::Segment;

namespace {

constexpr int kFailed = 99;

// The agreement of the processes that want these, each process's answer as a number.
std::vector<int> agreed(const std::vector<Copy>& wanted) {
  const std::string name = tutti::tests::fresh_name();
  const SharedMeeting meeting(static_cast<int>(wanted.size()));
  std::vector<pid_t> children;
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    const pid_t child = fork();
    if (child == 0) {
      int code = kFailed;
      try {
        code = static_cast<int>(Segment(name, static_cast<int>(r), static_cast<int>(wanted.size()),
                                        kUsual, wanted[r], std::ref(meeting))
                                    .copy());
      } catch (...) {
      }
      _exit(code);
    }
    children.push_back(child);
  }
  std::vector<int> answers;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    answers.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : kFailed);
  }
  return answers;
}

// Whether this process may reach its own child: no seccomp filter, and no Yama above level 1,
// forbids it.
bool may_reach_children() {
  static int value = 7;
  int ready[2];
  if (pipe(ready) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    close(ready[1]);
    char byte;
    _exit(read(ready[0], &byte, 1) == 0 ? 0 : 1);
  }
  int copy = 0;
  iovec mine{&copy, sizeof copy}, theirs{&value, sizeof value};
  const bool may = process_vm_readv(child, &mine, 1, &theirs, 1, 0) == sizeof copy && copy == 7;
  close(ready[0]);
  close(ready[1]);
  waitpid(child, nullptr, 0);
  return may;
}

std::vector<int> all(std::size_t ranks, Copy copy) {
  return std::vector<int>(ranks, static_cast<int>(copy));
}

}  // namespace

TEST_CASE("two copies of one rank are two of all, and one copy is one of all", "[shm]") {
  const bool may = may_reach_children();
  using enum Copy;
  CHECK(agreed({automatic, twice, once}) == all(3, twice));
  CHECK(agreed({automatic, once, automatic}) == all(3, may ? once : twice));
}

// Where Yama lets a process reach its descendants only (ptrace_scope is 1, the usual value of some
// distributions), these children of one process reach each other because they permit it. Where it
// does not, they reach each other anyway.
TEST_CASE("ranks of one user reach each other's memory, also under Yama", "[shm]") {
  std::optional<int> scope;
  if (int value = 0; std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> value) scope = value;
  INFO("ptrace_scope " << (scope ? std::to_string(*scope) : "does not exist"));
  CHECK(agreed({Copy::automatic, Copy::automatic, Copy::automatic}) ==
        all(3, may_reach_children() ? Copy::automatic : Copy::twice));
}
