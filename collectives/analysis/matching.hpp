// First part of the verifier: is each schedule well formed, and do the messages of all ranks pair
// off? Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/analysis/verifier.hpp"

namespace tutti::collectives {

// A step of any rank: its id, plus the number of steps of all ranks before its rank.
using AnyStep = std::uint32_t;
inline constexpr AnyStep kNoPartner = ~AnyStep{0};

struct Matching {
  std::vector<AnyStep> first;  // of each rank, and one past the end
  std::vector<AnyStep>
      partner;  // of each step of any rank: the other end of its message, or kNoPartner
  std::vector<std::uint32_t> channel;  // of each message step: the number of its (from, to) pair
  std::uint32_t channels = 0;
};

Verdict check_form(const Schedule& schedule, int P, Rank rank);
Verdict match(std::span<const Schedule> all_ranks, Matching& matching);

// "rank 3 step 7 (recv message 0 from rank 2)"
std::string describe(const Schedule& schedule, StepId id);

}  // namespace tutti::collectives
