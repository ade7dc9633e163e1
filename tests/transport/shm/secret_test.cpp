// The word by which a process's memory is recognised.
#include "transport/shm/secret.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <set>

using tutti::transport::shm::Secret;

TEST_CASE("a secret stands at its address, with a word behind it for others", "[shm]") {
  const Secret secret;
  auto* const words = reinterpret_cast<std::uint64_t*>(secret.address());
  CHECK(words[0] == secret.value());
  words[1] = 7;
  CHECK(secret.value() == words[0]);
}

TEST_CASE("no two processes have one secret, nor one process twice", "[shm]") {
  std::set<std::uint64_t> values;
  for (int i = 0; i < 100; ++i) CHECK(values.insert(Secret().value()).second);
}

TEST_CASE("a forked child does not keep the secret, where the kernel can see to it", "[shm]") {
  const Secret secret;
  const std::uint64_t before = secret.value();
  const pid_t child = fork();
  if (child == 0) _exit(secret.value() == before ? 1 : 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK((WEXITSTATUS(status) == 0) == secret.is_own());
  CHECK(secret.value() == before);
}
