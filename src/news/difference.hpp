// Difference: two calls that should be one, as far as this rank knows them. Pure.
//
// All ranks name the same two calls once each has heard of all: that of the lowest rank, and that
// of the lowest rank whose call differs from it. Until then they name what is known.
#pragma once

#include <string>
#include <vector>

#include "src/news/call_count.hpp"
#include "src/news/members.hpp"

namespace tutti {

class Difference {
 public:
  struct Side {
    int rank;  // of MPI_COMM_WORLD
    protocols::Asked asked{};
  };
  // `mine`: the call here; `theirs`: at the rank that made another one. `how` this rank has found
  // out; null: others have told it.
  Difference(CollectiveNumber call, const Side& mine, const Side& theirs, const char* how) noexcept;
  // `from` has told this rank, that made neither call.
  Difference(CollectiveNumber call, const Side& mine, const Side& from,
             const Side& theirs) noexcept;

  CollectiveNumber call() const noexcept { return call_; }
  const protocols::Asked& mine() const noexcept { return mine_.asked; }
  // The member that made the other call, and what it is there, as far as known.
  const Side& other() const noexcept { return second_; }

  // Both calls are known. If not, the other one may still come.
  bool is_complete() const noexcept;
  // A member says what the call is there, and that rank's first word counts.
  void hear(const Side& side) noexcept;
  bool has_heard(int member) const noexcept;
  // For people. In one order on all ranks. Throws std::bad_alloc.
  std::string in_words(const Members& members, const CallCount& count) const;

 private:
  void compare(const Side& side) noexcept;
  bool found() const noexcept { return differing_.rank != kNoPeer; }

  CollectiveNumber call_;
  Side mine_, first_, second_;                 // the two are those of which one blames the other
  Side lowest_{kNoPeer}, differing_{kNoPeer};  // of those that are known
  std::vector<int> heard_;
  std::string how_;  // empty: others have found out
};

}  // namespace tutti
