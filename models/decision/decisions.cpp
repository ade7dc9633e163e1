// Makes tables of algorithms over sizes, by bisection between the winners at some sizes. Pure.
#include "models/decision/decisions.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

#include "models/decision/candidates.hpp"
#include "models/decision/contest.hpp"
#include "models/decision/sketches.hpp"
#include "models/platform/tree_times.hpp"

namespace tutti::models {
namespace {

using namespace collectives;

// All candidates are compared at sizes that grow by this factor, and those that may win there at
// twice such a size; between two different winners only these two are compared.
constexpr Bytes kFirstSize = 1, kLastSize = Bytes{16} << 20, kSizeStep = 4;
// A border is found to this part of its size.
constexpr Bytes kPrecision = 64;

enum : std::uint8_t { kOrdered = 1, kFolded = 2, kUnknown = 4, kUnequal = 8 };

Topology place_of(const Facts& facts) {
  if (facts.wire_within) return {.P = facts.P, .nodes = facts.P, .q = 1};
  return {.P = facts.P,
          .nodes = facts.nodes,
          .q = facts.max_ranks_per_node,
          .in_order = facts.in_order,
          .in_turn = facts.in_turn};
}

// Draws one segment, and returns how many there are.
double draw_segment(Sketch& sketch, const Topology& place, const Choice& choice, Bytes bytes) {
  const Bytes segment = choice.parameters.segment;
  bytes = std::min(bytes, kMostInAll / place.P);
  const bool cut = segment > 0 && segment < bytes;
  draw(sketch, place, *choice.algorithm, cut ? segment : bytes, choice.parameters);
  if (!cut) return 1;
  const Bytes of_all_parts = std::min(bytes, sketch.parts * segment);
  if (of_all_parts > segment)
    draw(sketch, place, *choice.algorithm, of_all_parts, choice.parameters);
  // The last one may be shorter.
  const double segments = static_cast<double>(bytes) / static_cast<double>(of_all_parts);
  cut_messages(sketch, segments, segment);
  return segments;
}

// Less than two whole segments are not cut.
bool is_offered(const Choice& choice, Bytes bytes) noexcept {
  return choice.parameters.segment == 0 || bytes >= 2 * choice.parameters.segment;
}

bool same(const Choice& a, const Choice& b) noexcept {
  return a.algorithm == b.algorithm && a.parameters == b.parameters;
}

}  // namespace

bool can_estimate(const Choice& choice, const Facts& facts) {
  Sketch sketch;
  return draw(sketch, place_of(facts), *choice.algorithm, 0, choice.parameters);
}

Estimate estimate_of(const Choice& choice, Bytes bytes, const Platform& platform,
                     const Facts& facts, std::shared_ptr<const Stencil> stencil) {
  Sketch sketch;
  Topology place = place_of(facts);
  place.stencil = std::move(stencil);
  const double segments = draw_segment(sketch, place, choice, bytes);
  return detailed(sketch, segments, platform, facts);
}

struct Decisions::Options {
  Topology place{};
  std::vector<Choice> plain{};
  const Algorithm* hierarchical = nullptr;
  std::vector<Nested> within{}, across{};
};

Decisions::Decisions(const Platform& platform, const Facts& facts)
    : platform_(platform), facts_(facts), place_(place_of(facts)) {}

Decisions::Kind Decisions::kind_of(const Problem& problem) {
  unsigned bits = 0;
  if (reduces(problem.collective) && !problem.commutative) bits |= kOrdered;
  if (reduces(problem.collective) && problem.left_fold) bits |= kFolded;
  if (!problem.counts_known) bits |= kUnknown;
  if (!problem.counts.empty() || !problem.receive_counts.empty()) bits |= kUnequal;
  Kind kind{problem.collective, static_cast<std::uint8_t>(bits)};
  if (problem.neighbours && !problem.neighbours->torus.empty() && (bits & kUnequal) == 0)
    kind.neighbours = moved(*problem.neighbours, problem.rank, 0);
  return kind;
}

Problem Decisions::example(const Kind& kind) const {
  const std::uint8_t bits = kind.bits;
  Problem problem{{.collective = kind.collective, .bytes = kFirstSize}, facts_.P};
  problem.neighbours = kind.neighbours;
  problem.commutative = (bits & kOrdered) == 0;
  problem.left_fold = (bits & kFolded) != 0;
  problem.counts_known = (bits & kUnknown) == 0;
  if ((bits & kUnequal) != 0) problem.counts.assign(2, kFirstSize);
  return problem;
}

// The search for such a tree takes O(P) for each size, and O(P³) where blocks differ. It knows one
// kind of message, whose bytes take no processor's time and cost as much everywhere, and no cores.
bool Decisions::finds_tree(const Kind& kind, const Choice& choice) const noexcept {
  constexpr int kMostRanks = 4096;
  const Model& model = model_of_trees(platform_, facts_);
  const bool exact =
      std::holds_alternative<LogP>(model) || std::holds_alternative<models::LogGP>(model);
  return exact && choice.parameters.times.all_set() && (kind.bits & kUnequal) == 0 &&
         (place_.nodes == 1 || place_.q == 1) && place_.P <= kMostRanks && !facts_.oversubscribed &&
         !facts_.software_wire;
}

Decisions::Options Decisions::options_for(const Kind& kind) const {
  const Problem problem = example(kind);
  const Collective collective = kind.collective;
  Options options{place_};
  options.place.stencil = stencil_of(problem);
  const Algorithm* last = nullptr;
  bool applies = false;
  for (const Choice& choice : plain_candidates(collective)) {
    if (std::exchange(last, choice.algorithm) != choice.algorithm)
      applies = !why_not(*choice.algorithm, problem, choice.parameters);
    const bool beyond = choice.parameters.k > std::max(1, facts_.P - 1);
    const Choice timed = with_times(choice, platform_, facts_);
    if (applies && !beyond && (!choice.algorithm->traits.times || finds_tree(kind, timed)) &&
        draw(sketch_, options.place, *choice.algorithm, 0, timed.parameters))
      options.plain.push_back(timed);
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

Estimate Decisions::estimate_of(const Options& options, const Choice& choice, Bytes bytes) const {
  ++estimates_;
  const double segments = draw_segment(sketch_, options.place, choice, bytes);
  return estimate(sketch_, segments, platform_, facts_);
}

Estimate Decisions::detailed_of(const Options& options, const Choice& choice, Bytes bytes) const {
  const double segments = draw_segment(sketch_, options.place, choice, bytes);
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

Choice Decisions::fastest(const Options& options, Bytes bytes, Floors& floors,
                          std::initializer_list<Choice> likely) const {
  Contest contest;
  std::vector<Choice> entered;
  const auto consider = [&](const Choice& choice, double* floor = nullptr) {
    if (!is_offered(choice, bytes)) return;
    if (floor && !contest.empty() && !contest.is_open_to(*floor)) return;
    const Estimate made = estimate_of(options, choice, bytes);
    if (floor) *floor = made.time;
    contest.enter(counted(made), made);
    entered.push_back(choice);
  };
  for (const Choice& choice : likely) consider(choice);
  floors.resize(options.plain.size() + segment_candidates().size());
  for (std::size_t i = 0; i < options.plain.size(); ++i) consider(options.plain[i], &floors[i]);
  // The levels one after the other: what is best within a node hardly depends on what speaks
  // across.
  Choice levels{options.hierarchical};
  const auto better = [&](Nested Parameters::*level, std::span<const Nested> all) {
    Contest of_level;
    for (const Nested& one : all) {
      levels.parameters.*level = one;
      const Estimate made = estimate_of(options, levels, bytes);
      of_level.enter(counted(made), made);
    }
    levels.parameters.*level = all.empty() ? Nested{} : all[of_level.winner()];
  };
  double* floor = &floors[options.plain.size()];
  for (const Bytes segment : segment_candidates()) {
    if (!options.hierarchical) break;
    levels.parameters.segment = segment;
    // Two likely choices are the winners at two sizes around this one: other levels are not tried.
    const bool offered = likely.size() < 2 && is_offered(levels, bytes) &&
                         (segment == 0 || options.hierarchical->traits.segment) &&
                         (contest.empty() || contest.is_open_to(*floor));
    if (offered) {
      better(&Parameters::within, options.within);
      better(&Parameters::across, options.across);
      consider(levels, floor);
    }
    ++floor;
  }
  assert(!entered.empty());
  Choice best = entered[contest.winner()];
  const Estimate made = detailed_of(options, best, bytes);
  best.reason = excess_of(made) <= 1
                    ? reason_of(made)
                    : "the least time by the model, multiplied by how many times it takes the "
                      "memory that a rank should hold";
  return best;
}

// The floors assume that a time grows with the size, by at most the same factor, and nearly
// linearly.
Decisions::Sample Decisions::sample_between(const Options& options, const Sample& low, Bytes bytes,
                                            const Sample& high) const {
  constexpr double kNearly = 0.9;
  const double part = static_cast<double>(bytes) / static_cast<double>(high.bytes);
  const double way =
      static_cast<double>(bytes - low.bytes) / static_cast<double>(high.bytes - low.bytes);
  Sample sample{bytes, {}, low.floors};
  for (std::size_t i = 0; i < sample.floors.size(); ++i) {
    const double line = low.floors[i] + way * (high.floors[i] - low.floors[i]);
    sample.floors[i] = std::max({sample.floors[i], part * high.floors[i], kNearly * line});
  }
  sample.choice = fastest(options, bytes, sample.floors, {low.choice, high.choice});
  return sample;
}

// The border is the first size from which on the winner at `high` takes less time than the one at
// `low`. If a third candidate takes clearly less than both there, it gets an interval of its own,
// with a border on each side. Both parts are shorter than the whole, so this ends.
void Decisions::add_borders(const Options& options, const Sample& low, const Sample& high,
                            Table& table) const {
  if (same(low.choice, high.choice)) return;
  Bytes last = low.bytes, first = high.bytes;
  while (first - last > std::max<Bytes>(1, last / kPrecision)) {
    const Bytes middle = last + (first - last) / 2;
    const bool later =
        is_offered(high.choice, middle) && counted(estimate_of(options, high.choice, middle)) <
                                               counted(estimate_of(options, low.choice, middle));
    (later ? first : last) = middle;
  }
  if (first < high.bytes) {
    const Sample border = sample_between(options, low, first, high);
    const double third = counted(estimate_of(options, border.choice, first));
    const double later = counted(estimate_of(options, high.choice, first));
    if (Contest::is_clearly_less(third, later)) {
      add_borders(options, low, border, table);
      return add_borders(options, border, high, table);
    }
  }
  table.push_back({first, high.choice});
}

Decisions::Table Decisions::make_table(const Kind& kind) const {
  const Options options = options_for(kind);
  Sample last{kind.collective == Collective::barrier ? 0 : kFirstSize, {}, {}};
  last.choice = fastest(options, last.bytes, last.floors);
  Table table{{0, last.choice}};
  if (kind.collective == Collective::barrier || (kind.bits & kUnknown) != 0) return table;
  while (last.bytes < kLastSize) {
    Sample next{last.bytes * kSizeStep, {}, last.floors};
    next.choice = fastest(options, next.bytes, next.floors, {last.choice});
    const Sample middle = sample_between(options, last, last.bytes * 2, next);
    add_borders(options, last, middle, table);
    add_borders(options, middle, next, table);
    last = std::move(next);
  }
  return table;
}

const Decisions::Table& Decisions::table(const Problem& problem) {
  const Kind kind = kind_of(problem);
  const auto found = tables_.find(kind);
  return found != tables_.end() ? found->second
                                : tables_.emplace(kind, make_table(kind)).first->second;
}

const Choice& Decisions::looked_up(const Problem& problem) {
  const Table& intervals = table(problem);
  const auto after = std::upper_bound(intervals.begin(), intervals.end(), typical_bytes(problem),
                                      [](Bytes m, const Interval& i) { return m < i.from; });
  return std::prev(after)->choice;
}

Choice Decisions::select(const Problem& problem) {
  const Choice& choice = looked_up(problem);
  assert(choice.algorithm != nullptr);
  if (!why_not(*choice.algorithm, problem, choice.parameters)) return choice;
  // The nodes are not as alike as the facts say.
  return candidates(problem).front().choice;
}

std::vector<Candidate> Decisions::candidates(const Problem& problem) {
  const Bytes bytes = problem.collective == Collective::barrier ? 0 : typical_bytes(problem);
  const Choice in_table = looked_up(problem);
  const Options options = options_for(kind_of(problem));
  std::vector<Candidate> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != problem.collective) continue;
    Options one{options.place};
    for (const Choice& choice : options.plain)
      if (choice.algorithm == &algorithm) one.plain.push_back(choice);
    if (options.hierarchical == &algorithm) {
      one.hierarchical = &algorithm;
      one.within = options.within;
      one.across = options.across;
    }
    Candidate candidate;
    candidate.choice = with_times({&algorithm}, platform_, facts_);
    if (!one.plain.empty() || one.hierarchical) {
      Floors none;
      candidate.choice = in_table.algorithm == &algorithm ? in_table : fastest(one, bytes, none);
      candidate.estimate = detailed_of(options, candidate.choice, bytes);
      candidate.excess = excess_of(candidate.estimate);
      candidate.choice.reason = reason_of(candidate.estimate);
    }
    if (const auto reason = why_not(algorithm, problem, candidate.choice.parameters))
      candidate.excluded = *reason;
    else if (one.plain.empty() && !one.hierarchical)
      candidate.excluded = algorithm.traits.times && !candidate.choice.parameters.times.all_set()
                               ? "it is chosen by hand only here: no times L, g and G, which shape "
                                 "its tree, follow from the model in use"
                               : why_no_sketch(algorithm);
    all.push_back(std::move(candidate));
  }
  // Candidates that apply come before the others, and the winner before the second.
  const auto others = std::stable_partition(
      all.begin(), all.end(), [](const Candidate& one) { return one.excluded.empty(); });
  Contest contest;
  for (auto one = all.begin(); one != others; ++one)
    contest.enter(counted(one->estimate), one->estimate);
  std::vector<std::size_t> order(static_cast<std::size_t>(others - all.begin()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return contest.is_better(a, b); });
  // Where times do not differ, the table's choice is first.
  const auto chosen = std::find_if(order.begin(), order.end(), [&](std::size_t number) {
    return all[number].choice.algorithm == in_table.algorithm;
  });
  if (chosen != order.end() && contest.is_least(*chosen))
    std::rotate(order.begin(), chosen, std::next(chosen));
  std::vector<Candidate> sorted;
  sorted.reserve(all.size());
  for (const std::size_t number : order) sorted.push_back(std::move(all[number]));
  std::move(others, all.end(), std::back_inserter(sorted));
  return sorted;
}

}  // namespace tutti::models
