// Formulas that are known from the papers, fitted to what was counted: times one of them, plus a
// number. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "collectives/analysis/naming.hpp"

namespace tutti::collectives {

std::size_t known_formulas() noexcept;  // how many

// `times` a known formula, plus a number; the number alone if known is kConstant.
struct Fit {
  static constexpr std::size_t kConstant = ~std::size_t{0};
  std::size_t known = kConstant;
  int times = 1;
  double plus = 0;
  double operator()(const Point& at) const;
};

// "2(P-1) m"; the definitions of its letters, if it has any, are where().
std::string text_of(const Fit& fit, bool bytes);
std::string_view where(const Fit& fit) noexcept;

// A number as a reader would write it: "3/2"; and a text with m behind it, if it is of bytes.
std::string plain(double number);
std::string with_unit(std::string text, bool bytes);

// Would a reader want this one? No rounded logarithms if all are whole, no k if it is always 1, and
// not "P + 2 + 1".
bool may_try(const Fit& fit, Naming naming);

// Calls visit() with every candidate, simple ones first, until it returns true.
template <class Visit>
void candidates(Naming naming, const Visit& visit) {
  for (const int plus : {0, 1, -1, 2, -2, 3, -3, 4, 5, 6})
    for (const int times : {1, 2, 3, 4, 5})
      for (std::size_t known = 0; known < known_formulas(); ++known) {
        const Fit fit{known, times, static_cast<double>(plus)};
        if (may_try(fit, naming) && visit(fit)) return;
      }
}

}  // namespace tutti::collectives
