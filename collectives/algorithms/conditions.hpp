// The conditions that a call must meet, as data: flags beside each algorithm of the catalogue, each
// with its one sentence, and the one function that says why a call does not fit. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

struct Algorithm;
struct Parameters;

// The names are those of list.def and of `tutti list --json`; sentence_of() says what each means.
enum class Condition : std::uint8_t {
  power_of_two,
  even_ranks,
  commutative,
  no_fold,
  equal_blocks,
  known_counts,
  datagrams,
  nodes_in_order,
  tree_within,
  reduce_within,
  levels_apply,
  torus,
};
inline constexpr int kConditions = 12;

std::string_view name_of(Condition condition) noexcept;
// For readers: "the number of ranks is even".
std::string_view sentence_of(Condition condition) noexcept;

// A set of conditions, all of which must hold; empty: the algorithm runs every call.
class Conditions {
 public:
  constexpr Conditions() = default;
  constexpr Conditions(Condition one) : bits_(1u << static_cast<unsigned>(one)) {}
  constexpr bool has(Condition one) const noexcept { return (bits_ & Conditions(one).bits_) != 0; }
  constexpr Conditions& operator|=(Conditions more) noexcept {
    bits_ |= more.bits_;
    return *this;
  }
  std::vector<Condition> each() const;  // in the order above

 private:
  std::uint32_t bits_ = 0;
};
constexpr Conditions operator|(Conditions a, Condition b) noexcept { return a |= b; }
constexpr Conditions operator|(Condition a, Condition b) noexcept { return Conditions(a) | b; }

// Why `algorithm` cannot run `problem` with `parameters`; nothing: it can.
std::optional<std::string> why_not(const Algorithm& algorithm, const Problem& problem,
                                   const Parameters& parameters);

}  // namespace tutti::collectives
