// The segment: which of its memory is taken and mapped, and when.
#include "transport/shm/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/transport/fresh_name.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/link.hpp"

using namespace tutti::transport;
using namespace tutti::transport::shm;
using tutti::tests::kLargeShape;
using tutti::tests::kMeetAlone;

TEST_CASE("a ring takes memory when it is first written to", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  Segment segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone);
  const auto taken = [&, before = segment.bytes_taken()] { return segment.bytes_taken() - before; };
  segment.connect(0);
  CHECK(taken() == first_bytes());
  CHECK(2 * first_bytes() <= 32768);
  const std::uint32_t first = first_slots(kLargeShape);
  ShmLink link(kLargeShape, 0, segment, 0, 0);
  const std::vector<std::byte> payload(16000, std::byte{7});
  const auto put = [&](Ring ring, std::uint32_t sequence, std::uint32_t bytes) {
    const std::uint32_t index = kLargeShape[ring].index_of(sequence);
    CHECK_FALSE(link.inbox().arrived(ring, sequence));
    REQUIRE(link.put(ring, index, payload.data(), {{}, Length(bytes), 0, sequence}) == Post::done);
    CHECK(link.inbox().arrived(ring, sequence));
    CHECK(link.inbox().trailer(ring, sequence)->length.bytes() == bytes);
    CHECK_FALSE(link.inbox().arrived(ring, sequence + 1));  // which a peer polls at once
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

TEST_CASE("pieces take no memory of a small /dev/shm, as what is long can be fetched", "[shm]") {
  struct statvfs status {};
  REQUIRE(statvfs("/dev/shm", &status) == 0);
  // A quarter of all, not of what is free: others may free some meanwhile.
  const std::uint64_t quarter = std::uint64_t{status.f_blocks} * status.f_frsize / 4;
  for (const bool small : {true, false}) {
    InboxShape shape = kLargeShape;
    if (small)
      shape.rings[static_cast<std::size_t>(Ring::eager)] = {
          static_cast<std::uint32_t>(quarter / 64 / 64 + 1) * 64, 64};
    const std::string name = tutti::tests::fresh_name();
    Segment segment(name, 0, 1, shape, Copy::automatic, kMeetAlone);
    CHECK(segment.has_room() == !small);
    segment.connect(0);
    ShmLink link(shape, 0, segment, 0, 0);
    const std::size_t before = segment.bytes_taken();
    CHECK(link.fetch_pays(100000, {}) == small);
    CHECK((segment.bytes_taken() == before) == small);
    CHECK(segment.bytes_taken() <= before + 8 * 16448 + 8192);
  }
}

TEST_CASE("a core dump leaves the segment out, whose holes it would allocate", "[shm]") {
  for (const Memory memory : {Memory::file, Memory::anonymous}) {
    const std::string name = tutti::tests::fresh_name();
    Segment segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone, memory);
    REQUIRE(segment.anonymous() == (memory == Memory::anonymous));
    segment.connect(0);
    std::ifstream mappings("/proc/self/smaps");
    bool is_ours = false;
    int ours = 0, left_out = 0;
    for (std::string line; std::getline(mappings, line);) {
      if (line.find("rw-s") != std::string::npos)
        is_ours = line.find(name) != std::string::npos || line.find("tutti") != std::string::npos;
      if (!is_ours || line.find("VmFlags:") != 0) continue;
      ++ours;
      left_out += line.find(" dd") != std::string::npos ? 1 : 0;
      is_ours = false;
    }
    CHECK(ours == 2);
    CHECK(left_out == ours);
  }
}

// Bytes of this process's mappings whose names contain `name`.
namespace {
std::size_t mapped(const std::string& name) {
  std::ifstream mappings("/proc/self/maps");
  std::size_t bytes = 0;
  for (std::string line; std::getline(mappings, line);) {
    unsigned long begin = 0, end = 0;
    if (line.find(name) != std::string::npos &&
        std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2)
      bytes += end - begin;
  }
  return bytes;
}
}  // namespace

TEST_CASE("a rank maps what it shares with ranks to which it connects", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  constexpr int kRanks = 100;
  Segment segment(name, 0, kRanks, kLargeShape, Copy::twice, kMeetAlone, Memory::file);
  CHECK(mapped(name) < 100000);
  segment.connect(7);
  const std::size_t once = mapped(name);
  CHECK(once < 100000 + segment.most_bytes_per_pair());
  segment.connect(7);
  CHECK(mapped(name) == once);
}

TEST_CASE("a program that locks all its memory takes no more of the segment", "[shm]") {
  const std::string name = tutti::tests::fresh_name();
  const pid_t child = fork();
  if (child == 0) {
    if (mlockall(MCL_FUTURE) != 0) _exit(2);
    Segment segment(name, 0, 8, kLargeShape, Copy::twice, kMeetAlone, Memory::file);
    segment.connect(5);
    _exit(segment.bytes_taken() <= 2 * first_bytes() + 8192 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a limit on the size of files is an error, and not a signal", "[shm]") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit low = before;
  low.rlim_cur = 65536;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  const std::string name = tutti::tests::fresh_name();
  CHECK_THROWS_WITH(Segment(name, 0, 1, kLargeShape, Copy::twice, kMeetAlone),
                    Catch::Contains("limit on the size of files"));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(access(("/dev/shm" + name).c_str(), F_OK) != 0);
}
