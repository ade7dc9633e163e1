// Tables by bisection between the winners at some sizes. Pure.
#include "models/decision/decisions.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>

#include "models/decision/candidates.hpp"
#include "models/decision/contest.hpp"
#include "models/decision/sketches.hpp"

namespace tutti::models {
namespace {

using namespace collectives;

// Sizes at which all candidates are compared; between two different winners these two are.
constexpr Bytes kFirstSize = 8, kLastSize = Bytes{16} << 20, kSizeStep = 4;
// A border is found to this part of its size.
constexpr Bytes kPrecision = 16;

enum : std::uint8_t { kOrdered = 1, kFolded = 2, kUnknown = 4, kUnequal = 8 };

Place place_of(const Facts& facts) {
  if (facts.wire_within) return {.P = facts.P, .nodes = facts.P, .q = 1};
  return {.P = facts.P,
          .nodes = facts.nodes,
          .q = facts.max_ranks_per_node,
          .in_order = facts.in_order};
}

// Draws one segment, and returns how many there are.
double draw_segment(Sketch& sketch, const Place& place, const Choice& choice, Bytes bytes) {
  const Bytes segment = choice.parameters.segment;
  bytes = std::min(bytes, kMostInAll / place.P);
  const bool cut = segment > 0 && segment < bytes;
  draw(sketch, place, *choice.algorithm, cut ? segment : bytes, choice.parameters);
  const Bytes segments = cut ? (bytes + segment - 1) / segment : 1;
  return static_cast<double>(segments);
}

}  // namespace

bool can_estimate(const Choice& choice, const Facts& facts) {
  Sketch sketch;
  return draw(sketch, place_of(facts), *choice.algorithm, 0, choice.parameters);
}

Estimate estimate_of(const Choice& choice, Bytes bytes, const Platform& platform,
                     const Facts& facts) {
  Sketch sketch;
  const double segments = draw_segment(sketch, place_of(facts), choice, bytes);
  return detailed(sketch, segments, platform, facts);
}

struct Decisions::Options {
  std::vector<Choice> plain;
  const Algorithm* hierarchical = nullptr;
  std::vector<Nested> within, across;
};

Decisions::Decisions(const Platform& platform, const Facts& facts)
    : platform_(platform), facts_(facts), place_(place_of(facts)) {}

Decisions::Kind Decisions::kind_of(const Problem& problem) noexcept {
  unsigned bits = 0;
  if (reduces(problem.collective) && !problem.commutative) bits |= kOrdered;
  if (reduces(problem.collective) && problem.left_fold) bits |= kFolded;
  if (!problem.counts_known) bits |= kUnknown;
  if (!problem.counts.empty() || !problem.receive_counts.empty()) bits |= kUnequal;
  return {problem.collective, static_cast<std::uint8_t>(bits)};
}

Problem Decisions::example(const Kind& kind) const {
  const auto [collective, bits] = kind;
  Problem problem{{.collective = collective, .bytes = kFirstSize}, facts_.P};
  problem.commutative = (bits & kOrdered) == 0;
  problem.left_fold = (bits & kFolded) != 0;
  problem.counts_known = (bits & kUnknown) == 0;
  if ((bits & kUnequal) != 0) problem.counts.assign(2, kFirstSize);
  return problem;
}

Decisions::Options Decisions::options_for(const Kind& kind) const {
  const Problem problem = example(kind);
  const Collective collective = kind.first;
  Options options;
  const Algorithm* last = nullptr;
  bool applies = false;
  for (const Choice& choice : plain_candidates(collective)) {
    if (std::exchange(last, choice.algorithm) != choice.algorithm)
      applies = !why_not(*choice.algorithm, problem, choice.parameters);
    const bool beyond = choice.parameters.k > std::max(1, facts_.P - 1);
    if (applies && !beyond && draw(sketch_, place_, *choice.algorithm, 0, choice.parameters))
      options.plain.push_back(choice);
  }
  const Algorithm* const levels = find(collective, "hierarchical");
  // Its levels are asked below; that the ranks are in order, the facts say.
  if (!levels || place_.nodes < 2 || place_.q < 2 || !problem.counts.empty() ||
      why_not(*levels, problem, {}) ||
      (levels->needs.has(Condition::nodes_in_order) && !place_.in_order))
    return options;
  options.hierarchical = levels;
  const auto within = within_candidates();
  options.within.assign(within.begin(), within.end());
  for (const Nested& across : across_candidates(collective)) {
    Problem part = problem;
    part.collective = across.algorithm->collective;
    part.P = place_.nodes;
    if (!why_not(*across.algorithm, part, {.k = across.k})) options.across.push_back(across);
  }
  return options;
}

Estimate Decisions::estimate_of(const Choice& choice, Bytes bytes) const {
  ++estimates_;
  const double segments = draw_segment(sketch_, place_, choice, bytes);
  return estimate(sketch_, segments, platform_, facts_);
}

Estimate Decisions::detailed_of(const Choice& choice, Bytes bytes) const {
  const double segments = draw_segment(sketch_, place_, choice, bytes);
  return detailed(sketch_, segments, platform_, facts_);
}

double Decisions::excess_of(const Estimate& estimate) const noexcept {
  const Budget budget = platform_.budget.value_or(Budget{});
  const double limit = std::max(1.0, static_cast<double>(budget.memory));
  return std::max(1.0, static_cast<double>(estimate.memory) / limit);
}

double Decisions::counted(const Estimate& estimate) const noexcept {
  return estimate.time * excess_of(estimate);
}

Choice Decisions::fastest(const Options& options, Bytes bytes, Floors& floors) const {
  Contest contest;
  std::vector<Choice> entered;
  const auto consider = [&](const Choice& choice, double* floor = nullptr) {
    if (choice.parameters.segment > 0 && bytes < 2 * choice.parameters.segment) return;
    if (floor && !contest.empty() && !contest.is_open_to(*floor)) return;
    const Estimate made = estimate_of(choice, bytes);
    if (floor) *floor = made.time;
    contest.enter(counted(made), made);
    entered.push_back(choice);
  };
  floors.resize(options.plain.size());
  for (std::size_t i = 0; i < options.plain.size(); ++i) consider(options.plain[i], &floors[i]);
  // The levels one after the other: what is best within a node hardly depends on what speaks
  // across.
  Choice levels{options.hierarchical};
  const auto better = [&](Nested Parameters::*level, std::span<const Nested> all) {
    Contest of_level;
    for (const Nested& one : all) {
      levels.parameters.*level = one;
      const Estimate made = estimate_of(levels, bytes);
      of_level.enter(counted(made), made);
    }
    levels.parameters.*level = all.empty() ? Nested{} : all[of_level.winner()];
  };
  for (const Bytes segment : segment_candidates()) {
    if (!options.hierarchical) break;
    if (segment > 0 && (!options.hierarchical->traits.segment || bytes < 2 * segment)) continue;
    levels.parameters.segment = segment;
    better(&Parameters::within, options.within);
    better(&Parameters::across, options.across);
    consider(levels);
  }
  assert(!entered.empty());
  Choice best = entered[contest.winner()];
  const Estimate made = detailed_of(best, bytes);
  best.reason = excess_of(made) <= 1
                    ? reason_of(made)
                    : "the least time by the model, multiplied by how many times it takes the "
                      "memory that a rank should hold";
  return best;
}

Decisions::Table Decisions::make_table(const Kind& kind) const {
  const Options options = options_for(kind);
  Floors floors;
  Choice last = fastest(options, kind.first == Collective::barrier ? 0 : kFirstSize, floors);
  Table table{{0, last}};
  if (kind.first == Collective::barrier || (kind.second & kUnknown) != 0) return table;
  const auto same = [](const Choice& a, const Choice& b) {
    return a.algorithm == b.algorithm && a.parameters == b.parameters;
  };
  for (Bytes size = kFirstSize; size < kLastSize; size *= kSizeStep) {
    const Choice next = fastest(options, size * kSizeStep, floors);
    if (same(next, last)) continue;
    // The first size from which on the next winner is faster than the last one.
    Bytes low = size, high = size * kSizeStep;
    while (high - low > std::max<Bytes>(1, low / kPrecision)) {
      const Bytes middle = low + (high - low) / 2;
      const bool later = counted(estimate_of(next, middle)) < counted(estimate_of(last, middle));
      (later ? high : low) = middle;
    }
    table.push_back({high, next});
    last = next;
  }
  return table;
}

const Decisions::Table& Decisions::table(const Problem& problem) {
  const Kind kind = kind_of(problem);
  const auto found = tables_.find(kind);
  return found != tables_.end() ? found->second
                                : tables_.emplace(kind, make_table(kind)).first->second;
}

Choice Decisions::select(const Problem& problem) {
  const Table& intervals = table(problem);
  const Bytes bytes = typical_bytes(problem);
  const auto after = std::upper_bound(intervals.begin(), intervals.end(), bytes,
                                      [](Bytes m, const Interval& i) { return m < i.from; });
  const Choice choice = std::prev(after)->choice;
  assert(choice.algorithm != nullptr);
  if (!why_not(*choice.algorithm, problem, choice.parameters)) return choice;
  // The nodes are not as alike as the facts say.
  return candidates(problem).front().choice;
}

std::vector<Candidate> Decisions::candidates(const Problem& problem) const {
  const Bytes bytes = problem.collective == Collective::barrier ? 0 : typical_bytes(problem);
  const Options options = options_for(kind_of(problem));
  std::vector<Candidate> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != problem.collective) continue;
    Options one;
    for (const Choice& choice : options.plain)
      if (choice.algorithm == &algorithm) one.plain.push_back(choice);
    if (options.hierarchical == &algorithm) {
      one.hierarchical = &algorithm;
      one.within = options.within;
      one.across = options.across;
    }
    Candidate candidate;
    candidate.choice.algorithm = &algorithm;
    if (!one.plain.empty() || one.hierarchical) {
      Floors none;
      candidate.choice = fastest(one, bytes, none);
      candidate.estimate = detailed_of(candidate.choice, bytes);
      candidate.excess = excess_of(candidate.estimate);
      candidate.choice.reason = reason_of(candidate.estimate);
    }
    if (const auto reason = why_not(algorithm, problem, candidate.choice.parameters))
      candidate.excluded = *reason;
    else if (one.plain.empty() && !one.hierarchical)
      candidate.excluded = why_no_sketch(algorithm);
    all.push_back(std::move(candidate));
  }
  // Those that apply before the others, and the winner before the second.
  const auto others = std::stable_partition(
      all.begin(), all.end(), [](const Candidate& one) { return one.excluded.empty(); });
  Contest contest;
  for (auto one = all.begin(); one != others; ++one)
    contest.enter(counted(one->estimate), one->estimate);
  std::vector<std::size_t> order(static_cast<std::size_t>(others - all.begin()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return contest.is_better(a, b); });
  std::vector<Candidate> sorted;
  sorted.reserve(all.size());
  for (const std::size_t number : order) sorted.push_back(std::move(all[number]));
  std::move(others, all.end(), std::back_inserter(sorted));
  return sorted;
}

}  // namespace tutti::models
