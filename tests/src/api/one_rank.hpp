// Tutti on one rank, for the tests of this folder: one_rank.cpp starts it, before the first case.
#pragma once

#include <mpi.h>

#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "src/api/library.hpp"

namespace tutti::tests {

// Lines that Tutti has logged since the start.
inline std::vector<std::string> g_logged;

// A communicator of one rank, freed at the end unless a case has freed it.
class OneRank {
 public:
  OneRank() { REQUIRE(tutti_comm_create(MPI_COMM_SELF, &comm_) == TUTTI_SUCCESS); }
  ~OneRank() {
    if (comm_) tutti_comm_free(&comm_);
  }
  OneRank(const OneRank&) = delete;
  OneRank& operator=(const OneRank&) = delete;

  tutti_comm get() const noexcept { return comm_; }
  tutti_comm_object& object() const noexcept { return *comm_; }
  Communicator& communicator() const noexcept { return *comm_->communicator; }
  void free() { REQUIRE(tutti_comm_free(&comm_) == TUTTI_SUCCESS); }

 private:
  tutti_comm comm_ = TUTTI_COMM_NULL;
};

// The Error that a call throws must have that code, and these words in its message.
template <class Call>
void check_error(Code code, std::string_view words, Call&& call) {
  try {
    call();
    FAIL_CHECK("no Error is thrown");
  } catch (const Error& error) {
    CHECK(error.code == code);
    CHECK_THAT(error.message, Catch::Contains(std::string(words)));
  }
}

}  // namespace tutti::tests
