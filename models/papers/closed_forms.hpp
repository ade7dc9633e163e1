// The formulas that the papers print for one algorithm under one model, beside their numbers in the
// papers; and how each compares with the simulation of the schedules that run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "models/platform/platform.hpp"

namespace tutti::models {

// Arguments of a formula. Lengths in bytes, as the call has them: of the message, or of a block.
struct Asked {
  int P = 1;
  Bytes bytes = 0;
  Bytes segment = 0;  // m_s; 0: messages are not cut
  int k = 1;
  double reduce_per_byte = 0;  // γ
  // Nothing else takes time: ranks begin at once, at root 0, and wait for no receiver; nothing is
  // copied, and no time is random.
  bool plain = true;
  double copy_per_byte = 0;  // δ
  Bytes cut_below = 0;  // S: the library below carries messages in segments (TAU); 0: it does not
  // A model for messages within nodes, of so many ranks; null: one level.
  const Model* within = nullptr;
  int per_node = 1;
  enum class Mapping { blocks, in_turn, other };  // where the ranks are (layout.hpp)
  Mapping mapping = Mapping::blocks;

  Bytes longest() const noexcept { return segment > 0 && segment < bytes ? segment : bytes; }
  // n_s. A segment more for what is left over.
  double segments() const noexcept;
};

// How the simulated time compares with the formula: not above it, say.
enum class Claim { equal, not_above, not_below, apart };

// Short, for the tables of formulas.
inline constexpr Claim kEqual = Claim::equal, kNotAbove = Claim::not_above,
                       kNotBelow = Claim::not_below, kApart = Claim::apart;
inline constexpr collectives::Collective kAllgather = collectives::Collective::allgather;

// An assumption of a formula about parameters and calls.
struct Assumption {
  std::string_view text;  // "g(m) >= o_s + o_r"
  bool (*holds)(const Model&, const Asked&);
};

// Quantities that a formula gives, each compared with the same of the simulator.
enum class Quantity : std::uint8_t {
  time,    // of the call
  spread,  // between the first and the last of the ranks that have finished and send nothing
  gain,    // how much less time the call takes than by recursive splitting
};

struct ClosedForm {
  std::string_view where;  // "OCC table 2"
  collectives::Collective collective;
  std::string_view algorithm;  // of the catalogue
  std::string_view text;       // the formula
  // Nothing: the formula is not of this model, or does not hold for what is asked. Ask time_of().
  std::optional<double> (*time)(const Model&, const Asked&);
  Claim claim;           // where all assumptions hold
  std::string_view why;  // if not equal: what is wrong with it, or which case it describes
  std::array<const Assumption*, 4> assumes{};  // those that are not null
  Claim otherwise = Claim::apart;              // where one of them does not hold
  bool of_levels = false;                      // of a model within nodes and one between them
  Quantity quantity = Quantity::time;
};

std::span<const ClosedForm> beo_forms() noexcept;        // equations 2 to 14
std::span<const ClosedForm> hpm_forms() noexcept;        // sections 2 to 4
std::span<const ClosedForm> forms_of_levels() noexcept;  // TAU chapters 5 and 6
std::span<const ClosedForm> tau_forms() noexcept;        // chapters 2, 4 and 6
std::vector<ClosedForm> closed_forms();  // these, OCC's and IB's (closed_forms_occ.hpp, _ib.hpp)

// The time by the formula. Nothing: it is of another model or of other levels, or does not hold for
// what is asked.
std::optional<double> time_of(const ClosedForm& form, const Model& model, const Asked& asked);

// The simulated value of the formula's quantity, us: that of a call unless the form says another.
double simulated(const ClosedForm& form, const Model& model, const Asked& asked);

// The verdict of two times on a formula, under these parameters and for this call.
struct Verdict {
  Claim claim = Claim::apart;          // the truth: equal if they are, whatever the form claims
  const Assumption* broken = nullptr;  // the first of the form's that does not hold
  bool kept = true;                    // false: the form claims what is not so
};
Verdict judge(const ClosedForm& form, const Model& model, const Asked& asked, double simulated,
              double formula) noexcept;
// "agrees", "an upper bound: …", "differs: it assumes …".
std::string sentence_of(const ClosedForm& form, const Verdict& verdict);
std::string_view word_of(Claim claim) noexcept;

// One formula compared with the simulator, under the models it is of.
struct Comparison {
  const ClosedForm* form;
  struct Cases {
    int count = 0, equal = 0;    // of those in which the times are equal
    double least = 0, most = 0;  // simulated time / formula
    void add(double ratio) noexcept;
  };
  Cases all{};
  Cases assumed{}, others{};   // those in which all assumptions hold, and in which they do not
  int broken = 0;              // in which the claim is not so
  std::string first_broken{};  // the model, its parameters and the call
};
std::vector<Comparison> compare(std::span<const ClosedForm> forms, std::span<const Model> models,
                                std::span<const Asked> calls);
// The papers' parameters, and calls of all kinds.
std::vector<Model> models_to_compare();
std::vector<Asked> calls_to_compare();

}  // namespace tutti::models
