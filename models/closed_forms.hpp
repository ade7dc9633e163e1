// The formulas that the papers print for one algorithm under one model, beside their numbers in the
// papers; and how each compares with the simulation of the schedules that run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "models/platform.hpp"

namespace tutti::models {

// What a formula is asked. Lengths in bytes, as the call has them: of the message, or of a block.
struct Asked {
  int P = 1;
  Bytes bytes = 0;
  Bytes segment = 0;  // m_s; 0: messages are not cut
  int k = 1;
  double reduce_per_byte = 0;  // γ

  Bytes longest() const noexcept { return segment > 0 && segment < bytes ? segment : bytes; }
  // n_s. A segment more for what is left over.
  double segments() const noexcept;
};

// How the simulated time compares with the formula.
enum class Claim { equal, not_above, not_below, apart };

// Short, for the tables of formulas.
inline constexpr Claim kEqual = Claim::equal, kNotAbove = Claim::not_above,
                       kNotBelow = Claim::not_below, kApart = Claim::apart;
inline constexpr collectives::Collective kAllgather = collectives::Collective::allgather;

struct ClosedForm {
  std::string_view where;  // "OCC table 2"
  collectives::Collective collective;
  std::string_view algorithm;  // of the catalogue
  std::string_view text;       // the formula
  // Nothing: the formula is not of this model, or does not hold for what is asked.
  std::optional<double> (*time)(const Model&, const Asked&);
  Claim claim;
  std::string_view why;  // if not equal: what is wrong with it, or which case it describes
};

std::span<const ClosedForm> ib_forms() noexcept;   // chapter 5
std::span<const ClosedForm> beo_forms() noexcept;  // equations 2 to 14
std::vector<ClosedForm> closed_forms();            // these, and OCC's (closed_forms_occ.hpp)

// One formula compared with the simulator, for many P and lengths under the models it is of.
struct Comparison {
  const ClosedForm* form;
  int cases = 0;
  double least = 0, most = 0;  // simulated time / formula
  std::string_view model;      // the first one it was compared under
  bool holds = true;           // the claim
};
std::vector<Comparison> compare(std::span<const ClosedForm> forms);

std::string_view sentence_of(Claim claim) noexcept;

}  // namespace tutti::models
