// Formulas as `tutti list` prints them: what they come to, and which one fits what was counted.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::collectives {

// Sums, products (factors side by side), quotients and powers of whole numbers, min(a, b), ceil(a),
// floor(a), log2 a, log_{k+1} a, sum_{i<n} a, d(i), the letters P, k, N, C, and those that follow:
// "2^f f m, f = floor(log2 P)". m counts as 1. Requires a text of this kind.
double evaluate(std::string_view text, int P, int k);

// What the letters and d(i) stand for, for readers.
std::string_view legend() noexcept;

// What was counted for a number of ranks and a fanout.
struct Point {
  int P = 0, k = 1;
  double value = 0;
};

struct Naming {
  bool bytes = false;  // the values are multiples of m, and are written so
  bool nodes = false;  // with 4 ranks a node
  // Found out by name_points():
  bool powers_only = false, one_k = false;  // every P is a power of two, every k is 1
};

// The formula that all points lie on: "P-1"; "P if P is a power of two, else P + 2"; "m (P=2, 3:
// 0)", which has exceptions. "at most P": all lie a little below it or on it. "no formula: 3 (P=4),
// …": none of those that are known.
std::string name_points(const std::vector<Point>& points, Naming naming);

}  // namespace tutti::collectives
