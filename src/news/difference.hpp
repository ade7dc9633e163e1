// Difference: two calls that should be one, as far as this rank knows them. Pure.
#pragma once

#include <string>

#include "src/news/call_count.hpp"
#include "src/news/members.hpp"

namespace tutti {

class Difference {
 public:
  // `mine`: the call here; `theirs`: at rank `other` of MPI_COMM_WORLD. `how` this rank has found
  // out; null: others have told it.
  Difference(CollectiveNumber call, const protocols::Asked& mine, int other,
             const protocols::Asked& theirs, const char* how) noexcept;

  CollectiveNumber call() const noexcept { return call_; }
  const protocols::Asked& mine() const noexcept { return mine_; }
  int other() const noexcept { return other_; }  // the member that made the other call

  // What the other call is may still come.
  bool is_complete() const noexcept;
  // A member says what the call is there: that counts if it shows more than what is known.
  void hear(int member, const protocols::Asked& asked) noexcept;
  // For people. In one order on all ranks. Throws std::bad_alloc.
  std::string in_words(const Members& members, const CallCount& count) const;

 private:
  // The other call is the same collective, and of its sizes and root nothing is known. Throws
  // std::bad_alloc.
  bool differs_in_arguments() const;

  CollectiveNumber call_;
  protocols::Asked mine_;
  int other_;
  protocols::Asked theirs_;
  std::string how_;  // empty: others have found out
};

}  // namespace tutti
