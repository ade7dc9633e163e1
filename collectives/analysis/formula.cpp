// Computes the formulas that `tutti list` prints. Pure.
#include "collectives/analysis/formula.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/analysis/formula_reader.hpp"

namespace tutti::collectives {
namespace {

struct Numbers {
  using Value = double;
  static double number(double n) { return n; }
  static double add(double a, double b) { return a + b; }
  static double subtract(double a, double b) { return a - b; }
  static double multiply(double a, double b) { return a * b; }
  static double divide(double a, double b) { return a / b; }
  static double power(double base, double exponent) { return std::pow(base, exponent); }
  static double least(double a, double b) { return std::min(a, b); }
  static double up(double a) { return std::ceil(a - kNear); }
  static double down(double a) { return std::floor(a + kNear); }
  static double log2(double a) { return std::log2(a); }
  static double log_of_base(double a, double k) { return std::log(a) / std::log(k + 1); }
  static double digits(double of, double k) {
    int count = 0;
    const int base = static_cast<int>(k) + 1;
    for (int rest = static_cast<int>(of); rest != 0; rest /= base)
      count += rest % base != 0 ? 1 : 0;
    return count;
  }
  template <class Term>
  static double sum(double end, const Term& term) {
    double value = 0;
    int i = 0;
    do value += term(i);  // once at least, to read past the text of the term
    while (++i < end - kNear);
    return end > kNear ? value : 0;
  }
};

}  // namespace

bool near(double a, double b) noexcept {
  return std::abs(a - b) <= kNear * std::max(1.0, std::abs(b));
}

double evaluate(std::string_view formula, int P, int k) {
  double side = 1;
  while (side * side < P || P % static_cast<int>(side) != 0) ++side;
  return FormulaReader<Numbers>::value_of(
      formula, {{'P', P}, {'k', k}, {'N', P / 4.}, {'m', 1}, {'C', side}});
}

std::string_view legend() noexcept {
  return "m: bytes of a rank's block (scatter, gather, allgather, alltoall, reduce_scatter), else "
         "of the message.\n"
         "N = P/4: the nodes. C: the smallest divisor of P that is not below its square root.\n"
         "d(i): the digits of i other than 0, in base k+1 (2 without a k). sum_{i<n}: the sum over "
         "i = 0, 1, ... below n.\n";
}

}  // namespace tutti::collectives
