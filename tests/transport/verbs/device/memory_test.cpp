// Memory that devices refuse, and the reasons that the errors give.
#include "transport/verbs/device/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "base/pages.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

constexpr int kLocal = IBV_ACCESS_LOCAL_WRITE;

Device opened(const char* name = "fake0") {
  return {{.device = name}, [](std::string_view) {}};
}

// Two pages, of which the second is not there.
struct HalfMapped {
  std::byte* const memory = static_cast<std::byte*>(
      mmap(nullptr, 2 * page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  HalfMapped() { munmap(memory + page_bytes(), page_bytes()); }
  ~HalfMapped() { munmap(memory, page_bytes()); }
};

// The soft limit of locked memory, while this lives.
struct LockedLimit {
  rlimit before{};
  explicit LockedLimit(rlim_t bytes) {
    getrlimit(RLIMIT_MEMLOCK, &before);
    const rlimit now{std::min(bytes, before.rlim_max), before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_MEMLOCK, &now) == 0);
  }
  ~LockedLimit() { setrlimit(RLIMIT_MEMLOCK, &before); }
};

Error error_of_registration(tests::FakeVerbs& fake, int error, void* address, std::size_t bytes) {
  const Device device = opened();
  fake.refuse("ibv_reg_mr", error);
  try {
    register_memory(device, address, bytes, kLocal);
  } catch (const Error& thrown) {
    return thrown;
  }
  FAIL("it was registered");
  throw;
}

}  // namespace

TEST_CASE("pages of one's own are whole and cleared", "[verbs][memory]") {
  const Pages pages = own_pages(3 * page_bytes(), "a test");
  CHECK(reinterpret_cast<std::uintptr_t>(pages.get()) % page_bytes() == 0);
  CHECK(std::all_of(pages.get(), pages.get() + 3 * page_bytes(),
                    [](std::byte byte) { return byte == std::byte{0}; }));
  try {
    own_pages(std::size_t{1} << 60, "a giant");
    FAIL("there is no such memory");
  } catch (const Error& error) {
    CHECK(error.code == Code::out_of_memory);
    CHECK_THAT(error.message, Catch::Contains("1152921504606846976 bytes of a giant"));
  }
}

TEST_CASE("memory that is not there is the caller's fault, else memory lacks", "[verbs][memory]") {
  tests::FakeVerbs fake;
  std::byte good[64];
  const HalfMapped half;
  const std::size_t both = 2 * page_bytes();
  const LockedLimit limit(4096);
  CHECK(error_of_registration(fake, EFAULT, good, sizeof good).code == Code::bad_buffer);
  CHECK(error_of_registration(fake, EINVAL, good, sizeof good).code == Code::bad_buffer);
  CHECK(error_of_registration(fake, ENOMEM, half.memory, both).code == Code::bad_buffer);
  const Error lacks = error_of_registration(fake, ENOMEM, good, sizeof good);
  CHECK(lacks.code == Code::locked_memory);
  CHECK(lacks.system_errno == ENOMEM);
  CHECK_THAT(lacks.message,
             Catch::Contains("RLIMIT_MEMLOCK is 4096 bytes, and 64 more bytes are needed"));
  const Error other = error_of_registration(fake, ENODEV, good, sizeof good);
  CHECK(other.code == Code::transport_failed);
  CHECK_THAT(other.message, Catch::Contains("RLIMIT_MEMLOCK is 4096 bytes"));
}

TEST_CASE("a registration has keys of each rail, and all go with it", "[verbs][memory]") {
  tests::FakeVerbs fake({"fake0", "fake1", "fake2"});
  const Device first = opened("fake0"), second = opened("fake1"), third = opened("fake2");
  DeviceRegistrar registrar({&first, &second, &third});
  const int before = fake.alive();
  alignas(64) std::byte memory[256];
  const Registration writable = registrar.add(memory, sizeof memory, true),
                     source = registrar.add(memory, sizeof memory, false);
  CHECK(fake.alive() == before + 6);
  for (std::size_t rail = 0; rail < 3; ++rail) {
    CHECK(fake.is_registered(writable.remote_keys[rail],
                             kLocal | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING));
    CHECK(fake.is_registered(source.local_keys[rail], kLocal));  // no peer may write there
  }
  CHECK(writable.local_keys[3] == 0);
  registrar.remove(writable);
  CHECK_FALSE(fake.is_registered(source.local_keys[0], 0));
  CHECK(fake.alive() == before + 3);
  registrar.remove(source);
  CHECK(fake.alive() == before);
  // The second device refuses: the region of the first one goes.
  fake.refuse_kth(2);
  CHECK_THROWS_AS(registrar.add(memory, sizeof memory, true), Error);
  CHECK(fake.alive() == before);
}

TEST_CASE("a source that may not be written is registered for reading", "[verbs][memory]") {
  tests::FakeVerbs fake;
  const Device device = opened();
  DeviceRegistrar registrar({&device});
  std::byte memory[64];
  fake.refuse("ibv_reg_mr", EFAULT, 1);
  const Registration source = registrar.add(memory, sizeof memory, false);
  CHECK(fake.is_registered(source.local_keys[0], 0));
  registrar.remove(source);
  // No second try where the peer will write, nor where memory lacks.
  fake.refuse("ibv_reg_mr", EFAULT, 1);
  CHECK_THROWS_AS(registrar.add(memory, sizeof memory, true), Error);
  fake.refuse("ibv_reg_mr", ENOMEM, 1);
  CHECK_THROWS_AS(registrar.add(memory, sizeof memory, false), Error);
}
