// The parts of `tutti tune` and what they pass to each other: points.cpp reads which points are
// asked for, candidates.cpp lists the algorithms that may run and predicts their times,
// measurement.cpp times them, state.cpp saves the results, maps.cpp and plot.cpp show the best
// ones, and command.cpp reads the command line.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/selection/choices.hpp"
#include "models/predictor.hpp"
#include "models/platform/statistics.hpp"
#include "tools/busy.hpp"

namespace tutti::tools {

// The options as the user wrote them.
struct TuneOptions {
  std::vector<std::string> collectives, sizes, ranks, params, models, algorithms, segments;
  std::string method = "measured", table, svg, state = "tutti-tune.state";
  double seconds = 0.2, margin = 25;  // for each candidate; percent
  int ranks_per_node = 0;             // of predictions without a job; kNotSaid, kAllOnOneNode
  std::string mapping = "blocks";     // as in `tutti predict`
  int sockets = 1;                    // of a node, likewise
  // Calls that follow each other: models say the time of one, and measurements are of single calls
  // if it is 1; 0: points.cpp.
  int calls = 0;
  bool resume = false, compare = false, json = false;
};

// A collective of one size on the first P ranks, and what can run it.
struct Candidate {
  collectives::Choice choice;
  std::string name;               // as a user would write it
  std::uint64_t digest;           // of the schedules of all ranks
  std::vector<double> predicted;  // by oracle; us; -1: it would take too long, or is not known
  std::optional<models::Median> measured;
  bool finalist = false;  // measured again beside those that were best
};
// The loss by trusting an oracle.
struct Penalty {
  double percent = 0;
  bool decided = true;  // measurements tell what it trusts from the best one
};
struct Point {
  collectives::Collective collective = collectives::Collective::barrier;
  int P = 2, ranks_per_node = 1;
  Bytes bytes = 0;
  std::vector<Candidate> candidates;
  int by_default = -1;  // number of the one that runs without a table; −1: not known

  // Number of the best one, among finalists if there are any; −1: none has a time.
  int best_measured() const noexcept;
  int best_predicted(std::size_t oracle) const noexcept;
  // The loss by trusting the oracle; nullopt: not both were measured. If it trusts the best
  // one, that has to be told from its rival.
  std::optional<Penalty> penalty(std::size_t oracle) const noexcept;
  // The loss if `truth`, another oracle, were right; nullopt: one of them knows no time.
  std::optional<Penalty> penalty(std::size_t oracle, std::size_t truth) const noexcept;
  // The candidate that the best one has to be told from: the one that runs without a table, or if
  // that is the best, the next best one. −1: no such candidate.
  int rival() const noexcept;
  // Whether the measurements can tell them apart: their intervals have nothing in common, or there
  // is no rival. If not, a table leaves the point out, so that the model chooses.
  bool decided() const noexcept;
};

// The choice as it runs on ranks of these nodes: a model gives the times that shape a tree, where
// the choice leaves them unset.
using Completion =
    std::function<collectives::Choice(collectives::Choice, const std::vector<int>& node)>;
// A source of a candidate's time, in us. `node`: of each rank. −1: it cannot tell.
struct Oracle {
  std::string label;
  std::function<double(const Point&, const Candidate&, const std::vector<int>& node)> time;
  Completion completed{};  // as `time` takes it; null: it gives no times
};
// The mean time of so many calls that follow each other; `sockets`: of each node.
Oracle oracle_of(const models::Predictor& predictor, int calls, int sockets = 1);

// This machine's, as a job would have it on the nodes of a point.
Oracle oracle_here(int calls, int sockets = 1);

// The candidates that the command line names.
struct Wanted {
  // As choices of a collective are written; empty: all. A name without parameters stands for all
  // values of these.
  std::vector<std::string> algorithms{};
  std::vector<Bytes> segments{};  // empty: a few
};
// Every algorithm that applies, with a few values of its parameters; compositions for the levels of
// nodes and datagrams among them. Candidates with equal schedules on all ranks come once: a second
// measurement tells how exact the first is. They are equal if they are so by each completion.
// `node` of each rank; `datagrams`: they can be had.
std::vector<Candidate> candidates_for(collectives::Collective collective,
                                      const std::vector<int>& node, Bytes bytes, bool datagrams,
                                      const Wanted& wanted = {},
                                      std::span<const Completion> completions = {});
// Adds a candidate; returns its number. One that has the same schedules gets this name.
int add_candidate(Point& point, const std::vector<int>& node, const collectives::Choice& choice,
                  std::span<const Completion> completions = {});
// Fills in predicted[oracle] of all candidates.
void predict(Point& point, const std::vector<int>& node, const std::vector<Oracle>& oracles);
// The candidates within `margin` percent of the best prediction of the first oracle.
std::vector<std::size_t> near_best(const Point& point, double margin);

// The table that selection reads (`tutti list --schema`): the best candidate of each point, for the
// sizes and numbers of ranks up to the next one. Measured points that are not decided, or far from
// the model that selects though others are not, have no rule.
std::string table_of(const std::vector<Point>& points, bool measured);
// A line for each measured point that is not decided.
std::string undecided_text(const std::vector<Point>& points);
// A line for each measured point that is far from the model, though others are not.
std::string outliers_text(const std::vector<Point>& points);
void print_maps(const std::vector<Point>& points, const std::vector<Oracle>& oracles);
// How far an oracle is off: the proportional errors of all candidates, TAU eq. 7.9, and what is
// lost by trusting it.
struct Comparison {
  std::string label;
  std::size_t times = 0, points = 0;
  std::size_t decided = 0;  // of the points: of them alone are the penalties, if there are any
  double median_mu = 0, worst_mu = 0;
  double median_penalty = 0, worst_penalty = 0;  // percent
  std::string where{};                           // is the worst one
};
// One for each point of which something was measured.
std::vector<Comparison> comparisons_of(const std::vector<Point>& points,
                                       const std::vector<Oracle>& oracles);
void print_comparison(const std::vector<Comparison>& comparisons);
std::string json_of(const std::vector<Point>& points, const std::vector<Oracle>& oracles,
                    std::span<const Host> hosts);
void draw_maps(const std::string& path, const std::vector<Point>& points,
               const std::vector<Oracle>& oracles);

}  // namespace tutti::tools
