// The drawing of each algorithm that has one level, in two tables, and what both are made with.
// Pure.
#pragma once

#include <span>
#include <string_view>

#include "models/decision/families.hpp"
#include "models/decision/sketches.hpp"

namespace tutti::models::drawings {

using families::Keeps;
using Blocks = families::Bytewise;
using Of = const collectives::Parameters&;

inline constexpr auto kUp = families::Way::up, kDown = families::Way::down;

struct Row {
  collectives::Collective collective;
  std::string_view name;
  Draw draw;
};
// In the order of list.def.
std::span<const Row> of_trees() noexcept;
std::span<const Row> of_exchanges() noexcept;

inline Bytes piece(const SketchBuilder& s, Bytes whole) {
  return (whole + s.place().P - 1) / s.place().P;
}
inline Bytes all(const SketchBuilder& s, Bytes block) { return s.place().P * block; }

// Ranks combine what they receive.
template <auto Up>
void combined(SketchBuilder& s, Bytes m, Of p) {
  s.combining(true);
  Up(s, m, p);
  s.combining(false);
}
template <auto Draw>
void rooted(SketchBuilder& s, Bytes m, Of p) {
  Draw(s, m, p);
  s.one_way(true);
}

}  // namespace tutti::models::drawings
