// The status of processes, as /proc shows it.
#include "transport/shm/process_status.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

using namespace tutti::transport::shm;

TEST_CASE("what /proc says of a process that dumps core", "[shm]") {
  CHECK(says_dumping("Name:\ta\nUmask:\t0022\nThreads:\t1\nCoreDumping:\t1\nTHP_enabled:\t1\n"));
  CHECK_FALSE(says_dumping("Name:\ta\nThreads:\t1\nCoreDumping:\t0\nTHP_enabled:\t1\n"));
  CHECK_FALSE(says_dumping("Name:\tCoreDumping:\t1\nThreads:\t1\n"));
  CHECK_FALSE(dumps_core(getpid()));
}

TEST_CASE("the state of a process is told from its status", "[shm]") {
  CHECK(state_in("Name:\ta\nUmask:\t0022\nState:\tT (stopped)\nTgid:\t1\n") == 'T');
  CHECK(state_in("Name:\tState:\tT\nUmask:\t0022\n") == 0);
  CHECK(state_in("") == 0);
  CHECK(state_of(getpid()) == 'R');
}
