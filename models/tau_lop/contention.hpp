// Transfers that share a channel, in the order in which they go on. TAU §3.5 and A.2. Pure.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tutti::models::tau_lop {

// Bytes of each of `tau` transfers that are under way at once.
struct Share {
  int tau;
  Bytes bytes;
  friend bool operator==(const Share&, const Share&) = default;
};
// One share after the other, through one channel.
using Course = std::vector<Share>;

// Courses that begin at once and go through the same channel. All transfers advance by equally many
// bytes; when the shortest has ended, the others go on without it (A.2).
Course overlay(const std::vector<Course>& all);

// Messages between processes, whole: `∥` and `+` of the thesis on transmissions T^c(m).
class Transmissions {
 public:
  Transmissions(int channel, Bytes bytes) : courses_{{channel, {{1, bytes}}}} {}

  // One after the other (A.1, A.4).
  friend Transmissions operator+(Transmissions a, const Transmissions& b);
  // At once. Transfers through different channels do not interfere; the whole costs the sum of
  // what each channel costs, as each of the sequences of A.5 needs its channels in turn.
  friend Transmissions operator|(const Transmissions& a, const Transmissions& b);
  // `times` of them, one after the other.
  friend Transmissions operator*(Bytes times, Transmissions a);

  // (channel, τ) → bytes: the sum of τ ∥ T^channel(bytes).
  std::map<std::pair<int, int>, Bytes> normal() const;

 private:
  std::map<int, Course> courses_;
};

}  // namespace tutti::models::tau_lop
