// A cost under τ-Lop, as an expression: a sum of overheads, transfers, copies and
// reductions, and of the greatest of several such sums. TAU §3.3 to §3.5. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "models/tau_lop/contention.hpp"

namespace tutti::models::tau_lop {

inline constexpr int kMemory = 0, kNetwork = 1;  // the channels

enum class Kind : std::uint8_t {
  overhead,  // o^c(m): until data enter the channel; τ is 1
  copy,      // c(m, τ): τ processes of a node copy m bytes each
  combine,   // γ(m, τ): τ processes of a node combine two operands of m bytes each
  transfer,  // L^c(m, τ)
};

struct Term {
  Kind kind;
  int channel;
  Bytes bytes;
  int tau;
  friend auto operator<=>(const Term&, const Term&) = default;
};

class Cost {
 public:
  struct Greatest {
    std::vector<Cost> of;
    std::int64_t times;
  };

  Cost() = default;
  explicit Cost(const Term& term, std::int64_t times = 1) : terms_{{term, times}} {}
  // A course through a channel, or of copying or combining.
  Cost(Kind kind, int channel, const Course& course);

  // The greatest of these costs. A cost that is never the greatest, whatever the parameters, is
  // left out: L^c(m, τ) grows with m and with τ.
  static Cost greatest(std::vector<Cost> of);

  Cost& operator+=(const Cost& more);

  const std::map<Term, std::int64_t>& terms() const noexcept { return terms_; }
  const std::vector<Greatest>& maxima() const noexcept { return maxima_; }
  friend bool operator==(const Cost&, const Cost&);

 private:
  std::map<Term, std::int64_t> terms_;  // how many times each
  std::vector<Greatest> maxima_;
};

// For readers, in units of the message's length m and the segment's length S, by the linearity of
// transfers (§3.3: L(Am, τ) = A·L(m, τ)): "2o⁰ + 2o¹ + 30L⁰(m,4) + 12L¹(m,4)". 0: there is none.
std::string text_of(const Cost& cost, Bytes m, Bytes segment = 0);

}  // namespace tutti::models::tau_lop
