// L(m, τ) by least squares, from what more than one kind of operation took. TAU §7.4. Pure.
#pragma once

#include <map>
#include <span>
#include <vector>

namespace tutti::models::tau_lop {

// An operation that has taken `time` in transfers of one length, of which `transfers` says how many
// there were while so many were under way (τ). Any τ: between those that are asked for, and beyond
// the last one, a transfer is taken to be what Surface says of it (parameters.hpp).
struct Equation {
  std::map<int, double> transfers;
  double time = 0;
};

// L(m, τ) for each τ, which ascend: what makes the sum of squares of the errors of all equations
// least (ordinary least squares). Unknowns that no equation tells are left out.
std::map<int, double> solve(std::span<const Equation> equations, const std::vector<int>& taus);

}  // namespace tutti::models::tau_lop
