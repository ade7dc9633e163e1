// The asymptotic class of a formula that `tutti list` prints, read from the formula itself. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::collectives {

// P^power (log P)^logs, up to a factor; anything that does not depend on P is of the class 1.
struct AsymptoticClass {
  double power = 0;
  int logs = 0;
  auto operator<=>(const AsymptoticClass&) const = default;  // NOLINT(*ptr)
};

// How the formula's value grows with the number of ranks, for fixed k. If there are two cases ("A
// if P is a power of two, else B") the larger class counts; a bound counts like a formula,
// exceptions for a few P do not. Nothing if the text says that there is no formula, and no bound.
std::optional<AsymptoticClass> asymptotic_class(std::string_view formula);

// "1", "log P", "P^2 log P"
std::string to_string(AsymptoticClass one);

}  // namespace tutti::collectives
