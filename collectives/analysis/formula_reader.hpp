// Reads formulas (formula.hpp) from left to right, and computes them on the way: as numbers, or as
// whatever else an Algebra has for values. Pure.
#pragma once

#include <cctype>
#include <map>
#include <string_view>

namespace tutti::collectives {

// An Algebra has a type Value and number(n), add(a, b), subtract(a, b), multiply(a, b),
// divide(a, b), power(base, exponent), least(a, b), up(a), down(a), log2(a), log_of_base(a, k),
// digits(a, k), and sum(end, term), where term(i) is the value of what is added up.
template <class Algebra>
class FormulaReader {
 public:
  using Value = typename Algebra::Value;
  using Letters = std::map<char, Value>;

  // The formula, with the letters that are defined behind it. Definitions may use later ones, so
  // the last one comes first.
  static Value value_of(std::string_view formula, Letters letters) {
    for (std::size_t equals = formula.rfind(" = "); equals != formula.npos;
         equals = formula.rfind(" = ")) {
      letters[formula[equals - 1]] = FormulaReader{formula.substr(equals + 3), letters}.sum();
      formula = formula.substr(0, equals - 3);
    }
    return FormulaReader{formula, letters}.sum();
  }

 private:
  FormulaReader(std::string_view text, Letters& letters) : text_(text), letters_(letters) {}

  Value sum() {
    Value value = product();
    for (;;) {
      if (take("+"))
        value = Algebra::add(value, product());
      else if (take("-"))
        value = Algebra::subtract(value, product());
      else
        return value;
    }
  }

  Value product() {
    Value value = power();
    for (;;) {
      if (take("/"))
        value = Algebra::divide(value, power());
      else if (starts_factor())
        value = Algebra::multiply(value, power());
      else
        return value;
    }
  }

  Value power() {
    const Value base = factor();
    return take("^") ? Algebra::power(base, factor()) : base;
  }

  Value factor() {
    if (take("ceil(")) return Algebra::up(closed());
    if (take("floor(")) return Algebra::down(closed());
    if (take("log2")) return Algebra::log2(factor());
    if (take("log_{k+1}")) return Algebra::log_of_base(factor(), letters_['k']);
    if (take("d(")) return Algebra::digits(closed(), letters_['k']);
    if (take("min(")) {
      const Value first = sum();
      take(",");
      return Algebra::least(first, closed());
    }
    if (take("sum_{i<")) {
      const Value end = sum();
      take("}");
      return repeated(end);
    }
    if (take("(")) return closed();
    if (is_digit(text_[at_])) return number();
    return letters_[text_[at_++]];
  }

  Value repeated(Value end) {
    const std::size_t body = at_;
    return Algebra::sum(end, [&](Value i) {
      at_ = body;
      letters_['i'] = i;
      return product();
    });
  }

  Value number() {
    double value = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
      value = 10 * value + (text_[at_] - '0');
    return Algebra::number(value);
  }

  Value closed() {
    const Value value = sum();
    take(")");
    return value;
  }

  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool starts_factor() {
    skip_blanks();
    return at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '(');
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    skip_blanks();
    return true;
  }

  const std::string_view text_;
  Letters& letters_;
  std::size_t at_ = 0;
};

}  // namespace tutti::collectives
