// The mark of a call, in the names of its messages: by it ranks that make different calls notice
// that messages meet which do not belong together. Pure.
#pragma once

#include <optional>

#include "collectives/schedule/problem.hpp"

namespace tutti {

// Numbers of algorithms of a collective, of roots and of collectives that marks tell apart.
inline constexpr Ordinal kMarkedAlgorithms = 32, kMarkedRoots = 8, kMarkedCollectives = 16;

// As it stands in an ordinal. Different collectives have different marks, and so have neighbouring
// roots, and the algorithms of a collective; `algorithm` is a number in the catalogue. Sizes show
// in the lengths of messages, unless they lead to different algorithms: a half block of one may be
// as long as the whole message of another.
constexpr Ordinal mark_of(const collectives::Task& task, Ordinal algorithm) {
  static_assert(collectives::kCollectives < kMarkedCollectives);
  const auto collective = static_cast<Ordinal>(task.collective) + 1;
  const Ordinal call =
      algorithm % kMarkedAlgorithms * kMarkedRoots + static_cast<Ordinal>(task.root) % kMarkedRoots;
  return (collective * kMarkedAlgorithms * kMarkedRoots + call) << kOrdinalBits;
}

// The collective in MessageName::mark(); nullopt: the message bears no mark.
constexpr std::optional<collectives::Collective> collective_of(std::uint32_t mark) {
  const std::uint32_t number = mark / (kMarkedAlgorithms * kMarkedRoots);
  if (number == 0 || number > collectives::kCollectives) return std::nullopt;
  return static_cast<collectives::Collective>(number - 1);
}

}  // namespace tutti
