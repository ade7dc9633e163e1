// The facts that the verifier follows while the ranks run: of each byte, where it came from; of a
// reduced byte, its contributions and their order; of a barrier, which ranks' entries each step
// knows of. Pure.
#pragma once

#include <span>
#include <vector>

#include "collectives/analysis/origins.hpp"
#include "collectives/analysis/values.hpp"
#include "collectives/analysis/verdict.hpp"
#include "collectives/analysis/world.hpp"
#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

class Knowledge {
 public:
  // Both must outlive it.
  Knowledge(const World& world, std::span<const Problem> problems);

  // Call these when a local step runs, when a message passes, and after either for each step that
  // is complete then.
  void local(Place place);
  void message(Place send, Place receive);
  void done(Place place);

  // After all ranks have finished: is the result what the collective promises?
  Verdict verdict() const;

 private:
  struct Memory {
    Origins input, output, scratch;
  };
  Origins& buffer(Rank rank, Buffer which) noexcept;
  // passing_ = left op right, byte by byte. The first fault is kept for the verdict.
  void combine(Place place, const std::vector<Extent>& left, const std::vector<Extent>& right,
               Bytes length);
  // Stores passing_ at the step's target, combined with the bytes at `operand` if it combines.
  void store(Place place, bool combines, const Slice& operand);
  Verdict barrier_verdict() const;
  // Part of what an output must hold: bytes [begin, begin + length) are made of the contributions
  // of the `count` ranks from `first` on, of the bytes from `place` on in their inputs; 0 ranks:
  // nothing is written there.
  struct Promise {
    Bytes begin, length;
    Rank first;
    int count;
    Bytes place;
  };
  std::vector<Promise> promises(Rank rank) const;
  std::vector<Promise> promises_of_neighbours(Rank rank) const;
  Verdict data_verdict(Rank rank) const;
  Verdict same_bits_verdict() const;
  std::string text(Bytes origin) const;

  std::uint64_t* heard(Place place) { return heard_.data() + world_.number(place) * words_; }

  const World& world_;
  std::span<const Problem> problems_;
  Values values_;
  std::vector<Memory> memories_;                   // of each rank
  std::vector<Extent> passing_, operand_, other_;  // bytes being moved and combined
  std::string fault_;                              // the first combination that is not allowed
  // Barrier: for each step the ranks, as bits, that entered before it completed; for each rank, the
  // same of all its steps together.
  std::size_t words_ = 0;
  std::vector<std::uint64_t> heard_, heard_at_exit_;
};

}  // namespace tutti::collectives
