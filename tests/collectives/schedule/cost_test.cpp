// Cost of building one rank's schedule: memory in proportion to the steps of that rank and to
// the number of ranks, never to its square. Counted, not timed.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

thread_local std::size_t allocated = 0;  // bytes, since the program began

// Bytes allocated for each step and rank.
double cost_of(const Algorithm& algorithm, int P) {
  Problem problem{{.collective = algorithm.collective, .bytes = 8}, P};
  give_needed_neighbours(algorithm, problem);
  problem = problem_of_rank(problem, P / 2);
  if (algorithm.collective == Collective::barrier) problem.bytes = 0;
  std::vector<int> node(index(P));
  for (Rank rank = 0; rank < P; ++rank) node[index(rank)] = rank / 4;
  problem.node = std::move(node);
  REQUIRE(!why_not(algorithm, problem, {}));
  const std::size_t before = allocated;
  const std::size_t steps = algorithm.build(problem, {}).steps.size();
  return static_cast<double>(allocated - before) / static_cast<double>(steps + index(P));
}

}  // namespace

// Each form that the program may use, as a sanitizer has forms of its own for the rest.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  allocated += bytes;
  return std::malloc(bytes);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("eight times the ranks do not cost more memory for each step and rank") {
  constexpr int kFew = tests::unless_sanitized(512, 64);
  for (const Algorithm& algorithm : algorithms()) {
    CAPTURE(name_of(algorithm.collective), algorithm.name);
    const double few = cost_of(algorithm, kFew), many = cost_of(algorithm, 8 * kFew);
    CHECK(many <= 2 * few);
  }
}

// The tree scatters 2^20 equal blocks: quadratic work would take half an hour.
TEST_CASE("the LogGP-optimal tree of a million ranks") {
  const Algorithm& algorithm = *find(Collective::scatter, "loggp");
  constexpr int P = tests::unless_sanitized(1 << 20, 1 << 12);
  Problem problem{{.collective = Collective::scatter, .bytes = 8}, P};
  std::size_t sent = 0;
  for (const Step& step : algorithm.build(problem, {}).steps)
    if (step.kind == StepKind::send) sent += index(length_of(step));
  CHECK(sent == 8 * (std::size_t{P} - 1));
}
