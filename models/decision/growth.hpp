// How a quantity grows with the number of ranks: its asymptotic class, from the differences between
// three values. Pure.
#pragma once

#include <array>
#include <string_view>

namespace tutti::models {

// Each number of ranks or nodes is so many times the one before.
inline constexpr std::array kGrowing{64, 1024, 16384};
inline constexpr double kGrowingBy = 16;

// "0", "1", "log P", "sqrt P", "P", "P log P", "P sqrt P", "P^2" or "P^2 log P". Logarithms grow by
// as much again, powers by as many times; a constant beside them, however large, is in no
// difference.
constexpr std::string_view growth(const std::array<double, 3>& values) noexcept {
  constexpr double kNothing = 1e-6;
  const double first = values[1] - values[0], second = values[2] - values[1];
  if (values[2] <= 0) return "0";
  // Or it comes near to a limit.
  if (second <= kNothing * values[2] || second < first / 2) return "1";
  if (second < 2 * first) return "log P";
  if (second < kGrowingBy / 2 * first) return "sqrt P";
  if (second < 1.2 * kGrowingBy * first) return "P";
  if (second < 2 * kGrowingBy * first) return "P log P";
  if (second < kGrowingBy * kGrowingBy / 2 * first) return "P sqrt P";
  return second < 1.2 * kGrowingBy * kGrowingBy * first ? "P^2" : "P^2 log P";
}

}  // namespace tutti::models
