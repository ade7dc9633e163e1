// Whether RLIMIT_MEMLOCK is enough, and what is said of it.
#include "tools/locked_memory.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::tools;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

constexpr Bytes kMiBOfLimit = Bytes{1} << 20;

LockedMemory limited(Bytes limit) {
  return {.limit = limit,
          .has_device = true,
          .ranks = 16,
          .connections = 24 * kMiBOfLimit,
          .buffers = 1024 * kMiBOfLimit};
}

}  // namespace

TEST_CASE("a limit is enough for connections and buffers together, or too little", "[memlock]") {
  CHECK_THAT(judge(limited(1048 * kMiBOfLimit)), Contains(": enough, as a rank of a job of 16"));
  CHECK_THAT(judge(limited(1048 * kMiBOfLimit - 1)), Contains(": too little, as a rank of a job"));
  CHECK_THAT(judge(limited(0)), StartsWith("0 B: too little"));
  const std::string text = judge(limited(8 * kMiBOfLimit));
  CHECK_THAT(text, StartsWith("8 MiB: too little"));
  for (const char* const words : {"24 MiB for connections", "1 GiB for buffers",
                                  "`ulimit -l unlimited`", "registration_cache_bytes"})
    CHECK_THAT(text, Contains(words));
}

TEST_CASE("a limit that binds nobody does not matter", "[memlock]") {
  LockedMemory memory = limited(kMiBOfLimit);
  memory.is_exempt = true;
  CHECK_THAT(judge(memory), Contains("it does not matter to this user"));
  memory.has_device = false;
  CHECK_THAT(judge(memory), Contains("this host has no RDMA device"));
  memory.limit.reset();
  CHECK(judge(memory) == "unlimited: enough");
}
