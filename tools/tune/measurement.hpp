// Timing of candidates in the job.
#pragma once

#include <functional>
#include <set>

#include "tools/progress_bar.hpp"
#include "tools/tune/points.hpp"
#include "tools/tune/state.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

// The points left to be measured, which rank 0 alone knows. Prints how many they are, and how far
// it is.
class Agenda {
 public:
  enum Step { take, skip, stop };

  // Candidates of which the state knows the time have it then.
  Agenda(const TuneOptions& options, std::vector<Point>& points, State& state,
         std::function<bool()> interrupted);
  // All candidates are measured once, in round 0. Among many, the fastest by its measurement is
  // the luckiest, so those that may be the best, and those that an oracle trusts, are measured
  // again in further rounds, in turn; the median counts. In the finals are the best by then, and
  // what oracles trust, and of these only the finals count: luck that brought one there is gone.
  // If the finals cannot tell the best one from its rival, both are measured up to ten times more.
  static constexpr int kFinals = 3, kAgain = kFinals + 5, kRounds = kAgain + 10;
  void begin_round(Point& point, int round);
  Step step(const Candidate& candidate) const;
  void measured(const Point& point, Candidate& candidate, const models::Median& median);

 private:
  // For this round: those up to `margin` times the best, and those that an oracle trusts.
  void choose(const Point& point, double margin);

  State& state_;
  const std::function<bool()> interrupted_;
  ProgressBar bar_;
  std::set<const Candidate*> to_measure_, this_round_, finalists_;
  std::map<const Candidate*, std::vector<models::Median>> medians_;  // of a point
  std::size_t total_ = 0, done_ = 0;
};

// With the times of the library's model, which all ranks have alike: as a choice is run here.
Completion completion_of_selection();
// The library's own choice, by the model that it has: an oracle, whose choices are
// made candidates.
Oracle oracle_of_selection(std::vector<Point>& points, const NodesOf& nodes_of);

// How each candidate is timed.
struct TimedCalls {
  double seconds;  // at most
  bool single;     // calls by themselves, each of which begins after a barrier; else in a row
};
TimedCalls timed_calls(const TuneOptions& options);

// Goes through all candidates; rank 0, which has the agenda, says what becomes of each. Whether it
// came to its end. Collective over MPI_COMM_WORLD.
bool measure_points(std::vector<Point>& points, Agenda* agenda, TimedCalls timing,
                    tutti_comm world);

}  // namespace tutti::tools
