// The cases of `tutti verify --interleaved`: lists and proves them, and adds up the rows. No I/O.
#include "collectives/analysis/interleaved_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/interleaved.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/analysis/ring_orders.hpp"
#include "collectives/analysis/verifier.hpp"
#include "collectives/selection/choices.hpp"

namespace tutti::collectives {
namespace {

enum Part : std::size_t { kRings, kAlone, kSearches, kPairs, kTriples, kParts };

// Enough for two pieces or blocks of a rank each, few enough for few messages.
constexpr Bytes kBytes = 6, kSegment = 3;
// The search takes so many messages at most, and visits so many states.
constexpr std::size_t kMostMessages = 4, kMostStates = 400'000;

// How ranks start calls and wait for them.
enum class Manner : std::uint8_t {
  all_at_once,  // all are started before any is waited for
  one_by_one,   // each is waited for before the next one starts
  mixed,        // each rank waits for some of them before it starts others
  opposite,     // as all_at_once, on communicators of their own, on odd ranks in opposite order
};
constexpr std::array kManners{Manner::all_at_once, Manner::one_by_one, Manner::mixed,
                              Manner::opposite};

const char* name_of(Manner manner) noexcept {
  switch (manner) {
    case Manner::all_at_once: return "all started at once";
    case Manner::one_by_one: return "one by one";
    case Manner::mixed: return "some waited for before others start";
    case Manner::opposite: return "on odd ranks started in opposite order";
  }
  return "?";
}

struct CallOfAlgorithm {
  const Algorithm* algorithm;
  std::unique_ptr<WholeCall> call;
  std::size_t messages = 0;
};

struct ManyCalls {  // of so many ranks
  int P;
  std::vector<CallOfAlgorithm> calls;
};

struct InterleavedCase {
  Part part;
  std::uint32_t group = 0;               // of ManyCalls
  std::array<std::uint32_t, 3> calls{};  // of the group
  std::uint32_t count = 0;
  Manner manner = Manner::all_at_once;
  std::uint64_t waits = 0;    // kSearches: of each rank, in turn
  std::vector<int> pieces{};  // kRings
  std::uint32_t slots = 1;
  protocols::Reports reports = protocols::Reports::late;
};

std::uint64_t hash_of(std::span<const Schedule> all) {
  Hash hash;
  for (const Schedule& schedule : all) hash.add(schedule.digest());
  return hash.value();
}

Parameters some_parameters(const Algorithm& algorithm) {
  return {.k = algorithm.traits.k ? 2 : 1, .segment = algorithm.traits.segment ? kSegment : 0};
}

std::vector<int> neighbours_of_two(int P) {
  std::vector<int> node;
  node.reserve(index(P));
  for (Rank rank = 0; rank < P; ++rank) node.push_back(rank / 2);
  return node;
}

// One call of each algorithm that applies; of equal schedules the first.
ManyCalls calls_of(int P) {
  ManyCalls many{P, {}};
  std::set<std::pair<Collective, std::uint64_t>> known;
  for (const Algorithm& algorithm : algorithms()) {
    Problem problem{{.collective = algorithm.collective, .bytes = kBytes}, P};
    if (algorithm.collective == Collective::barrier) problem.bytes = 0;
    if (is_rooted(algorithm.collective)) problem.root = P / 2;
    if (algorithm.traits.nodes) problem.node = neighbours_of_two(P);
    give_needed_neighbours(algorithm, problem);
    const Parameters parameters = some_parameters(algorithm);
    if (why_not(algorithm, problem, parameters)) continue;
    auto schedules = schedules_of_all_ranks(algorithm, problem, parameters);
    if (!known.emplace(algorithm.collective, hash_of(schedules)).second) continue;
    CallOfAlgorithm one{&algorithm, nullptr, 0};
    for (const Schedule& schedule : schedules)
      one.messages +=
          index(std::count_if(schedule.steps.begin(), schedule.steps.end(),
                              [](const Step& step) { return step.kind == StepKind::send; }));
    one.call = std::make_unique<WholeCall>(
        fmt::format("{} {}", name_of(algorithm.collective), to_string({&algorithm, parameters})),
        problems_of_all_ranks(problem), std::move(schedules));
    many.calls.push_back(std::move(one));
  }
  return many;
}

class Matrix {
 public:
  explicit Matrix(const InterleavedOptions& options) : options_(options) {
    add_rings();
    const std::vector<int> sizes = options.P.empty() ? interleaved_sizes(options.quick) : options.P;
    groups_.reserve(sizes.size());
    for (const int P : sizes) groups_.push_back(calls_of(P));
    for (std::uint32_t group = 0; group < groups_.size(); ++group) {
      add_alone(group);
      add_several(group);
      if (groups_[group].P <= 3) add_searches(group);
    }
  }

  const std::vector<InterleavedCase>& cases() const noexcept { return cases_; }

  // Whether there is a call of what was asked for.
  bool has_wanted() const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const ManyCalls& many) {
      return std::any_of(many.calls.begin(), many.calls.end(),
                         [&](const CallOfAlgorithm& one) { return wanted(one); });
    });
  }

  Exploration prove(const InterleavedCase& one) const {
    if (one.part == kRings)
      return prove_ring({.slots = one.slots, .reports = one.reports}, one.pieces);
    const auto& many = groups_[one.group].calls;
    if (one.part == kAlone) {
      const WholeCall& call = *many[one.calls[0]].call;
      return {verify(call.schedules, call.problems)};
    }
    const Calls calls = calls_in(one);
    if (one.part == kSearches) return search_interleaved(calls, {}, kMostStates);
    return {verify_interleaved(calls, seed_of(one))};
  }

  std::string name(const InterleavedCase& one) const {
    if (one.part == kRings)
      return fmt::format("{} messages in a ring of {}", one.pieces.size(), one.slots);
    std::string text = fmt::format("P={}: ", groups_[one.group].P);
    for (std::uint32_t i = 0; i < one.count; ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", then ",
                          groups_[one.group].calls[one.calls[i]].call->name);
    return one.count > 1 ? fmt::format("{}; {}", text, name_of(one.manner)) : text;
  }

 private:
  bool wanted(const CallOfAlgorithm& one) const {
    return (!options_.collective || *options_.collective == one.algorithm->collective) &&
           (options_.algorithm.empty() || options_.algorithm == one.algorithm->name);
  }

  // All lengths of up to three messages, of one or two pieces, and more that are whole. Four slots
  // are the fewest at which reports wait until some are free.
  void add_rings() {
    using protocols::Reports;
    const auto add = [&](std::uint32_t slots, std::vector<int> pieces,
                         Reports reports = Reports::late) {
      InterleavedCase one{kRings};
      one.pieces = std::move(pieces);
      one.slots = slots;
      one.reports = reports;
      cases_.push_back(std::move(one));
    };
    for (const std::uint32_t slots : {1U, 2U})
      for (std::size_t messages = 1; messages <= 3; ++messages)
        for (unsigned long_ones = 0; long_ones < 1U << messages; ++long_ones) {
          if (options_.quick && messages == 3 && (slots == 2 || long_ones != 0)) continue;
          std::vector<int> pieces;
          pieces.reserve(messages);
          for (std::size_t i = 0; i < messages; ++i)
            pieces.push_back((long_ones >> i & 1U) ? 2 : 1);
          add(slots, pieces);
        }
    for (const Reports reports : {Reports::late, Reports::at_half})
      add(4, {1, 1, 1, 1, 1}, reports);
    if (options_.quick) return;
    for (const std::uint32_t slots : {1U, 2U}) add(slots, {1, 1, 1, 1});
    for (const Reports reports : {Reports::late, Reports::at_half}) {
      add(4, {2, 1, 1, 1}, reports);
      add(4, {2, 2, 2}, reports);
    }
  }

  void add(Part part, std::uint32_t group, std::vector<std::uint32_t> calls, Manner manner,
           std::uint64_t waits = 0) {
    const auto& many = groups_[group].calls;
    if (std::none_of(calls.begin(), calls.end(),
                     [&](std::uint32_t call) { return wanted(many[call]); }))
      return;
    InterleavedCase one{part, group};
    one.count = static_cast<std::uint32_t>(calls.size());
    std::copy(calls.begin(), calls.end(), one.calls.begin());
    one.manner = manner;
    one.waits = waits;
    cases_.push_back(std::move(one));
  }

  void add_alone(std::uint32_t group) {
    for (std::uint32_t i = 0; i < groups_[group].calls.size(); ++i)
      add(kAlone, group, {i}, Manner::all_at_once);
  }

  // Each with each, and with a third in turn; quick: with one in eleven.
  void add_several(std::uint32_t group) {
    const auto count = static_cast<std::uint32_t>(groups_[group].calls.size());
    const std::uint32_t stride = options_.quick ? 11 : 1;
    for (std::uint32_t i = 0; i < count; ++i)
      for (std::uint32_t j = i % stride; j < count; j += stride) {
        for (const Manner manner : kManners) add(kPairs, group, {i, j}, manner);
        const std::uint32_t third = (i * 7 + j * 3 + 1) % count;
        add(kTriples, group, {i, j, third}, kManners[(i + j / stride) % kManners.size()]);
      }
  }

  // Some pairs of few messages, each rank with and without a wait between them.
  void add_searches(std::uint32_t group) {
    const auto& many = groups_[group].calls;
    const std::uint32_t stride = options_.quick ? 17 : 2;
    for (std::uint32_t i = 0; i < many.size(); ++i)
      for (std::uint32_t j = i % stride; j < many.size(); j += stride) {
        if (many[i].messages + many[j].messages > kMostMessages) continue;
        for (std::uint64_t waits = 0; waits < 1U << groups_[group].P; ++waits)
          add(kSearches, group, {i, j}, Manner::mixed, waits);
        add(kSearches, group, {i, j}, Manner::opposite);
      }
  }

  static std::uint64_t seed_of(const InterleavedCase& one) {
    Hash hash;
    hash.add(one.group);
    for (const std::uint32_t call : one.calls) hash.add(call);
    return hash.add(static_cast<std::uint64_t>(one.manner)).value();
  }

  Calls calls_in(const InterleavedCase& one) const {
    Calls calls;
    const ManyCalls& many = groups_[one.group];
    calls.calls.reserve(one.count);
    calls.communicators.reserve(one.count);
    calls.scripts.reserve(index(many.P));
    for (std::uint32_t i = 0; i < one.count; ++i) {
      calls.calls.push_back(many.calls[one.calls[i]].call.get());
      calls.communicators.push_back(one.manner == Manner::opposite ? static_cast<int>(i) : 0);
    }
    for (Rank rank = 0; rank < many.P; ++rank) {
      std::vector<std::uint32_t> order(one.count);
      std::iota(order.begin(), order.end(), 0U);
      std::uint64_t waits = 0;
      switch (one.manner) {
        case Manner::all_at_once: break;
        case Manner::one_by_one: waits = ~std::uint64_t{0}; break;
        case Manner::mixed:
          waits = one.part == kSearches
                      ? one.waits >> static_cast<unsigned>(rank)
                      : Hash().add(seed_of(one)).add(static_cast<std::uint64_t>(rank)).value();
          break;
        case Manner::opposite:
          if (rank % 2 != 0) std::reverse(order.begin(), order.end());
          break;
      }
      calls.scripts.push_back(script_of(order, waits));
    }
    return calls;
  }

  const InterleavedOptions& options_;
  std::vector<ManyCalls> groups_;
  std::vector<InterleavedCase> cases_;
};

std::vector<InterleavedRow> empty_rows() {
  std::vector<InterleavedRow> rows(kParts);
  rows[kRings].what = "messages of a ring";
  rows[kRings].varied = "all orders; 1, 2 and 4 slots; up to 5 messages, of 1 and 2 pieces";
  rows[kAlone].what = "calls alone";
  rows[kAlone].varied = "each algorithm, once";
  rows[kSearches].what = "pairs, all orders";
  rows[kSearches].varied = fmt::format(
      "P <= 3, up to {} messages; ranks that wait between starts and that do not", kMostMessages);
  rows[kPairs].what = "pairs";
  rows[kPairs].varied = "all algorithms; four manners to start and wait";
  rows[kTriples].what = "triples";
  rows[kTriples].varied = "all pairs and a third in turn; four manners in turn";
  return rows;
}

}  // namespace

std::vector<int> interleaved_sizes(bool quick) {
  return quick ? std::vector<int>{1, 2, 3, 4} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8};
}

std::vector<InterleavedRow> prove_interleaved(const InterleavedOptions& options) {
  const Matrix matrix(options);
  if (!matrix.has_wanted()) return {};
  struct Result {
    Exploration found;
    double seconds = 0;
  };
  const std::vector<InterleavedCase>& cases = matrix.cases();
  std::vector<Result> results(cases.size());
  deal_out(cases.size(), options.threads, options.progress, [&](std::size_t i) {
    using Seconds = std::chrono::duration<double>;
    const auto start = std::chrono::steady_clock::now();
    results[i].found = matrix.prove(cases[i]);
    results[i].seconds = Seconds(std::chrono::steady_clock::now() - start).count();
  });
  std::vector<InterleavedRow> rows = empty_rows();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    InterleavedRow& row = rows[cases[i].part];
    const Exploration& found = results[i].found;
    ++row.cases;
    row.states += found.states;
    row.incomplete += found.complete ? 0 : 1;
    row.seconds += results[i].seconds;
    if (found.verdict.ok() || row.violations++ != 0) continue;
    row.first_violation = fmt::format("{}: {}: {}", matrix.name(cases[i]),
                                      name_of(found.verdict.violation), found.verdict.message);
  }
  return rows;
}

}  // namespace tutti::collectives
