// The ranks of a node, as others see them: rank 0 is this process, rank 1 a child.
#include "transport/shm/members.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <vector>

#include "base/error.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::shm;

namespace {

// The memory and the file that a node of two ranks shares.
class TwoEntries {
 public:
  TwoEntries()
      : file_(memfd_create("tutti-members", 0)),
        entries_(static_cast<Member*>(mmap(nullptr, 2 * sizeof(Member), PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE((file_ >= 0 && static_cast<void*>(entries_) != MAP_FAILED));
    REQUIRE(ftruncate(file_, 2) == 0);
  }
  ~TwoEntries() {
    munmap(static_cast<void*>(entries_), 2 * sizeof(Member));
    close(file_);
  }
  TwoEntries(const TwoEntries&) = delete;
  TwoEntries& operator=(const TwoEntries&) = delete;
  Members of(int rank) const { return {entries_, 2, rank, file_}; }

 private:
  int file_;
  Member* entries_;
};

// A process of its own that is rank 1 until it is killed.
class RankOne {
 public:
  explicit RankOne(const TwoEntries& entries, Copy wanted = Copy::automatic) {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    id_ = fork();
    if (id_ == 0) {
      alarm(60);
      const Secret secret;
      Members members = entries.of(1);
      members.introduce(wanted, secret);
      _exit(write(pipe_ends[1], "", 1) == 1 && pause() != 0 ? 0 : 1);
    }
    close(pipe_ends[1]);
    char word;
    REQUIRE(read(pipe_ends[0], &word, 1) == 1);
    close(pipe_ends[0]);
  }
  ~RankOne() { end(); }
  RankOne(const RankOne&) = delete;
  RankOne& operator=(const RankOne&) = delete;

  pid_t id() const { return id_; }
  void end() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = 0;
  }

 private:
  pid_t id_ = 0;
};

}  // namespace

TEST_CASE("a member says who it is, and where its secret stands", "[shm]") {
  const TwoEntries entries;
  const Secret secret;
  Members members = entries.of(0);
  members.introduce(Copy::once, secret);
  CHECK(members[0].pid == getpid());
  CHECK(members[0].secret == secret.value());
  CHECK(members[0].secret_address == secret.address());
  CHECK((members[0].secret_is_own != 0) == secret.is_own());
  CHECK(members[0].wanted == Copy::once);
  CHECK(members[0].pid_namespace != 0);
}

TEST_CASE("a member lives as long as its process, and no longer", "[shm]") {
  const TwoEntries entries;
  const Secret secret;
  Members members = entries.of(0);
  members.introduce(Copy::automatic, secret);
  CHECK(members.lives(0));
  CHECK_FALSE(members.lives(1));  // it has not introduced itself
  RankOne other(entries);
  CHECK(members[1].pid == other.id());
  CHECK(members.same_namespace(1));
  CHECK(members.lives(1));
  CHECK_FALSE(members.dumps_core(1));
  kill(other.id(), SIGSTOP);
  int status = 0;
  waitpid(other.id(), &status, WUNTRACED);
  CHECK(members.lives(1));  // slow is not dead
  CHECK(members.state(1) == 'T');
  other.end();
  CHECK_FALSE(members.lives(1));
}

TEST_CASE("a process of another namespace is judged by its lock alone", "[shm]") {
  const TwoEntries entries;
  const Secret secret;
  Members members = entries.of(0);
  members.introduce(Copy::automatic, secret);
  RankOne other(entries);
  for (const std::uint64_t space : {std::uint64_t{0}, members[0].pid_namespace + 1}) {
    members[1].pid_namespace = space;
    CHECK_FALSE(members.same_namespace(1));
    CHECK(members.state(1) == '\0');
    CHECK_FALSE(members.dumps_core(1));
    CHECK(members.lives(1));
  }
  other.end();
  CHECK_FALSE(members.lives(1));
}

TEST_CASE("notices are read in their order, by number", "[shm]") {
  const TwoEntries entries;
  Members here = entries.of(0), there = entries.of(1);
  CHECK_FALSE(here.notice(1, 0));
  Notice notice{};
  for (std::uint32_t i = 0; i < Notices::kMost; ++i) {
    notice.bytes[0] = static_cast<std::byte>(i);
    CHECK(there.leave_notice(notice));
  }
  CHECK_FALSE(there.leave_notice(notice));  // no room
  for (std::uint32_t i = 0; i < Notices::kMost; ++i) {
    REQUIRE(here.notice(1, i));
    CHECK(here.notice(1, i)->bytes[0] == static_cast<std::byte>(i));
  }
  CHECK_FALSE(here.notice(1, Notices::kMost));
  CHECK_FALSE(here.notice(0, 0));
}

TEST_CASE("ranks agree on the way to copy that asks for the most copies", "[shm]") {
  for (const Copy mine : {Copy::automatic, Copy::once, Copy::twice})
    for (const Copy other : {Copy::automatic, Copy::once, Copy::twice}) {
      INFO(name_of(mine) << ' ' << name_of(other));
      const TwoEntries entries;
      const Secret secret;
      Members members = entries.of(0);
      members.introduce(mine, secret);
      const RankOne one(entries, other);
      // A child may always be reached by its parent.
      const CopyAgreement agreed = members.agree_to_copy([](std::int64_t value) { return value; });
      CHECK(agreed.copy == std::max(mine, other));
      CHECK(agreed.reason == (agreed.copy == Copy::automatic ? "the default"
                              : agreed.copy == mine          ? "as set"
                                                             : "as another rank has set"));
    }
}

TEST_CASE("ranks that cannot reach each other copy twice, and say why", "[shm]") {
  const TwoEntries entries;
  const Secret secret;
  Members members = entries.of(0);
  members.introduce(Copy::automatic, secret);
  const RankOne other(entries);
  const auto alone = [](std::int64_t value) { return value; };
  SECTION("another process has the number of the one that was there") {
    members[1].secret = members[1].secret + 1;
    const CopyAgreement agreed = members.agree_to_copy(alone);
    CHECK(agreed.copy == Copy::twice);
    CHECK_THAT(agreed.reason, Catch::Contains("does not let 1 of 2 ranks"));
  }
  SECTION("no other rank has a number that means anything here") {
    members[1].pid_namespace = 0;
    const CopyAgreement agreed = members.agree_to_copy(alone);
    CHECK(agreed.copy == Copy::twice);
    CHECK_THAT(agreed.reason, Catch::Contains("PID namespace"));
  }
  SECTION("what another rank has written is no way to copy") {
    members[1].wanted = static_cast<Copy>(9);
    try {
      members.agree_to_copy(alone);
      FAIL("it is believed");
    } catch (const Error& error) {
      CHECK(error.code == Code::transport_failed);
      CHECK_THAT(error.message, Catch::Contains("rank 1 of this node"));
    }
  }
}
