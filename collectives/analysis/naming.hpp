// Finds the formula for what was counted. Pure.
#pragma once

#include <string>
#include <vector>

namespace tutti::collectives {

// The value counted for a number of ranks and a fanout.
struct Point {
  int P = 0, k = 1;
  double value = 0;
};

struct Naming {
  bool bytes = false;  // the values are multiples of m, and are written so
  bool nodes = false;  // with 4 ranks a node
  // Found out by name_points(): every P is a power of two; every k is 1.
  bool powers_only = false, one_k = false;
};

// The formula on which all points lie: "P-1"; "P if P is a power of two, else P + 2"; with
// exceptions: "m (P=2, 3: 0)". If there is none: "at most P" if all lie on it or a little below;
// else "no formula: 3 (P=4), …".
std::string name_points(const std::vector<Point>& points, Naming naming);

}  // namespace tutti::collectives
