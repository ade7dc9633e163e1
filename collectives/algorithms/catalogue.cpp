// The one table of all algorithms; its entries are those of list.def. Pure.
#include "collectives/algorithms/catalogue.hpp"

#include <algorithm>
#include <array>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/schedule/segmented.hpp"

namespace tutti::collectives {
namespace {

// The words of list.def's columns, beside the conditions.
namespace words {
constexpr Traits nothing{}, k{.k = true}, segment{.segment = true},
    levels{.levels = true, .nodes = true}, nodes{.nodes = true}, tree{.tree = true},
    root{.root = true}, times{.times = true};
constexpr Conditions always{};
}  // namespace words

// The author's whole messages, cut into the segments of the parameters. A reduction folds its
// scratch to a few segments instead of the whole message (unless it is composed of others: then
// some ranks may fold where their peers cannot).
template <auto Author, bool Folds>
Schedule cut(const Problem& problem, const Parameters& parameters) {
  return segmented(Author(problem, parameters), segment_of(problem, parameters),
                   Folds ? Scratch::folded : Scratch::whole);
}

template <auto Author, bool Cut, bool Folds>
constexpr Algorithm entry(Collective collective, std::string_view name, Traits traits,
                          Conditions needs, std::string_view paper, std::string_view summary) {
  if (traits.levels) needs |= Condition::levels_apply;
  Algorithm algorithm{collective, name, paper, summary, traits, needs, Author};
  if constexpr (Cut) algorithm.build = cut<Author, Folds>;
  return algorithm;
}

constexpr auto kAlgorithms = [] {
  using namespace words;
  using enum Condition;
  return std::array{
#define ALGORITHM(collective, function, name, traits, needs, paper, summary)      \
  entry<function, (traits).segment,                                               \
        (traits).segment && !(traits).levels && reduces(Collective::collective)>( \
      Collective::collective, name, traits, needs, paper, summary),
#include "collectives/algorithms/list.def"
#undef ALGORITHM
  };
}();

}  // namespace

std::span<const Algorithm> algorithms() noexcept { return kAlgorithms; }

const Algorithm* find(Collective collective, std::string_view name) noexcept {
  const auto* const it =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& algorithm) {
        return algorithm.collective == collective && algorithm.name == name;
      });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

Collective across_of(Collective collective) noexcept {
  return collective == Collective::reduce ? Collective::bcast : collective;
}

bool can_be_level(const Algorithm& algorithm) noexcept {
  return !algorithm.traits.levels && !algorithm.needs.has(Condition::datagrams);
}

}  // namespace tutti::collectives
