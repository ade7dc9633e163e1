// Which algorithm runs if nobody has chosen by hand: the one that takes the least time by the model
// of the platform. Made for a communicator from facts that are equal on all its ranks, so that all
// choose alike. Pure; not to be shared by threads.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/decision/estimate.hpp"
#include "collectives/selection/choices.hpp"

namespace tutti::models {

// One that might run a call, with its time; or why it cannot or should not.
struct Candidate {
  collectives::Choice choice{};
  Estimate estimate{};
  double excess = 0;  // multiple of the memory that a rank should hold; 1: it keeps to that
  std::string excluded{};
};

// Estimates count the bytes of all ranks up to this. More are taken to be as many.
constexpr Bytes kMostInAll = Bytes{1} << 58;

// Whether the model knows an algorithm on such a place; what it does not is chosen by hand only.
bool can_estimate(const collectives::Choice& choice, const collectives::Facts& facts);
// The estimate of a choice that applies and has one, whatever others there are. `stencil`: of
// neighbours; null: the ranks are a ring.
Estimate estimate_of(const collectives::Choice& choice, Bytes bytes, const Platform& platform,
                     const collectives::Facts& facts, std::shared_ptr<const Stencil> stencil = {});

class Decisions {
 public:
  Decisions(const Platform& platform, const collectives::Facts& facts);

  // Depends only on what is equal on all ranks: not on problem.rank, nor on the counts of an
  // all-to-all. Its result applies to every root, in place or not. The first call of a kind
  // makes its table.
  collectives::Choice select(const collectives::Problem& problem);

  // Every algorithm, the best parameters of each: first those that apply, in the order of Contest.
  // The result of select() is among them, and first unless another takes clearly less time.
  std::vector<Candidate> candidates(const collectives::Problem& problem);

  // From so many bytes on, until the next one.
  struct Interval {
    Bytes from;
    collectives::Choice choice;
    friend bool operator==(const Interval& a, const Interval& b) noexcept {
      return a.from == b.from && a.choice.algorithm == b.choice.algorithm &&
             a.choice.parameters == b.choice.parameters;
    }
  };
  using Table = std::vector<Interval>;
  const Table& table(const collectives::Problem& problem);

  const Platform& platform() const noexcept { return platform_; }
  const collectives::Facts& facts() const noexcept { return facts_; }
  // How many estimates have been made so far, which is what tables cost.
  std::size_t estimates() const noexcept { return estimates_; }

 private:
  struct Options;                      // candidates that apply to a kind of calls
  using Floors = std::vector<double>;  // least times of options.plain, 0 where nothing is known
  // The winner at a size, and what the plain candidates take there at least.
  struct Sample {
    Bytes bytes = 0;
    collectives::Choice choice;
    Floors floors;
  };
  // Collective, and what of a problem decides which algorithms apply.
  struct Kind {
    collectives::Collective collective;
    std::uint8_t bits;
    // On a torus, if all ranks know the lengths, too: as rank 0 has it.
    std::optional<collectives::Neighbourhood> neighbours{};
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };

  static Kind kind_of(const collectives::Problem& problem);
  collectives::Problem example(const Kind& kind) const;
  Options options_for(const Kind& kind) const;
  bool finds_tree(const Kind& kind, const collectives::Choice& choice) const noexcept;
  Table make_table(const Kind& kind) const;
  const collectives::Choice& looked_up(const collectives::Problem& problem);
  Sample sample_between(const Options& options, const Sample& low, Bytes bytes,
                        const Sample& high) const;
  // Adds the borders between the winners at two sizes, and those of others that win in between.
  void add_borders(const Options& options, const Sample& low, const Sample& high,
                   Table& table) const;
  // Passes over those that were slower at a smaller size already, and keeps what it finds.
  // `likely` choices are tried first, so that more of the others are passed over.
  collectives::Choice fastest(const Options& options, Bytes bytes, Floors& floors,
                              std::initializer_list<collectives::Choice> likely = {}) const;
  Estimate estimate_of(const Options& options, const collectives::Choice& choice,
                       Bytes bytes) const;
  Estimate detailed_of(const Options& options, const collectives::Choice& choice,
                       Bytes bytes) const;
  double excess_of(const Estimate& estimate) const noexcept;
  // The time by which a choice is made: as many times it as the memory exceeds the limit.
  double counted(const Estimate& estimate) const noexcept;

  const Platform platform_;
  const collectives::Facts facts_;
  const Topology place_;
  mutable Sketch sketch_;  // its memory is used again
  mutable std::size_t estimates_ = 0;
  std::map<Kind, Table> tables_;
};

}  // namespace tutti::models
