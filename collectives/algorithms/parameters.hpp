// The parameters that a user may give an algorithm. Pure data.
#pragma once

#include <algorithm>

#include "base/types.hpp"
#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

struct Algorithm;

// The algorithm of one level of a hierarchical one; null: the one it has by default.
struct Nested {
  const Algorithm* algorithm = nullptr;
  int k = 1;
  friend bool operator==(const Nested&, const Nested&) = default;
};

// The times of the LogGP model that shape a tree, in microseconds; kUnset: nobody has said them.
struct LogGP {
  static constexpr double kUnset = -1;
  double L = kUnset;  // L' = o_s + L + o_r: from a send to the end of the receive, without G
  double g = kUnset;  // between two messages of one sender
  double G = kUnset;  // per byte
  // These times, and those of `other` where they are unset.
  constexpr LogGP or_else(const LogGP& other) const noexcept {
    return {L < 0 ? other.L : L, g < 0 ? other.g : g, G < 0 ? other.G : G};
  }
  constexpr bool all_set() const noexcept { return L >= 0 && g >= 0 && G >= 0; }
  friend bool operator==(const LogGP&, const LogGP&) = default;
};
// Times that shape a tree if neither the choice nor the model in use says others.
inline constexpr LogGP kUsualTimes{.L = 2.0, .g = 0.4, .G = 1 / 10e3};

struct Parameters {
  int k = 1;          // fanout: messages that a rank has in flight per round; at least 1
  Bytes segment = 0;  // longest message, in bytes; 0: messages are not cut
  Rank root = 0;      // where all comes together on the way, where the caller names none; modulo P
  LogGP times{};
  Nested within{};  // of hierarchical algorithms: a broadcast, which names a tree,
  Nested across{};  // and an algorithm of the collective across_of() names
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// The longest message, in whole elements; 0: messages are not cut.
inline Bytes segment_of(const Problem& problem, const Parameters& parameters) {
  if (parameters.segment <= 0) return 0;
  return std::max(parameters.segment / problem.element, Bytes{1}) * problem.element;
}

}  // namespace tutti::collectives
