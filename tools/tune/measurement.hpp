// Timing of candidates in the job.
#pragma once

#include <functional>
#include <set>

#include "tools/progress_bar.hpp"
#include "tools/tune/tune.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

// What is left to be measured, of which rank 0 alone knows. Prints how much that is, and how far it
// is.
class Agenda {
 public:
  enum Step { take, skip, stop };

  // Candidates of which the state knows the time have it then.
  Agenda(const TuneOptions& options, std::vector<Point>& points, State& state,
         std::function<bool()> interrupted);
  Step step(const Candidate& candidate) const;
  void measured(const Point& point, const Candidate& candidate);

 private:
  State& state_;
  const std::function<bool()> interrupted_;
  ProgressBar bar_;
  std::set<const Candidate*> to_measure_;
  std::size_t total_ = 0, done_ = 0;
};

// Goes through all candidates; rank 0, which has the agenda, says what becomes of each. Whether it
// came to its end. Collective over MPI_COMM_WORLD.
bool measure_points(std::vector<Point>& points, Agenda* agenda, double seconds, tutti_comm world);

}  // namespace tutti::tools
