// The link over shared memory where the peer's process is not what it was.
#include "transport/shm/link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tests/transport/fresh_name.hpp"
#include "base/ticks.hpp"
#include "tests/base/settings_folder.hpp"
#include "tests/transport/shm/meeting.hpp"

using namespace tutti::transport;
using namespace tutti::transport::shm;

namespace {

using tutti::tests::kLargeShape;
using tutti::tests::kMeetAlone;
using tutti::tests::SharedMeeting;

constexpr InboxShape kTightShape{{{{64, 4}, {1088, 4}, {4160, 2}, {64, 4}, {64, 4}}}};

enum class Fate : std::uint8_t { end, another_program, core_dump };

// Dumps so many bytes, and what else the process has. They are there: kernels pass over what was
// never touched, the later ones at once.
[[noreturn]] void dump_core(std::size_t bytes) {
  const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &all);
  prctl(PR_SET_DUMPABLE, 1);
  mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  signal(SIGABRT, SIG_DFL);
  std::abort();
}

// A process with local rank 1, which comes to such an end when it is told to. `dump`: bytes.
class Peer {
 public:
  explicit Peer(const std::string& segment, Fate fate = Fate::end, Copy copy = Copy::once,
                std::size_t dump = 0) {
    REQUIRE(pipe2(word_, O_CLOEXEC) == 0);
    id_ = fork();
    if (id_ != 0) return;
    alarm(30);
    try {
      Segment mine(segment, 1, 2, kTightShape, copy, meet());
      char got;
      [[maybe_unused]] const auto told = read(word_[0], &got, 1);
      if (fate == Fate::another_program) execlp("sleep", "sleep", "30", nullptr);
      if (fate == Fate::core_dump) dump_core(dump);
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
  Meet meet() const { return std::ref(meeting_); }

 private:
  const SharedMeeting meeting_{2};
  int word_[2];
  pid_t id_;
};

// A peer dumps so many bytes in that folder. true: it still did when its link had failed.
bool fails_while_it_dumps(std::size_t bytes, const std::filesystem::path& folder) {
  const std::string name = tutti::tests::fresh_name();
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const Peer peer(name, Fate::core_dump, Copy::once, bytes);
  std::filesystem::current_path(before);
  Segment segment(name, 0, 2, kTightShape, Copy::twice, peer.meet());
  segment.connect(1);
  ShmLink link(kTightShape, 1, segment, 0, 1);
  link.probe();
  REQUIRE(link.state() == State::ready);
  peer.tell();
  while (link.state() == State::ready) link.probe();
  CHECK(link.state().failed());
  return segment.members().lives(1);
}

// `count` runs of `width` bytes, with gaps of as many.
tutti::Typemap spread_runs(tutti::Bytes width, tutti::Bytes count) {
  tutti::Typemap map;
  tutti::TypemapBuilder builder(map);
  builder.finish(builder.repeat(tutti::TypemapBuilder::run(width), count, 2 * width));
  return map;
}

}  // namespace

TEST_CASE("a process that has ended, or runs another program, is never written to", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  const Peer peer(name, GENERATE(Fate::end, Fate::another_program));
  Segment segment(name, 0, 2, kTightShape, Copy::once, peer.meet());
  segment.connect(1);
  REQUIRE(segment.copy(1) == Copy::once);
  ShmLink link(kTightShape, 1, segment, 0, 1);
  REQUIRE(link.state() == State::ready);
  link.probe();
  CHECK(link.state() == State::ready);
  const std::uint64_t place = segment.members()[1].secret_address;
  peer.tell();
  while (segment.members().lives(1)) usleep(1000);
  // Its pid is still there, as a zombie or as a program.
  CHECK(kill(peer.id(), 0) == 0);
  const std::byte byte{1};
  std::uint64_t ticket = 0;
  CHECK(link.write(&byte, {}, {place, 1, {}}, 1, std::nullopt, &ticket) == Post::failed);
  CHECK(link.state().code() == tutti::Code::peer_failed);
}

TEST_CASE("nothing counts that was read from a process that is not the peer any more", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  const Peer peer(name, GENERATE(Fate::end, Fate::another_program));
  Segment segment(name, 0, 2, kTightShape, Copy::once, peer.meet());
  segment.connect(1);
  ShmLink link(kTightShape, 1, segment, 0, 1);
  std::uint64_t got[2] = {};
  const RemoteKey secret{segment.members()[1].secret_address, sizeof got[0], {}};
  REQUIRE(link.fetch(got, secret, sizeof got[0]) == Post::done);
  CHECK(got[0] == segment.members()[1].secret);
  CHECK(link.fetch(got, {0, sizeof got[0], {}}, sizeof got[0]) == Post::refused);
  CHECK(link.fetch(nullptr, secret, sizeof got[0]) == Post::refused);
  CHECK(link.state() == State::ready);
  peer.tell();
  while (segment.members().lives(1)) usleep(1000);
  CHECK(link.fetch(got, secret, sizeof got[0]) == Post::failed);
  CHECK(link.state().code() == tutti::Code::peer_failed);
}

// As if the peer had ended, and a process that was forked from it had got its number.
TEST_CASE("a forked child of the peer is not the peer", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kTightShape, Copy::once, kMeetAlone);
  segment.connect(0);
  const int byte = 7;
  const RemoteKey place{reinterpret_cast<std::uint64_t>(&byte), sizeof byte, {}};
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    pause();
    _exit(0);
  }
  const bool is_child = GENERATE(false, true);
  if (is_child) segment.members()[0].pid = child;
  segment.members()[0].disconnected =
      1;  // or the link would fail at once: only this process has the lock
  ShmLink link(kTightShape, 0, segment, 0, 0);
  REQUIRE(link.state() == State::ready);
  int got = 0;
  CHECK(link.fetch(&got, place, sizeof got) == (is_child ? Post::failed : Post::done));
  CHECK(got == byte);  // the child has it, too
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("a long payload says how it was stored, and its reader what that cost", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone);
  segment.connect(0);
  ShmLink link(kLargeShape, 0, segment, 0, 0);
  const std::vector<std::byte> payload(16000, std::byte{7});
  const auto stored = [&](std::uint32_t sequence, std::uint32_t bytes, bool more) {
    const Trailer trailer{{}, Length(bytes, more), 0, sequence};
    REQUIRE(link.put(Ring::eager, sequence - 1, payload.data(), trailer) == Post::done);
    const Trailer& arrived = *link.inbox().trailer(Ring::eager, sequence);
    CHECK(arrived.length.bytes() == bytes);
    CHECK(arrived.length.more() == more);
    return static_cast<StoreKind>(arrived.length.mark());
  };
  CHECK(stored(1, 1000, false) == StoreKind::untold);
  CHECK(stored(2, 16000, false) == StoreKind::cached);
  CHECK(stored(3, 16000, true) == StoreKind::cached);
  ReadWatch& watch = *link.capabilities().read_watch;
  for (int i = 0; i < 8; ++i) {
    CHECK(segment.read_times(0, 0).cached.ticks_per_byte() == 0);  // told now and then
    watch.begin_read();
    for (const std::uint64_t begin = tutti::ticks(); tutti::ticks() == begin;) continue;
    watch.end_read(link.inbox().trailer(Ring::eager, 2)->length);
  }
  CHECK(segment.read_times(0, 0).cached.ticks_per_byte() > 0);
  CHECK(segment.read_times(0, 0).streamed.ticks_per_byte() == 0);
  link.probe();
  CHECK(link.state() == State::ready);  // nothing else was written
}

// All ways to store are tried, as for bytes that lie together.
TEST_CASE("packed bytes arrive in their order, however they are stored", "[shm]") {
  using tutti::Bytes;
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone);
  segment.connect(0);
  ShmLink link(kLargeShape, 0, segment, 0, 0);
  constexpr Bytes kWidth = 24, kCount = 2000;
  const tutti::Typemap map = spread_runs(kWidth, kCount);
  std::vector<std::byte> memory(2 * kWidth * kCount), room(kWidth * kCount), expected(room.size());
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 13 / 7);
  const tutti::TypedBytes typed{map, memory.data(), 1, 0};
  tutti::pack(typed, 0, typed.size(), expected.data());
  tutti::PackedView view(typed, room.data());
  int streamed = 0, by_string = 0, wrong = 0;
  for (std::uint32_t sequence = 1; sequence <= 500; ++sequence) {
    const std::uint32_t bytes = 4096 + sequence * 17, first = sequence * 3;
    const Trailer trailer{{}, Length(bytes), 0, sequence};
    const std::uint32_t index = kLargeShape[Ring::eager].index_of(sequence);
    REQUIRE(link.put_packed(Ring::eager, index, view, room.data() + first, trailer) == Post::done);
    const Trailer& arrived = *link.inbox().trailer(Ring::eager, sequence);
    const auto* const payload = reinterpret_cast<const std::byte*>(&arrived) - padded(bytes);
    wrong += !std::equal(payload, payload + bytes, expected.begin() + first);
    streamed += static_cast<StoreKind>(arrived.length.mark()) == StoreKind::streamed;
    by_string += static_cast<StoreKind>(arrived.length.mark()) == StoreKind::string;
  }
  CHECK(wrong == 0);
  CHECK(streamed > 0);
  CHECK((by_string > 0) == has_string_stores());
  CHECK(streamed + by_string < 500);
}

// Elements of these types lie twice as far apart as they are long: where the kernel puts them, as
// they are long, and where this rank does, as they are short.
TEST_CASE("what is fetched goes to the elements of a datatype, and to no other byte", "[shm]") {
  using tutti::Bytes;
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kTightShape, Copy::once, kMeetAlone);
  segment.connect(0);
  ShmLink link(kTightShape, 0, segment, 0, 0);
  for (const Bytes width : {Bytes{16}, Bytes{600}, Bytes{5000}}) {
    constexpr Bytes kCount = 1000;
    const Bytes size = width * kCount;
    INFO("runs of " << width << " bytes");
    const tutti::Typemap map = spread_runs(width, kCount);
    std::vector<std::byte> sent(static_cast<std::size_t>(size)), room(sent.size()),
        got(2 * sent.size(), std::byte{0xAA}), expected = got;
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 13 / 7);
    tutti::PackedView view({map, got.data(), 1, 0}, room.data());
    const Bytes begin = width / 2, bytes = size - width;
    view.bring(room.data(), size);  // out of date when something has come
    const auto first = reinterpret_cast<std::uint64_t>(sent.data() + begin);
    REQUIRE(link.fetch_packed(view, room.data() + begin, {first, 0, {}},
                              static_cast<std::size_t>(bytes)) == Post::done);
    tutti::unpack({map, expected.data(), 1, 0}, begin, begin + bytes, sent.data() + begin);
    CHECK(got == expected);
    view.bring(room.data(), size);
    CHECK(std::equal(room.begin() + begin, room.begin() + begin + bytes, sent.begin() + begin));
    CHECK(link.fetch_packed(view, room.data(), {0, 0, {}}, 4096) == Post::refused);
  }
}

// The reader has seen the number, and so everything that the writer has stored before it. Both use
// one mapping here: then the thread sanitizer complains if luck alone puts these in order.
TEST_CASE("a message is there when its number is", "[shm][threads]") {
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone);
  segment.connect(0);
  ShmLink here(kLargeShape, 0, segment, 0, 0), there(kLargeShape, 0, segment, 0, 0);
  struct Sent {
    Ring ring;
    std::uint32_t bytes;
  };
  constexpr std::array<Sent, 4> kSent{
      {{Ring::line, 8}, {Ring::small, 1000}, {Ring::eager, 16000}, {Ring::ready, 32}}};
  constexpr std::uint32_t kTimes = 12;  // nothing is consumed: no slot is used twice
  std::thread writer([&] {
    std::vector<std::uint32_t> payload(4000);
    for (std::uint32_t sequence = 1; sequence <= kTimes; ++sequence)
      for (const auto& [ring, bytes] : kSent) {
        std::ranges::fill(payload, sequence);
        here.put(ring, kLargeShape[ring].index_of(sequence), payload.data(),
                 {{sequence, 0, 0}, Length(bytes), sequence, sequence});
      }
  });
  int wrong = 0;
  for (std::uint32_t sequence = 1; sequence <= kTimes; ++sequence)
    for (const auto& [ring, bytes] : kSent) {
      while (!there.inbox().arrived(ring, sequence)) sched_yield();
      const Trailer* const trailer = there.inbox().trailer(ring, sequence);
      const Trailer read = read_once(trailer);
      const auto* const payload =
          reinterpret_cast<const std::byte*>(trailer) - padded(read.length.bytes());
      std::vector<std::uint32_t> got(bytes / sizeof sequence);
      std::memcpy(got.data(), payload, bytes);
      wrong += read.length.bytes() != bytes || read.consumed != sequence ||
               std::ranges::count(got, sequence) != std::ssize(got);
    }
  writer.join();
  CHECK(wrong == 0);
}

TEST_CASE("an end that fails makes the other one fail, and says why", "[shm]") {
  using tutti::Code;
  const std::string name = tutti::tests::fresh_name();
  for (const Code code : {Code::out_of_memory, Code::transport_failed, Code::bad_configuration,
                          Code::peer_failed, Code::success, static_cast<Code>(200)}) {
    INFO("code " << static_cast<int>(code));
    Segment segment(name, 0, 1, kTightShape, Copy::twice, kMeetAlone);
    segment.connect(0);
    ShmLink here(kTightShape, 0, segment, 0, 0), there(kTightShape, 0, segment, 0, 0);
    there.probe();
    CHECK(there.state() == State::ready);
    here.fail(code, "the test wants it to fail");
    there.probe();
    const bool lost = code == Code::peer_failed;
    const char* const why = lost ? "it no longer heard from this rank" : text_of(code);
    const bool says = why && code != Code::success;
    CHECK(there.state().code() == (says && !lost ? code : Code::transport_failed));
    CHECK(there.state().text() ==
          fmt::format("rank 0 of MPI_COMM_WORLD has given up its connection to this rank: {}; see "
                      "the error that it returned",
                      says ? why : "it does not say why"));
  }
}

TEST_CASE("a peer that ends is noticed while nobody writes", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  const Peer peer(name, GENERATE(Fate::end, Fate::another_program));
  Segment segment(name, 0, 2, kTightShape, Copy::twice, peer.meet());
  segment.connect(1);
  ShmLink link(kTightShape, 1, segment, 0, 1);
  peer.tell();
  while (link.state() == State::ready) {
    link.probe();
    usleep(1000);
  }
  CHECK(link.state().failed());
}

TEST_CASE("a process is known to have ended before its core dump is written", "[shm]") {
  std::string pattern;
  std::ifstream("/proc/sys/kernel/core_pattern") >> pattern;
  const tutti::tests::SettingsFolder folder;  // for the dump, if there is one
  if (pattern.starts_with('|') || pattern.starts_with('/')) {
    WARN("core dumps go elsewhere here: " << pattern);
    return;
  }
  // Where this process did not get to look meanwhile, a longer dump shows it.
  constexpr std::size_t kShort = std::size_t{8} << 20, kLong = std::size_t{1} << 30;
  std::size_t bytes = kShort;
  while (bytes < kLong && !fails_while_it_dumps(bytes, folder.path)) bytes *= 2;
  CHECK(bytes < kLong);
}

TEST_CASE("what no rank writes to the segment is not believed", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  SECTION("a way to copy that there is not") {
    const Peer peer(name, Fate::end, static_cast<Copy>(9));
    CHECK_THROWS_WITH(Segment(name, 0, 2, kTightShape, Copy::once, peer.meet()),
                      Catch::StartsWith("rank 1 of this node has written nonsense"));
  }
  SECTION("the state of an invitation") {
    const Peer peer(name);
    Segment segment(name, 0, 2, kTightShape, Copy::once, peer.meet());
    segment.connect(1);
    ShmLink link(kTightShape, 1, segment, 0, 1);
    SECTION("to the peer") {
      segment.invitations(0, 1).states[3] = 9;
      CHECK(link.capabilities().revocation->revoke(3));
    }
    SECTION("to this rank") {
      segment.invitations(1, 0).states[3] = 9;
      CHECK_FALSE(link.capabilities().revocation->enter(3));
    }
    CHECK(link.state().code() == tutti::Code::transport_failed);
  }
}
