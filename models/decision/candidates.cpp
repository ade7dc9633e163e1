// Lists the candidates of each collective, once, from the catalogue. Pure.
#include "models/decision/candidates.hpp"

#include <algorithm>
#include <array>

#include "models/decision/sketches.hpp"

namespace tutti::models {
namespace {

using namespace collectives;

// Fanouts; with segments only small ones, as more messages for each segment undo the pipeline.
constexpr std::array kFanouts{1, 2, 3, 7};
constexpr int kSegmentedFanout = 2;
constexpr std::array<Bytes, 4> kSegments{0, 16 * 1024, 64 * 1024, 256 * 1024};

// Cutting helps what forwards whole messages.
bool forwards(Collective c) noexcept {
  return c == Collective::bcast || c == Collective::reduce || c == Collective::allreduce ||
         c == Collective::scan || c == Collective::exscan;
}

// Whether another candidate is equal: one chain, the binary tree, and trees that only segments tell
// from the binomial one.
bool is_another(const Algorithm& algorithm, const Parameters& parameters) noexcept {
  const std::string_view name = algorithm.name;
  return (name == "k-chain" && parameters.k == 1) || (name == "k-ary" && parameters.k <= 2);
}

// Whether a level has this candidate: each is tried with each call of the other level's best.
bool fits_level(const Choice& choice) noexcept {
  const std::string_view name = choice.algorithm->name;
  const bool tree_alike = name == "tau-binomial" || name == "circulant" || name == "bine" ||
                          name == "k-chain" || name == "k-ary";
  return choice.parameters.segment == 0 && choice.parameters.k != 2 && choice.parameters.k <= 3 &&
         !(choice.algorithm->traits.tree && tree_alike);
}

using Lists = std::array<std::vector<Choice>, kCollectives>;

Lists plain_lists() {
  Lists lists;
  for (const Bytes segment : kSegments)
    for (const Algorithm& algorithm : algorithms()) {
      const bool cut = algorithm.traits.segment && forwards(algorithm.collective);
      const bool drawn =
          drawing_of(algorithm) || (algorithm.traits.nodes && !algorithm.traits.levels);
      if (!drawn || (segment > 0 && !cut)) continue;
      for (const int k : kFanouts) {
        const Parameters parameters{.k = k, .segment = segment};
        const bool takes =
            k == 1 || (algorithm.traits.k && (segment == 0 || k <= kSegmentedFanout));
        if (takes && !is_another(algorithm, parameters))
          lists[index(algorithm.collective)].push_back({&algorithm, parameters});
      }
    }
  return lists;
}

}  // namespace

std::span<const Choice> plain_candidates(Collective collective) {
  static const auto& lists = *new Lists(plain_lists());
  return lists[index(collective)];
}

std::span<const Nested> within_candidates() {
  static const auto& list = *new std::vector<Nested>([] {
    std::vector<Nested> all;
    for (const Choice& choice : plain_candidates(Collective::bcast))
      if (choice.algorithm->traits.tree && fits_level(choice))
        all.push_back({choice.algorithm, choice.parameters.k});
    return all;
  }());
  return list;
}

std::span<const Nested> across_candidates(Collective collective) {
  using PerCollective = std::array<std::vector<Nested>, kCollectives>;
  static const auto& lists = *new PerCollective([] {
    PerCollective all;
    for (std::size_t c = 0; c < kCollectives; ++c) {
      const auto whole = static_cast<Collective>(c);
      for (const Choice& choice : plain_candidates(across_of(whole))) {
        const bool mirrored = whole == Collective::reduce;
        if (fits_level(choice) && can_be_level(*choice.algorithm) &&
            !choice.algorithm->traits.nodes && (!mirrored || choice.algorithm->traits.tree))
          all[c].push_back({choice.algorithm, choice.parameters.k});
      }
    }
    return all;
  }());
  return lists[index(collective)];
}

std::span<const Bytes> segment_candidates() noexcept { return kSegments; }

}  // namespace tutti::models
