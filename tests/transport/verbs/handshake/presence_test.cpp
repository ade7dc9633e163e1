// A process that is stopped is told from one that runs, and from one that has ended.
#include "transport/verbs/handshake/presence.hpp"

#include <arpa/inet.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <string>

using namespace tutti::transport::verbs;

namespace {

ibv_gid gid_of(const char* address) {
  ibv_gid gid{};
  if (std::strchr(address, ':')) {
    REQUIRE(inet_pton(AF_INET6, address, gid.raw) == 1);
  } else {
    gid.raw[10] = gid.raw[11] = 0xff;
    REQUIRE(inet_pton(AF_INET, address, gid.raw + 12) == 1);
  }
  return gid;
}

// A process that answers as the handshake's thread does. A child that it leaves lives as long as
// this object, and no longer: whoever reads the test's output waits for the child, too.
class Process {
 public:
  explicit Process(const char* address, bool leaves_child = false) : gid_(gid_of(address)) {
    int told[2], lives[2];
    REQUIRE(pipe(told) == 0);
    REQUIRE(pipe(lives) == 0);
    id_ = fork();
    if (id_ == 0) {
      alarm(60);
      close(lives[1]);
      Presence presence(gid_, 0);
      if (leaves_child && fork() == 0) {
        alarm(60);
        char none;
        [[maybe_unused]] const auto bytes = ::read(lives[0], &none, 1);  // till the other end goes
        _exit(0);
      }
      const std::uint16_t port = presence.port();
      [[maybe_unused]] const auto written = ::write(told[1], &port, sizeof port);
      pollfd wait{presence.file(), POLLIN, 0};
      while (poll(&wait, 1, -1) >= 0) presence.answer();
      _exit(0);
    }
    REQUIRE(::read(told[0], &port_, sizeof port_) == sizeof port_);
    for (const int end : {told[0], told[1], lives[0]}) close(end);
    lives_ = lives[1];
  }
  ~Process() {
    end();
    close(lives_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  PresenceAddress address() const { return {gid_, port_}; }
  void stop() const {
    kill(id_, SIGSTOP);
    int status = 0;
    REQUIRE(waitpid(id_, &status, WUNTRACED) == id_);
  }
  void go_on() const { kill(id_, SIGCONT); }
  void end() {
    if (id_ == 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = 0;
  }

 private:
  const ibv_gid gid_;
  pid_t id_ = 0;
  int lives_ = -1;
  std::uint16_t port_ = 0;
};

// Whether the probes find `stopped` in the end: it takes the kernel and the process a moment.
bool stays(bool stopped, PresenceProbes& probes, const Process& rank) {
  constexpr int kLooks = 3000, kInARow = 5;
  for (int looks = 0, same = 0; looks < kLooks && same < kInARow; ++looks) {
    same = probes.is_stopped(1, rank.address()) == stopped ? same + 1 : 0;
    if (same == kInARow) return true;
    usleep(20000);
  }
  return false;
}

}  // namespace

TEST_CASE("who is stopped is present, and who runs need not be asked", "[verbs]") {
  Process rank(GENERATE("127.0.0.1", "::1"));
  REQUIRE(rank.address().port != 0);
  PresenceProbes probes(0);
  CHECK(stays(false, probes, rank));
  for (int i = 0; i < 3; ++i) {
    rank.stop();
    CHECK(stays(true, probes, rank));
    rank.go_on();
    CHECK(stays(false, probes, rank));
  }
}

TEST_CASE("who ends while it is stopped is not present any more", "[verbs]") {
  Process rank("127.0.0.1", GENERATE(false, true));
  PresenceProbes probes(0);
  rank.stop();
  CHECK(stays(true, probes, rank));
  rank.end();
  CHECK(stays(false, probes, rank));
}

TEST_CASE("where nobody listens, nobody is present", "[verbs]") {
  PresenceProbes probes(0);
  CHECK(Presence(gid_of("fe80::1234:5678:9abc:def0"), 0).port() == 0);  // as on InfiniBand
  CHECK_FALSE(probes.is_stopped(1, {gid_of("127.0.0.1"), 0}));
  probes.forget(1);
  const Process rank("127.0.0.1");
  for (int i = 0; i < 3; ++i) {
    rank.stop();
    CHECK(stays(true, probes, rank));
    probes.forget(1);
    rank.go_on();
  }
}
