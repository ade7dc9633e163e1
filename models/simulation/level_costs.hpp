// The costs of messages by level: within a socket, between the sockets of a node, between nodes.
// Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "collectives/schedule/schedule.hpp"
#include "models/platform/platform.hpp"

namespace tutti::models {

enum Level : std::uint8_t { kWithin, kAcross, kBetween };
inline constexpr Level kLevels[] = {kWithin, kAcross, kBetween};

class LevelCosts {
 public:
  explicit LevelCosts(const Platform& platform)
      : platform_(platform),
        models_{platform.within ? &*platform.within : &platform.between,
                platform.between_sockets ? &*platform.between_sockets
                : platform.within        ? &*platform.within
                                         : &platform.between,
                &platform.between},
        tables_{&platform.gap_by_destinations.within, &platform.gap_by_destinations.between_sockets,
                &platform.gap_by_destinations.between} {}

  const Model& model(Level level) const noexcept { return *models_[level]; }
  Costs of(Level level, Bytes bytes) const noexcept { return costs_of(model(level), bytes); }

  // Whether some gap depends on how many ranks the sender sends to. Then each rank is added.
  bool asks_for_destinations() const noexcept {
    return std::ranges::any_of(tables_, [](const auto* table) { return table->has_value(); });
  }
  void add_next_rank(const std::array<Bytes, 3>& destinations) {
    for (const Level to : kLevels)
      if (const auto& table = *tables_[to]) gap_factors_[to].push_back((*table)(destinations[to]));
  }

  // The costs of a message that leaves the rank.
  Costs out(Level to, Rank rank, Bytes bytes) const noexcept {
    const auto& factors = gap_factors_[to];
    return factors.empty() ? of(to, bytes)
                           : with_gap(model(to), of(to, bytes), factors[index(rank)]);
  }

  // How long before a message is there as a whole its receiver may begin: within a node it takes
  // the first pieces while the sender makes the next ones, and is done with all but the last piece
  // when that one comes.
  double head_start(Level at, const collectives::Step& receive) const noexcept {
    const Bytes bytes = collectives::length_of(receive), piece = platform_.piece;
    if (at == kBetween || piece <= 0 || bytes <= piece) return 0;
    const Costs whole = of(at, bytes), first = of(at, piece);
    const bool combines = receive.kind == collectives::StepKind::recv_reduce;
    const double combining =
        combines ? platform_.reduce_per_byte * static_cast<double>(bytes - piece) : 0;
    const double taking = whole.receive - first.receive + combining;
    const double making = whole.send + whole.flight - first.send - first.flight;
    return std::max(0.0, std::min(taking, making));
  }

 private:
  const Platform& platform_;
  const std::array<const Model*, 3> models_;
  const std::array<const std::optional<Curve>*, 3> tables_;
  std::array<std::vector<double>, 3> gap_factors_;  // by rank, if the level has that table
};

}  // namespace tutti::models
