// Enumerates the cases, deals them to threads, adds up the rows. No I/O.
#include "collectives/proof.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "collectives/verifier.hpp"

namespace tutti::collectives {
namespace {

constexpr int kEveryRootUpTo = 33;
constexpr int kLargestFanout = 4;
// Nothing, one byte, and a prime of bytes. Sizes in between cannot differ: the verifier follows runs of bytes.
constexpr Bytes kSizes[] = {0, 1, 4099};
constexpr Bytes kSegments[] = {0, 64, 1000};  // the last segment is short in both

struct Case {
  std::size_t row;
  const Algorithm* algorithm;
  Problem problem;
  Parameters parameters;
};

std::vector<Rank> roots(Collective collective, int P) {
  std::vector<Rank> all;
  if (collective != Collective::bcast) return {0};
  if (P > kEveryRootUpTo) return {0, 1, P / 2, P - 1};
  all.reserve(static_cast<std::size_t>(P));
  for (Rank root = 0; root < P; ++root) all.push_back(root);
  return all;
}

std::vector<Parameters> variants(const Algorithm& algorithm) {
  std::vector<Parameters> all;
  for (int k = 1; k <= (algorithm.has_k ? kLargestFanout : 1); ++k) {
    for (Bytes segment : kSegments) {
      if (segment == 0 || algorithm.has_segment) all.push_back({k, segment});
    }
  }
  return all;
}

std::vector<Problem> problems(Collective collective, int P) {
  std::vector<Problem> all;
  for (Rank root : roots(collective, P)) {
    for (Bytes bytes : kSizes) {
      if (collective == Collective::barrier && bytes != 0) continue;
      all.push_back({collective, P, 0, root, bytes, false});
      if (collective == Collective::allgather) all.push_back({collective, P, 0, root, bytes, true});
    }
  }
  return all;
}

std::string varied(const Algorithm& algorithm) {
  std::vector<std::string> what;
  if (algorithm.has_k) what.push_back(fmt::format("k = 1…{}", kLargestFanout));
  if (algorithm.has_segment) what.push_back(fmt::format("segment = {}", fmt::join(kSegments, ", ")));
  if (algorithm.collective == Collective::bcast) what.push_back("roots");
  if (algorithm.collective != Collective::barrier) what.push_back(fmt::format("bytes = {}", fmt::join(kSizes, ", ")));
  if (algorithm.collective == Collective::allgather) what.push_back("in place or not");
  return fmt::format("{}", fmt::join(what, "; "));
}

std::string name_case(const Case& one) {
  const Problem& problem = one.problem;
  return fmt::format("{} {} P={} root={} bytes={}{}", name_of(problem.collective), to_string({one.algorithm, one.parameters}), problem.P,
                     problem.root, problem.bytes, problem.in_place ? " in place" : "");
}

// "" : proved.
std::string prove_case(const Case& one) {
  std::vector<Schedule> all_ranks;
  all_ranks.reserve(static_cast<std::size_t>(one.problem.P));
  Problem problem = one.problem;
  for (problem.rank = 0; problem.rank < problem.P; ++problem.rank) {
    all_ranks.push_back(one.algorithm->build(problem, one.parameters));
  }
  const Verdict verdict = verify(all_ranks, one.problem);
  if (verdict.ok()) return {};
  return fmt::format("{}: {}: {}", name_case(one), name_of(verdict.violation), verdict.message);
}

struct Result {
  bool skipped = false;
  std::string violation;
  double seconds = 0;
};

Result run_case(const Case& one) {
  if (one.algorithm->not_applicable(one.problem, one.parameters)) return {.skipped = true, .violation = {}};
  const auto start = std::chrono::steady_clock::now();
  Result result;
  result.violation = prove_case(one);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void run_all(const std::vector<Case>& cases, std::vector<Result>& results, const ProofOptions& options) {
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < cases.size();) {
      results[i] = run_case(cases[i]);
      if (!options.progress) continue;
      const std::lock_guard lock{reporting};
      options.progress(++done, cases.size());
    }
  };
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(threads, cases.size()); ++i) helpers.emplace_back(work);
  work();
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
      for (const Problem& problem : problems(algorithm.collective, P)) {
        for (const Parameters& parameters : variants(algorithm)) cases.push_back({rows.size(), &algorithm, problem, parameters});
      }
    }
    rows.push_back(std::move(row));
  }
  std::vector<Result> results(cases.size());
  run_all(cases, results, options);
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
