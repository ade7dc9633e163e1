// What the verifier follows while the ranks run: for each byte where it came from, and for a barrier whose entry each
// step knows to have happened. Pure.
#pragma once

#include <span>
#include <vector>

#include "collectives/verifier.hpp"
#include "collectives/verifying/matching.hpp"
#include "collectives/verifying/origins.hpp"

namespace tutti::collectives {

class Knowledge {
 public:
  Knowledge(std::span<const Schedule> all_ranks, const Matching& matching, const Problem& problem);

  // To be called when a local step runs, when a message passes, and after either for each step that it completes.
  void local(std::size_t rank, StepId id);
  void message(std::size_t from, StepId send, std::size_t to, StepId receive);
  void done(std::size_t rank, StepId id);

  // When all have finished: is the result what the collective promises?
  Verdict verdict() const;

 private:
  struct Memory {
    Origins input, output, scratch;
  };
  static Origins& buffer(Memory& memory, Buffer which) noexcept;
  void reduce_into(std::size_t rank, const Slice& target);
  Verdict barrier_verdict() const;
  Verdict data_verdict(std::size_t rank) const;

  std::uint64_t* heard(std::size_t rank, StepId id) { return heard_.data() + (matching_.first[rank] + id) * words_; }

  std::span<const Schedule> ranks_;
  const Matching& matching_;
  Problem problem_;
  std::vector<Memory> memories_;  // of each rank
  std::vector<Run> passing_;      // what is being moved
  // Barrier: for each step the ranks, as bits, whose entry happened before the step completed; for each rank the same
  // of all its steps together.
  std::size_t words_ = 0;
  std::vector<std::uint64_t> heard_, heard_at_exit_;
};

}  // namespace tutti::collectives
