// The cases of `tutti verify`: lists and proves them, and adds up the rows. No I/O.
#include "collectives/analysis/proof.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/bits.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/dealt.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/analysis/verifier.hpp"
#include "collectives/selection/choices.hpp"

namespace tutti::collectives {
namespace {

constexpr int kEveryRootUpTo = 33;
constexpr int kLargestFanout = 4;
// Nothing, one byte, and a prime number of bytes. Sizes in between cannot differ, as the verifier
// follows extents of bytes.
constexpr Bytes kSizes[] = {0, 1, 4099};
constexpr LogGP kSlowStart{.L = 50, .g = 1, .G = 0.01};
constexpr Bytes kSegments[] = {0, 64, 1000};  // the last segment is short in both

// The graph of neighbours; none: the neighbours that a problem has by itself.
enum class Shape : std::uint8_t {
  none,
  grid,
  torus,
  flat_torus,
  graph,
  other_graph,
  stencil,
  solid_stencil,
  random_stencil,
  other_stencil,
};
constexpr int kShapes = 10;
constexpr std::string_view kShapeNames[kShapes] = {"",
                                                   "grid",
                                                   "torus",
                                                   "torus with dimensions of 1",
                                                   "graph",
                                                   "other graph",
                                                   "stencil in two dimensions",
                                                   "stencil in three dimensions",
                                                   "random stencil",
                                                   "other random stencil"};

struct Case {
  std::size_t row;
  const Algorithm* algorithm;
  Problem problem;
  Parameters parameters;
  Shape shape = Shape::none;
  bool uneven = false;  // of a shape: each block has a length of its own
};

Neighbourhoods neighbourhoods(Shape shape, int P) {
  const int rows = even_torus(P, 2).front();
  switch (shape) {
    case Shape::grid: return grid_of({{rows, false}, {P / rows, false}});
    case Shape::torus: return grid_of({{rows, true}, {P / rows, true}});
    case Shape::flat_torus: return grid_of({{1, true}, {P, true}, {1, true}});
    case Shape::graph: return random_graph(P, 1);
    case Shape::stencil: return at_all_ranks(stencil_on(even_torus(P, 2)));
    case Shape::solid_stencil: return at_all_ranks(stencil_on(even_torus(P, 3)));
    case Shape::random_stencil: return at_all_ranks(random_stencil(even_torus(P, 3), 1));
    case Shape::other_stencil: return at_all_ranks(random_stencil(even_torus(P, 2), 2));
    default: return random_graph(P, 2);
  }
}

std::vector<Problem> problems_of(const Case& one) {
  if (one.shape == Shape::none) return problems_of_all_ranks(one.problem);
  return problems_in(neighbourhoods(one.shape, one.problem.P), one.problem, one.uneven);
}

std::vector<Rank> some_roots(int P) { return {0, 1, P / 2, P - 1}; }

std::vector<Rank> roots(Collective collective, int P) {
  std::vector<Rank> all;
  if (!is_rooted(collective)) return {0};
  if (P > kEveryRootUpTo) return some_roots(P);
  all.reserve(index(P));
  for (Rank root = 0; root < P; ++root) all.push_back(root);
  return all;
}

// Every algorithm that can be a level of this one: each of them within, each across, paired in
// turn.
std::vector<Parameters> levels_of(const Algorithm& algorithm) {
  std::vector<Nested> within, across;
  for (const Algorithm& level : algorithms()) {
    if (!can_be_level(level)) continue;
    const Nested one{&level, level.traits.k ? 2 : 1};
    if (level.collective == Collective::bcast) within.push_back(one);
    if (level.collective == across_of(algorithm.collective)) across.push_back(one);
  }
  std::vector<Parameters> all;
  for (std::size_t i = 0; i < std::max(within.size(), across.size()); ++i)
    all.push_back({.within = within[i % within.size()], .across = across[(i + 1) % across.size()]});
  return all;
}

// The many segments of a message behave alike, so for many ranks few are enough; the P² messages of
// an all-to-all are left whole, and k is 1 or 2.
std::vector<Parameters> variants(const Algorithm& algorithm, const Problem& problem) {
  const int P = problem.P;
  std::vector<Parameters> all;
  const std::vector<Rank> few = some_roots(P);
  if (algorithm.traits.levels && !problem.node.empty() && P <= kEveryRootUpTo &&
      std::find(few.begin(), few.end(), problem.root) != few.end())
    all = levels_of(algorithm);
  const bool many_blocks = P > kEveryRootUpTo && algorithm.collective == Collective::alltoall;
  const int largest = !algorithm.traits.k ? 1 : many_blocks ? 2 : kLargestFanout;
  for (int k = 1; k <= largest; ++k) {
    for (Bytes segment : kSegments) {
      if (segment != 0 &&
          (!algorithm.traits.segment || (P > kEveryRootUpTo && segment == kSegments[1])))
        continue;
      if (segment != 0 && many_blocks) continue;
      all.push_back({.k = k, .segment = segment});
    }
  }
  if (algorithm.traits.root) all.push_back({.k = 2, .root = P - 1});
  if (algorithm.traits.times) all.push_back({.times = kSlowStart});
  return all;
}

// Lengths that differ, some of them zero, all of them multiples of `element`.
std::vector<Bytes> uneven(int P, int seed, Bytes element) {
  std::vector<Bytes> counts;
  counts.reserve(index(P));
  for (int i = 0; i < P; ++i)
    counts.push_back((i + seed) % 3 == 0 ? 0 : ((i * 7 + seed * 5) % 11 + 1) * element);
  return counts;
}

// The nodes of the ranks, numbered in order of first appearance: `per_node` neighbours on each, or
// the ranks dealt out in turn to the same number of nodes.
std::vector<int> nodes_of(int P, int per_node, bool in_turn) {
  std::vector<int> node;
  node.reserve(index(P));
  const int nodes = divide_up(P, per_node);
  for (int rank = 0; rank < P; ++rank) node.push_back(in_turn ? rank % nodes : rank / per_node);
  return node;
}

// The problems of an algorithm: sizes, roots, shapes of buffers, nodes.
std::vector<Problem> problems(const Algorithm& algorithm, int P) {
  const Collective collective = algorithm.collective;
  std::vector<Problem> all;
  const auto add = [&](Problem problem) {
    all.push_back(problem);
    if (!may_be_in_place(collective)) return;
    problem.in_place = true;
    if (collective == Collective::alltoall && !problem.counts.empty())
      problem.counts = problem.receive_counts;
    all.push_back(problem);
  };
  const auto add_sizes = [&](const Problem& base) {
    for (Bytes bytes : kSizes) {
      if (collective == Collective::barrier && bytes != 0) continue;
      Problem problem = base;
      problem.bytes = bytes;
      add(problem);
    }
    if (!has_blocks(collective)) return;
    Problem problem = base;
    problem.counts = uneven(P, 1, base.element);
    if (collective == Collective::alltoall)
      problem.receive_counts = problem.counts;  // each rank gets its own, problems_of_all_ranks()
    if (collective != Collective::alltoall || P <= kEveryRootUpTo) add(problem);
  };
  for (Rank root : roots(collective, P)) {
    Problem base{{.collective = collective, .root = root}, P};
    add_sizes(base);
    if (reduces(collective)) {
      base.commutative = false;
      add_sizes(base);
      base.left_fold = true;
      add_sizes(base);
      base.left_fold = false;
      base.element = 8;
      base.bytes = 8 * 129;
      add(base);
    }
    if (algorithm.traits.nodes) {
      for (const bool in_turn : {false, true}) {
        Problem layered{{.collective = collective, .root = root}, P};
        layered.node = nodes_of(P, 3, in_turn);
        add_sizes(layered);
      }
    }
  }
  return all;
}

std::string varied(const Algorithm& algorithm) {
  std::vector<std::string> what;
  if (algorithm.traits.k) what.push_back(fmt::format("k = 1…{}", kLargestFanout));
  if (algorithm.traits.segment)
    what.push_back(fmt::format("segment = {}", fmt::join(kSegments, ", ")));
  if (algorithm.traits.root) what.push_back("root = 0, P-1");
  if (algorithm.traits.times) what.push_back("two machines");
  if (is_rooted(algorithm.collective))
    what.push_back(fmt::format("every root (P > {}: 4)", kEveryRootUpTo));
  if (algorithm.collective != Collective::barrier)
    what.push_back(fmt::format("bytes = {}", fmt::join(kSizes, ", ")));
  if (has_blocks(algorithm.collective)) what.push_back("uneven counts");
  if (may_be_in_place(algorithm.collective)) what.push_back("in place or not");
  if (reduces(algorithm.collective)) what.push_back("commutative or not");
  if (is_of_neighbours(algorithm.collective))
    what.push_back("ring, grid, tori, two graphs, four stencils; uneven counts");
  if (algorithm.traits.nodes) what.push_back("nodes");
  if (algorithm.traits.levels)
    what.push_back(fmt::format("all levels within and across (P <= {})", kEveryRootUpTo));
  return fmt::format("{}", fmt::join(what, "; "));
}

std::string name_case(const Case& one) {
  const Problem& problem = one.problem;
  return fmt::format("{} {} P={} root={} bytes={}{}{}{}{}{}{}{}", name_of(problem.collective),
                     to_string({one.algorithm, one.parameters}), problem.P, problem.root,
                     problem.bytes, problem.counts.empty() && !one.uneven ? "" : " uneven counts",
                     one.shape == Shape::none ? "" : " in a ", kShapeNames[index(one.shape)],
                     problem.in_place ? " in place" : "",
                     problem.left_fold     ? " from left to right"
                     : problem.commutative ? ""
                                           : " not commutative",
                     problem.element > 1 ? fmt::format(" elements of {}", problem.element) : "",
                     problem.node.empty() ? "" : " on several nodes");
}

// The last case once more in each shape, and with lengths that differ.
void add_shapes(std::vector<Case>& cases) {
  for (int shape = 1; shape < kShapes; ++shape)
    for (const bool uneven : {false, true}) {
      Case one = cases.back();
      one.shape = static_cast<Shape>(shape);
      one.uneven = uneven;
      // The lengths do not depend on the problem's.
      if (!uneven || one.problem.bytes == kSizes[0]) cases.push_back(std::move(one));
    }
}

// "" : proved.
std::string prove_case(const Case& one, const std::vector<Problem>& problems) {
  std::vector<Schedule> schedules;
  schedules.reserve(problems.size());
  try {
    for (const Problem& problem : problems)
      schedules.push_back(one.algorithm->build(problem, one.parameters));
  } catch (const std::exception& error) {  // such as of what has no mirror
    return fmt::format("{}: no schedule: {}", name_case(one), error.what());
  }
  const Verdict verdict = verify(schedules, problems);
  if (verdict.ok()) return {};
  return fmt::format("{}: {}: {}", name_case(one), name_of(verdict.violation), verdict.message);
}

struct Result {
  bool skipped = false;
  std::string violation;
  double seconds = 0;
};

Result run_case(const Case& one) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Problem> problems = problems_of(one);
  if (why_not(*one.algorithm, problems.front(), one.parameters))
    return {.skipped = true, .violation = {}};
  Result result;
  result.violation = prove_case(one, problems);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

std::vector<int> proof_sizes() {
  std::vector<int> sizes;
  for (int P = 1; P <= kEveryRootUpTo; ++P) sizes.push_back(P);
  sizes.insert(sizes.end(), {64, 127, 128, 129, 257, 1000});
  return sizes;
}

std::vector<ProofRow> prove(const ProofOptions& options) {
  const std::vector<int> sizes = options.P.empty() ? proof_sizes() : options.P;
  std::vector<ProofRow> rows;
  std::vector<Case> cases;
  for (const Algorithm& algorithm : algorithms()) {
    if (options.collective && *options.collective != algorithm.collective) continue;
    if (!options.algorithm.empty() && options.algorithm != algorithm.name) continue;
    ProofRow row;
    row.collective = algorithm.collective;
    row.algorithm = algorithm.name;
    row.parameters = varied(algorithm);
    row.P = sizes;
    for (int P : sizes) {
      for (const Problem& problem : problems(algorithm, P)) {
        for (const Parameters& parameters : variants(algorithm, problem)) {
          cases.push_back({rows.size(), &algorithm, problem, parameters});
          if (is_of_neighbours(algorithm.collective)) add_shapes(cases);
        }
      }
    }
    rows.push_back(std::move(row));
  }
  std::vector<Result> results(cases.size());
  deal_out(cases.size(), options.threads, options.progress,
           [&](std::size_t i) { results[i] = run_case(cases[i]); });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ProofRow& row = rows[cases[i].row];
    ++(results[i].skipped ? row.skipped : row.cases);
    row.seconds += results[i].seconds;
    if (results[i].violation.empty()) continue;
    if (row.violations++ == 0) row.first_violation = results[i].violation;
  }
  return rows;
}

}  // namespace tutti::collectives
