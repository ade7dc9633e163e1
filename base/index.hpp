// Ranks, counts, nodes and enumerators as indices: they are signed or of their own type, containers
// are indexed by std::size_t, and index(rank) says so in one word. Pure.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tutti {

// `number` as an index or the size of a container; it must not be negative.
template <class Number>
requires std::integral<Number> || std::is_enum_v<Number>
constexpr std::size_t index(Number number) noexcept {
  if constexpr (std::signed_integral<Number>) assert(number >= 0 && "an index");
  return static_cast<std::size_t>(number);
}

}  // namespace tutti
