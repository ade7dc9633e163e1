// Computes formulas with classes in place of numbers: a sum is as large as its largest term, and
// what is subtracted never cancels that. Pure.
#include "collectives/analysis/asymptotic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/analysis/formula_reader.hpp"

namespace tutti::collectives {
namespace {

struct Classes {
  struct Value {
    AsymptoticClass grows;
    double constant = 0;  // a number's value; it counts as an exponent
  };
  static Value of(AsymptoticClass one) { return {one, 0}; }
  static Value number(double n) { return {{}, n}; }
  static Value add(Value a, Value b) { return of(std::max(a.grows, b.grows)); }
  static Value subtract(Value a, Value b) { return add(a, b); }
  static Value multiply(Value a, Value b) {
    return of({a.grows.power + b.grows.power, a.grows.logs + b.grows.logs});
  }
  static Value divide(Value a, Value b) {
    return of({a.grows.power - b.grows.power, a.grows.logs - b.grows.logs});
  }
  // The exponent is a number, or a logarithm to this base.
  static Value power(Value base, Value exponent) {
    if (exponent.grows.logs > 0) return of({1, 0});
    const double n = exponent.constant;
    return n == 0 ? base : of({base.grows.power * n, static_cast<int>(base.grows.logs * n)});
  }
  static Value least(Value a, Value b) { return of(std::min(a.grows, b.grows)); }
  static Value up(Value a) { return of(a.grows); }
  static Value down(Value a) { return of(a.grows); }
  // No algorithm has the logarithm of a logarithm.
  static Value log2(Value a) { return of({0, a.grows.power > 0 ? 1 : 0}); }
  static Value log_of_base(Value a, Value) { return log2(a); }
  static Value digits(Value a, Value) { return log2(a); }
  // Terms that double make a sum as large as the last one; others count as often as there are any.
  template <class Term>
  static Value sum(Value end, const Term& term) {
    const Value first = term(Value{}), last = term(end);
    const bool double_each_time = end.grows.power == 0 && last.grows.power > first.grows.power;
    return double_each_time ? last : multiply(end, add(first, last));
  }
};

// The first formula of the text, without what it says of small P.
std::string_view first_of(std::string_view text) {
  constexpr std::string_view kBound = "at most ", kSmall = "0 if P <= ", kElse = ", else ";
  if (text.starts_with(kBound)) text.remove_prefix(kBound.size());
  if (text.starts_with(kSmall)) text.remove_prefix(text.find(kElse) + kElse.size());
  return text.substr(0, text.find(" (P="));
}

}  // namespace

std::optional<AsymptoticClass> asymptotic_class(std::string_view formula) {
  constexpr std::string_view kCondition = " if P is", kElse = ", else ", kButABound = "; ";
  if (formula.starts_with("no formula")) {
    const std::size_t bound = formula.find(kButABound);
    if (bound == formula.npos) return std::nullopt;
    formula.remove_prefix(bound + kButABound.size());
  }
  const auto read = [](std::string_view text) {
    return FormulaReader<Classes>::value_of(text,
                                            {{'P', {{1, 0}}}, {'N', {{1, 0}}}, {'C', {{.5, 0}}}})
        .grows;
  };
  formula = first_of(formula);
  const std::size_t condition = formula.find(kCondition);
  if (condition == formula.npos) return read(formula);
  const std::string_view otherwise = formula.substr(formula.find(kElse) + kElse.size());
  return std::max(read(formula.substr(0, condition)), read(otherwise));
}

std::string to_string(AsymptoticClass one) {
  const int whole = static_cast<int>(one.power);
  std::string text = whole > 1 ? fmt::format("P^{}", whole) : whole == 1 ? "P" : "";
  const auto add = [&](std::string_view factor) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", factor);
  };
  if (one.power > whole) add("sqrt P");
  if (one.logs == 1) add("log P");
  if (one.logs > 1) add(fmt::format("log^{} P", one.logs));
  return text.empty() ? "1" : text;
}

}  // namespace tutti::collectives
