// Forces one algorithm after the other on new communicators, as the setting `algorithm` would.
#include "tools/tune/measurement.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "models/platform/tree_times.hpp"
#include "src/api/library.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"
#include "tools/measure/sampler.hpp"

namespace tutti::tools {
namespace {

// Microseconds of single calls that make a sample, with the barriers between them: a sample of one
// call alone is as long as whatever interrupts it.
constexpr double kSingleCalls = 200;

// The first P ranks of MPI_COMM_WORLD, and communicators besides those that are timed.
class TunedRanks {
 public:
  explicit TunedRanks(int P);  // collective over MPI_COMM_WORLD
  ~TunedRanks();
  TunedRanks(const TunedRanks&) = delete;
  TunedRanks& operator=(const TunedRanks&) = delete;

  bool member() const noexcept { return mpi_ != MPI_COMM_NULL; }
  // By members only: the candidate, forced, checked against the surrounding MPI and timed; the
  // median of the maxima over ranks. Throws Error on a wrong result.
  models::Median measure(const Point& point, const Candidate& candidate, TimedCalls timing);
  // Rank 0's, at all members.
  int agreed(int value);

 private:
  MPI_Comm mpi_ = MPI_COMM_NULL;
  tutti_comm control_ = nullptr;
};

TunedRanks::TunedRanks(int P) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < P ? 0 : MPI_UNDEFINED, rank, &mpi_);
  if (member()) must(tutti_comm_create(mpi_, &control_), "tutti_comm_create");
}

TunedRanks::~TunedRanks() {
  if (!member()) return;
  tutti_comm_free(&control_);
  MPI_Comm_free(&mpi_);
}

int TunedRanks::agreed(int value) {
  must(tutti_bcast(&value, 1, MPI_INT, 0, control_), "tutti_bcast");
  return value;
}

models::Median TunedRanks::measure(const Point& point, const Candidate& candidate,
                                   TimedCalls timing) {
  auto& forced = library()->rules.forced;
  // Calls on the control communicator are planned before anything is forced.
  double slowest = 0;
  const auto slowest_of = [&](double mine) {
    must(tutti_allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, control_), "tutti_allreduce");
    return slowest;
  };
  slowest_of(0);
  agreed(0);
  must(tutti_barrier(control_), "tutti_barrier");
  const auto before = forced;
  forced[point.collective] = candidate.choice;
  tutti_comm comm = TUTTI_COMM_NULL;
  must(tutti_comm_create(mpi_, &comm), "tutti_comm_create");
  models::Median median;
  {
    Job job(std::string(name_of(point.collective)), point.bytes, 0, mpi_, comm);
    check(job);
    // Ranks that share a core leave a barrier one after another: a batch hides that.
    constexpr double kBatch = 1000;
    const auto batch = [&](int calls) {
      return std::vector{slowest_of(timed([&] {
        for (int i = 0; i < calls; ++i) job.run_tutti();
      }))};
    };
    const auto singly = [&](int calls) {
      double all = 0;
      for (int i = 0; i < calls; ++i) {
        must(tutti_barrier(control_), "tutti_barrier");
        all += slowest_of(timed([&] { job.run_tutti(); }));
      }
      return std::vector{all};
    };
    median = timing.single ? Sampler(control_, timing.seconds, kSingleCalls).sample(singly)[0]
                           : Sampler(control_, timing.seconds, kBatch).sample(batch)[0];
  }
  must(tutti_barrier(control_), "tutti_barrier");  // all have ended their calls
  must(tutti_comm_free(&comm), "tutti_comm_free");
  forced = before;
  return median;
}

std::vector<std::size_t> wanted_of(const TuneOptions& options, const Point& point) {
  if (options.method == "guided") {
    std::vector<std::size_t> near = near_best(point, options.margin);
    // Beside which the best one has to prove itself.
    const auto by_default = static_cast<std::size_t>(point.by_default);
    if (point.by_default >= 0 && std::ranges::find(near, by_default) == near.end())
      near.push_back(by_default);
    return near;
  }
  std::vector<std::size_t> all(point.candidates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

collectives::Facts facts_of_first(int P) {
  std::vector<int> ranks(index(P));
  std::iota(ranks.begin(), ranks.end(), 0);
  return facts_of(*library()->engine, ranks);
}

}  // namespace

Completion completion_of_selection() {
  return [&selection = *library()->selection](collectives::Choice choice,
                                              const std::vector<int>& node) {
    return models::with_times(choice, selection.platform(),
                              facts_of_first(static_cast<int>(node.size())));
  };
}

Oracle oracle_of_selection(std::vector<Point>& points, const NodesOf& nodes_of) {
  Selection& selection = *library()->selection;
  const Completion completed = completion_of_selection();
  for (Point& point : points) {
    collectives::Problem problem{{.collective = point.collective, .bytes = point.bytes}, point.P};
    problem.datagrams = false;
    point.by_default = add_candidate(
        point, nodes_of(point.P), selection.decisions_for(facts_of_first(point.P))->select(problem),
        {&completed, 1});
  }
  return {"selection",
          [&selection](const Point& point, const Candidate& candidate, const std::vector<int>&) {
            const auto facts = facts_of_first(point.P);
            if (!models::can_estimate(candidate.choice, facts)) return -1.0;
            const auto choice = models::with_times(candidate.choice, selection.platform(), facts);
            const auto estimate =
                models::estimate_of(choice, point.bytes, selection.platform(), facts);
            return estimate.time - estimate.set_up;  // timed calls have their connections
          },
          completed};
}

Agenda::Agenda(const TuneOptions& options, std::vector<Point>& points, State& state,
               std::function<bool()> interrupted)
    : state_(state),
      interrupted_(std::move(interrupted)),
      bar_("measuring", ProgressBar::Elsewhere::lines) {
  std::size_t known = 0;
  for (Point& point : points)
    for (const std::size_t i : wanted_of(options, point)) {
      Candidate& candidate = point.candidates[i];
      if (state.recall(point, candidate))
        ++known;
      else
        to_measure_.insert(&candidate);
    }
  total_ = to_measure_.size();
  constexpr double kSetUp = 0.05;  // seconds, about, of a candidate
  fmt::print(stderr,
             "{} at {}, {} of them known: some {:.0f} s, and the best ones again; "
             "{} keeps each, with it --resume goes on\n",
             counted(total_ + known, "candidate"), counted(points.size(), "point"), known,
             static_cast<double>(total_) * (options.seconds + kSetUp), options.state);
}

void Agenda::begin_round(Point& point, int round) {
  constexpr double kMayBeBest = 1.5;  // times the best
  this_round_.clear();
  if (round == 0) {
    medians_.clear();
    for (const Candidate& candidate : point.candidates)
      if (to_measure_.contains(&candidate)) this_round_.insert(&candidate);
  } else if (medians_.empty()) {
    return;
  } else if (round < kFinals) {
    choose(point, kMayBeBest);
  } else if (round == kFinals) {
    choose(point, 1);
    medians_.clear();
    finalists_ = this_round_;
    for (Candidate& candidate : point.candidates)
      candidate.finalist = finalists_.contains(&candidate);
  } else if (round < kAgain) {
    this_round_ = finalists_;
  } else if (!point.decided()) {
    for (const int number : {point.best_measured(), point.rival()})
      if (medians_.contains(&point.candidates[index(number)]))
        this_round_.insert(&point.candidates[index(number)]);
  }
  if (this_round_.size() == 1 && round > 0) this_round_.clear();  // nobody to compare it with
}

void Agenda::choose(const Point& point, double margin) {
  const auto add = [&](int number) {
    if (number < 0) return;
    const Candidate& candidate = point.candidates[index(number)];
    if (medians_.contains(&candidate)) this_round_.insert(&candidate);
  };
  const double best = point.candidates[index(point.best_measured())].measured->value;
  for (int i = 0; i < static_cast<int>(point.candidates.size()); ++i) {
    const auto& known = point.candidates[index(i)].measured;
    if (known && known->value <= margin * best) add(i);
  }
  for (std::size_t oracle = 0; oracle < point.candidates.front().predicted.size(); ++oracle)
    add(point.best_predicted(oracle));
  add(point.by_default);
}

Agenda::Step Agenda::step(const Candidate& candidate) const {
  if (!this_round_.contains(&candidate)) return skip;
  return interrupted_() ? stop : take;
}

void Agenda::measured(const Point& point, Candidate& candidate, const models::Median& median) {
  auto& all = medians_[&candidate];
  all.push_back(median);
  candidate.measured = models::repeated(all);
  state_.add(point, candidate);
  if (all.size() == 1 && !candidate.finalist) bar_.show(++done_, total_);
}

// Whether it came to its end.
bool measure_round(Point& point, int round, Agenda* agenda, TunedRanks& ranks, TimedCalls timing) {
  if (agenda) agenda->begin_round(point, round);
  for (Candidate& candidate : point.candidates) {
    const int step = ranks.agreed(agenda ? agenda->step(candidate) : Agenda::skip);
    if (step == Agenda::stop) return false;
    if (step == Agenda::skip) continue;
    const models::Median median = ranks.measure(point, candidate, timing);
    if (agenda) agenda->measured(point, candidate, median);
  }
  return true;
}

TimedCalls timed_calls(const TuneOptions& options) {
  return {.seconds = options.seconds, .single = options.calls == 1};
}

bool measure_points(std::vector<Point>& points, Agenda* agenda, TimedCalls timing,
                    tutti_comm world) {
  std::unique_ptr<TunedRanks> ranks;
  int P = 0;
  bool stopped = false;
  for (Point& point : points) {
    if (std::exchange(P, point.P) != point.P) {
      must(tutti_barrier(world), "tutti_barrier");  // others sleep here, where MPI would spin
      ranks = std::make_unique<TunedRanks>(P);
    }
    if (!ranks->member()) continue;
    bool on = true;
    for (int round = 0; round < Agenda::kRounds && on; ++round)
      on = measure_round(point, round, agenda, *ranks, timing);
    stopped = stopped || !on;
  }
  must(tutti_barrier(world), "tutti_barrier");
  return !stopped;
}

}  // namespace tutti::tools
