// Memory without a name: who finds it, and what a segment does with it.
#include "transport/shm/anonymous.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <utility>

#include "tests/transport/fresh_name.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/memory.hpp"

using namespace tutti::transport;
using namespace tutti::transport::shm;
using tutti::tests::SharedMeeting;

namespace {

// The exit status of a child that does this, from 0 to 255.
int child(const std::function<int()>& work) {
  const pid_t id = fork();
  if (id == 0) {
    alarm(60);
    int status = 255;
    try {
      status = work();
    } catch (...) {
    }
    _exit(status);
  }
  int status = 0;
  waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

constexpr InboxShape kRoomyShape{{{{128, 16}, {1088, 16}, {16448, 8}, {64, 16}, {64, 16}}}};

}  // namespace

TEST_CASE("anonymous memory is found by what its owner says, and nothing else is", "[shm]") {
  AnonymousMemory memory;
  const int file = make_anonymous(4096, memory);
  REQUIRE(file >= 0);
  CHECK(child([&] {
          const int mine = open_anonymous(memory);
          return mine >= 0 && write(mine, "x", 1) == 1 ? 7 : 1;
        }) == 7);
  char got = 0;
  CHECK((pread(file, &got, 1, 0) == 1 && got == 'x'));
  const auto opens = [](AnonymousMemory wrong) { return open_anonymous(wrong) >= 0; };
  AnonymousMemory wrong = memory;
  wrong.pid_namespace += 1;
  CHECK_FALSE(opens(wrong));
  wrong = memory;
  wrong.inode += 1;
  CHECK_FALSE(opens(wrong));
  wrong = memory;
  wrong.file = 0;  // something else of this process
  CHECK_FALSE(opens(wrong));
  wrong = memory;
  wrong.pid = 1 << 30;
  CHECK_FALSE(opens(wrong));
  close(file);
  CHECK_FALSE(opens(memory));
}

TEST_CASE("the inboxes of a segment may be in memory without a name", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  const SharedMeeting meeting(2);
  // One of two processes that write to each other. Gives 1 if anonymous, plus 2 if it takes memory.
  const auto rank = [&](int r, Memory memory) {
    Segment segment(name, r, 2, kRoomyShape, Copy::twice, std::ref(meeting), memory);
    segment.connect(1 - r);
    const auto word = [&](int to, int from) -> std::atomic<std::uint32_t>& {
      return *reinterpret_cast<std::atomic<std::uint32_t>*>(segment.inbox(to, from));
    };
    word(1 - r, r) = 5;
    while (word(r, 1 - r) != 5) sched_yield();
    const std::size_t taken = segment.bytes_taken();
    return (segment.anonymous() ? 1 : 0) + (taken >= 2 * first_bytes() ? 2 : 0);
  };
  for (const auto& [memory, found] : {std::pair(Memory::file, 2), std::pair(Memory::anonymous, 3)})
    CHECK(child([&, wanted = memory] {
            const pid_t other = fork();
            if (other == 0) _exit(rank(1, Memory::automatic));
            const int first = rank(0, wanted);
            int status = 0;
            waitpid(other, &status, 0);
            return WIFEXITED(status) && WEXITSTATUS(status) == first ? first : 255;
          }) == found);
  CHECK(access(("/dev/shm" + name).c_str(), F_OK) != 0);
}
