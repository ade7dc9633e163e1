// What the verifier follows while the ranks run: for each byte where it came from, for a reduced
// one all contributions and their order, and for a barrier whose entry each step knows to have
// happened. Pure.
#pragma once

#include <span>
#include <vector>

#include "collectives/analysis/verifier.hpp"
#include "collectives/analysis/matching.hpp"
#include "collectives/analysis/origins.hpp"
#include "collectives/analysis/values.hpp"

namespace tutti::collectives {

class Knowledge {
 public:
  Knowledge(std::span<const Schedule> all_ranks, const Matching& matching,
            std::span<const Problem> problems);

  // To be called when a local step runs, when a message passes, and after either for each step that
  // it completes.
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
  // passing_ = left op right, byte by byte. What goes wrong is remembered for the verdict.
  void combine(std::size_t rank, StepId id, const std::vector<Run>& left,
               const std::vector<Run>& right, Bytes length);
  Verdict barrier_verdict() const;
  // What bytes [0, length) of the output must be: pieces, each `length` bytes of a value from
  // `origin` on.
  struct Promise {
    Bytes begin, length;
    Rank first;  // contributions of the ranks first … first + count − 1
    int count;
    Bytes place;  // in their inputs
  };
  std::vector<Promise> promises(std::size_t rank) const;
  Verdict data_verdict(std::size_t rank) const;
  Verdict same_bits_verdict() const;
  std::string text(Bytes origin) const;

  std::uint64_t* heard(std::size_t rank, StepId id) {
    return heard_.data() + (matching_.first[rank] + id) * words_;
  }

  std::span<const Schedule> ranks_;
  const Matching& matching_;
  std::span<const Problem> problems_;
  Values values_;
  std::vector<Memory> memories_;                // of each rank
  std::vector<Run> passing_, operand_, other_;  // what is being moved and combined
  std::string fault_;                           // the first combination that cannot be
  // Barrier: for each step the ranks, as bits, whose entry happened before the step completed; for
  // each rank the same of all its steps together.
  std::size_t words_ = 0;
  std::vector<std::uint64_t> heard_, heard_at_exit_;
};

}  // namespace tutti::collectives
