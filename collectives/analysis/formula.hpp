// Formulas as `tutti list` prints them, and what they come to. Pure.
#pragma once

#include <string_view>

namespace tutti::collectives {

// A formula is a text such as "2^f f m, f = floor(log2 P)": sums, products (factors side by side),
// quotients and powers of whole numbers, min(a, b), ceil(a), floor(a), log2 a, log_{k+1} a,
// sum_{i<n} a, d(i), the letters P, k, N and C, and letters that are defined behind it. m counts as
// 1. Requires a text of this kind.
double evaluate(std::string_view formula, int P, int k);

// For readers: what the letters and d(i) stand for.
std::string_view legend() noexcept;

// How far rounding and logarithms may put a value off a formula.
inline constexpr double kNear = 1e-6;
bool near(double a, double b) noexcept;

}  // namespace tutti::collectives
