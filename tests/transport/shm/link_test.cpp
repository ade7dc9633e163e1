// The link over shared memory where the peer's process is not what it was.
#include "transport/shm/link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>

using namespace tutti::transport;
using namespace tutti::transport::shm;
using namespace std::chrono_literals;

namespace {

constexpr InboxShape kShape{{{{64, 4}, {1088, 4}, {4160, 2}, {64, 4}, {64, 4}}}};

// A process with local rank 1, which ends or becomes another program when it is told to.
class Peer {
 public:
  explicit Peer(const std::string& segment, bool becomes_another = false, Copy copy = Copy::once) {
    REQUIRE(pipe2(word_, O_CLOEXEC) == 0);
    id_ = fork();
    if (id_ != 0) return;
    alarm(30);
    try {
      Segment mine(segment, 1, 2, kShape, copy, 20s);
      char got;
      [[maybe_unused]] const auto told = read(word_[0], &got, 1);
      if (becomes_another) execlp("sleep", "sleep", "30", nullptr);
    } catch (...) {
    }
    _exit(0);
  }
  ~Peer() {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    for (const int end : word_) close(end);
  }
  void tell() const { REQUIRE(write(word_[1], "", 1) == 1); }
  pid_t id() const { return id_; }

 private:
  int word_[2];
  pid_t id_;
};

}  // namespace

TEST_CASE("a process that has ended, or runs another program, is never written to", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  const Peer peer(name, GENERATE(false, true));
  Segment segment(name, 0, 2, kShape, Copy::once, 20s);
  segment.allocate_pair(0, 1);
  REQUIRE(segment.copy(1) == Copy::once);
  ShmLink link(kShape, 1, segment, 0, 1);
  REQUIRE(link.state() == State::ready);
  link.probe();
  CHECK(link.state() == State::ready);
  const std::uint64_t place = segment.member(1).probe_address;
  peer.tell();
  while (segment.lives(1)) usleep(1000);
  // Its pid is still there, as a zombie or as a program.
  CHECK(kill(peer.id(), 0) == 0);
  const std::byte byte{1};
  std::uint64_t ticket = 0;
  CHECK(link.write(&byte, {}, {place, 1, {}}, 1, std::nullopt, &ticket) == Post::failed);
  CHECK(link.failure_code() == tutti::Code::peer_failed);
}

namespace {
constexpr InboxShape kLarge{{{{128, 64}, {1088, 64}, {16448, 16}, {64, 16}, {64, 16}}}};
}

TEST_CASE("a ring takes memory when it is first written to", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  Segment segment(name, 0, 1, kLarge, Copy::twice, 20s);
  const auto taken = [&, before = segment.bytes_taken()] { return segment.bytes_taken() - before; };
  segment.allocate_pair(0, 0);
  CHECK(taken() == segment.first_bytes_per_pair() / 2);
  CHECK(segment.first_bytes_per_pair() <= 32768);
  const std::uint32_t first = first_slots(kLarge);
  ShmLink link(kLarge, 0, segment, 0, 0);
  const std::vector<std::byte> payload(16000, std::byte{7});
  const auto put = [&](Ring ring, std::uint32_t sequence, std::uint32_t bytes) {
    const std::uint32_t index = kLarge[ring].index_of(sequence);
    CHECK_FALSE(link.arrived(ring, sequence));
    REQUIRE(link.put(ring, index, payload.data(), {{}, bytes, 0, sequence}) == Post::done);
    CHECK(link.arrived(ring, sequence));
    CHECK(link.trailer(ring, sequence)->bytes == bytes);
    CHECK_FALSE(link.arrived(ring, sequence + 1));  // which a peer polls at once
  };
  std::size_t before = taken();
  for (std::uint32_t sequence = 1; sequence < first; ++sequence) put(Ring::line, sequence, 8);
  CHECK(taken() == before);
  REQUIRE(first < 64);
  for (std::uint32_t sequence = first; sequence <= 64; ++sequence) put(Ring::line, sequence, 8);
  CHECK(taken() > before);
  before = taken();
  for (std::uint32_t sequence = 65; sequence <= 200; ++sequence) put(Ring::line, sequence, 8);
  CHECK(taken() == before);
  put(Ring::eager, 1, 16000);
  CHECK(taken() > before);
  CHECK(taken() < before + 50000);  // two slots, and the pages that they begin and end in
  for (std::uint32_t sequence = 2; sequence <= 40; ++sequence) put(Ring::eager, sequence, 16000);
  before = taken();
  for (std::uint32_t sequence = 41; sequence <= 80; ++sequence) put(Ring::eager, sequence, 16000);
  CHECK(taken() == before);
  for (const Ring ring : {Ring::small, Ring::ready, Ring::control})
    for (std::uint32_t sequence = 1; sequence <= 100; ++sequence) put(ring, sequence, 32);
  for (std::uint32_t sequence = 201; sequence <= 300; ++sequence) put(Ring::line, sequence, 8);
  CHECK(taken() <= segment.most_bytes_per_pair() / 2);
}

TEST_CASE("a long payload says how it was stored, and its reader what that cost", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  Segment segment(name, 0, 1, kLarge, Copy::twice, 20s);
  segment.allocate_pair(0, 0);
  ShmLink link(kLarge, 0, segment, 0, 0);
  const std::vector<std::byte> payload(16000, std::byte{7});
  const auto stored = [&](std::uint32_t sequence, std::uint32_t bytes, bool more) {
    const Trailer trailer{{}, {bytes, more}, 0, sequence};
    REQUIRE(link.put(Ring::eager, sequence - 1, payload.data(), trailer) == Post::done);
    const Trailer& arrived = *link.trailer(Ring::eager, sequence);
    CHECK(arrived.bytes == bytes);
    CHECK(arrived.bytes.more() == more);
    return arrived.bytes.stored();
  };
  CHECK(stored(1, 1000, false) == Stored::untold);
  CHECK(stored(2, 16000, false) == Stored::cached);
  CHECK(stored(3, 16000, true) == Stored::cached);
  for (int i = 0; i < 8; ++i) link.note_read(Stored::cached, 0.5);
  CHECK(segment.read_times(0, 0).cached == ReadTimes::kScale / 2);
  CHECK(segment.read_times(0, 0).streamed == 0);
  link.probe();
  CHECK(link.state() == State::ready);  // nothing else was written
}

TEST_CASE("a peer that can send no more is as good as gone", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  Segment segment(name, 0, 1, kShape, Copy::twice, 20s);
  segment.allocate_pair(0, 0);
  ShmLink link(kShape, 0, segment, 0, 0);
  link.probe();
  CHECK(link.state() == State::ready);
  segment.marks(0, 0) |= Segment::kBroken;
  link.probe();
  CHECK(link.failure_code() == tutti::Code::peer_failed);
  CHECK(std::string(link.failure()).find("/dev/shm") != std::string::npos);
}

TEST_CASE("a peer that ends is noticed while nobody writes", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  const Peer peer(name, GENERATE(false, true));
  Segment segment(name, 0, 2, kShape, Copy::twice, 20s);
  segment.allocate_pair(0, 1);
  ShmLink link(kShape, 1, segment, 0, 1);
  peer.tell();
  while (link.state() == State::ready) {
    link.probe();
    usleep(1000);
  }
  CHECK(link.failed());
}

TEST_CASE("what no rank writes to the segment is not believed", "[shm]") {
  const std::string name = fmt::format("/tutti-test-{}", getpid());
  SECTION("a way to copy that there is not") {
    const Peer peer(name, false, static_cast<Copy>(9));
    CHECK_THROWS_WITH(Segment(name, 0, 2, kShape, Copy::once, 20s),
                      Catch::StartsWith("rank 1 of this node has written nonsense"));
  }
  SECTION("the state of an invitation") {
    const Peer peer(name);
    Segment segment(name, 0, 2, kShape, Copy::once, 20s);
    segment.allocate_pair(0, 1);
    ShmLink link(kShape, 1, segment, 0, 1);
    SECTION("to the peer") {
      segment.invitations(0, 1).states[3] = 9;
      CHECK(link.take_back(3));
    }
    SECTION("to this rank") {
      segment.invitations(1, 0).states[3] = 9;
      CHECK_FALSE(link.enter(3));
    }
    CHECK(link.failure_code() == tutti::Code::transport_failed);
  }
}
