// Reads the formulas that `tutti list` prints, and computes them. Pure.
#include "collectives/analysis/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace tutti::collectives {
namespace {

// Reads one formula from left to right, and computes it on the way.
class Reader {
 public:
  Reader(std::string_view text, std::map<char, double>& letters) : text_(text), letters_(letters) {}

  double sum() {
    double value = product();
    for (;;) {
      if (take("+"))
        value += product();
      else if (take("-"))
        value -= product();
      else
        return value;
    }
  }

 private:
  double product() {
    double value = power();
    for (;;) {
      if (take("/"))
        value /= power();
      else if (starts_factor())
        value *= power();
      else
        return value;
    }
  }

  double power() {
    const double base = factor();
    return take("^") ? std::pow(base, factor()) : base;
  }

  double factor() {
    if (take("ceil(")) return std::ceil(closed() - kNear);
    if (take("floor(")) return std::floor(closed() + kNear);
    if (take("log2")) return std::log2(factor());
    if (take("log_{k+1}")) return std::log(factor()) / std::log(letters_['k'] + 1);
    if (take("d(")) return digits(closed());
    if (take("min(")) {
      const double first = sum();
      take(",");
      return std::min(first, closed());
    }
    if (take("sum_{i<")) {
      const double end = sum();
      take("}");
      return repeated(end);
    }
    if (take("(")) return closed();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    return letters_[text_[at_++]];
  }

  double repeated(double end) {
    const std::size_t body = at_;
    double value = 0;
    for (int i = 0; i < end - kNear; ++i) {
      at_ = body;
      letters_['i'] = i;
      value += product();
    }
    return value;
  }

  double digits(double of) {
    int count = 0;
    const int base = static_cast<int>(letters_['k']) + 1;
    for (int rest = static_cast<int>(of); rest != 0; rest /= base)
      count += rest % base != 0 ? 1 : 0;
    return count;
  }

  double number() {
    double value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      value = 10 * value + (text_[at_] - '0');
    return value;
  }

  double closed() {
    const double value = sum();
    take(")");
    return value;
  }

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
  std::map<char, double>& letters_;
  std::size_t at_ = 0;
};

}  // namespace

bool near(double a, double b) noexcept {
  return std::abs(a - b) <= kNear * std::max(1.0, std::abs(b));
}

double evaluate(std::string_view formula, int P, int k) {
  std::map<char, double> letters{{'P', P}, {'k', k}, {'N', P / 4.}, {'m', 1}};
  double side = 1;
  while (side * side < P || P % static_cast<int>(side) != 0) ++side;
  letters['C'] = side;
  // Definitions stand behind the formula and may use later ones, so the last one comes first.
  for (std::size_t equals = formula.rfind(" = "); equals != formula.npos;
       equals = formula.rfind(" = ")) {
    letters[formula[equals - 1]] = Reader{formula.substr(equals + 3), letters}.sum();
    formula = formula.substr(0, equals - 3);
  }
  return Reader{formula, letters}.sum();
}

std::string_view legend() noexcept {
  return "m: bytes of a rank's block (scatter, gather, allgather, alltoall, reduce_scatter), else "
         "of the message.\n"
         "N = P/4: the nodes. C: the smallest divisor of P that is not below its square root.\n"
         "d(i): the digits of i other than 0, in base k+1 (2 without a k). sum_{i<n}: the sum over "
         "i = 0, 1, ... below n.\n";
}

}  // namespace tutti::collectives
