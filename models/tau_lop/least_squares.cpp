// Normal equations, by elimination: there are no more unknowns than numbers of processes.
#include "models/tau_lop/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tutti::models::tau_lop {
namespace {

using Row = std::vector<double>;

// The coefficients of the unknowns.
Row row_of(const Equation& equation, const std::vector<int>& taus) {
  Row row(taus.size());
  for (const auto& [tau, times] : equation.transfers) {
    const auto after = std::lower_bound(taus.begin(), taus.end(), tau);
    const auto at = static_cast<std::size_t>(after - taus.begin());
    if (after == taus.end()) {
      row.back() += times * tau / taus.back();
    } else if (*after == tau || at == 0) {
      row[at] += times;
    } else {
      const int before = *std::prev(after);
      const double share = static_cast<double>(tau - before) / (*after - before);
      row[at - 1] += times * (1 - share);
      row[at] += times * share;
    }
  }
  return row;
}

// Makes a symmetric system one of a diagonal; where none is left the unknown is not told.
std::vector<bool> eliminate(std::vector<Row>& system) {
  const std::size_t n = system.size();
  std::vector<bool> told(n);
  for (std::size_t i = 0; i < n; ++i) {
    constexpr double kNothing = 1e-9;
    if (system[i][i] <= kNothing) continue;
    told[i] = true;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const double times = system[j][i] / system[i][i];
      for (std::size_t k = i; k <= n; ++k) system[j][k] -= times * system[i][k];
    }
  }
  return told;
}

}  // namespace

std::map<int, double> solve(std::span<const Equation> equations, const std::vector<int>& taus) {
  const std::size_t n = taus.size();
  std::vector<Row> normal(n, Row(n + 1));  // RᵀR l = Rᵀd; the last column is the right-hand side
  for (const Equation& equation : equations) {
    const Row row = row_of(equation, taus);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) normal[i][j] += row[i] * row[j];
      normal[i][n] += row[i] * equation.time;
    }
  }
  const std::vector<bool> told = eliminate(normal);
  std::map<int, double> found;
  for (std::size_t i = 0; i < n; ++i)
    if (told[i]) found[taus[i]] = normal[i][n] / normal[i][i];
  return found;
}

}  // namespace tutti::models::tau_lop
