// TAU §7.4's systems, solved by hand.
#include "models/tau_lop/least_squares.hpp"

#include <catch2/catch.hpp>

using tutti::models::tau_lop::Equation;
using tutti::models::tau_lop::solve;
using Solution = std::map<int, double>;

namespace {

// (7.7): rings of 1 to 4 processes, each two transfers.
std::vector<Equation> four_rings() {
  std::vector<Equation> all;
  for (const int tau : {1, 2, 3, 4}) all.push_back({{{tau, 2}}, 2.0 * tau});
  return all;
}

}  // namespace

TEST_CASE("least squares: a system of rings alone is solved exactly") {
  const Solution found = solve(four_rings(), {1, 2, 3, 4});
  for (const int tau : {1, 2, 3, 4}) CHECK(found.at(tau) == Approx(tau));
}

TEST_CASE("least squares: a broadcast of four processes, 2L(1) + 2L(2)") {
  std::vector<Equation> system = four_rings();
  system.push_back({{{1, 2}, {2, 2}}, 6});  // as the rings say
  Solution found = solve(system, {1, 2, 3, 4});
  for (const int tau : {1, 2, 3, 4}) CHECK(found.at(tau) == Approx(tau));
  // 6 us more: the errors of three equations that share it are alike, 2 us each.
  system.back().time = 12;
  found = solve(system, {1, 2, 3, 4});
  CHECK(found.at(1) == Approx(2));
  CHECK(found.at(2) == Approx(3));
  CHECK(found.at(3) == Approx(3));
  CHECK(found.at(4) == Approx(4));
}

TEST_CASE("least squares: what is not asked for lies between what is, or grows in proportion") {
  const std::vector<Equation> system{{{{1, 1}}, 1}, {{{4, 1}}, 4}, {{{2, 3}}, 6}, {{{8, 1}}, 8}};
  const Solution found = solve(system, {1, 4});
  CHECK(found.at(1) == Approx(1));
  CHECK(found.at(4) == Approx(4));
}

TEST_CASE("least squares: what no equation tells is left out") {
  const std::vector<Equation> system{{{{2, 2}}, 5}};
  CHECK(solve(system, {1, 2, 3}) == Solution{{2, 2.5}});
  CHECK(solve({}, {1, 2}).empty());
}
