// Finds a torus for a communicator: rank 0 proposes some, and all ranks compare.
#include "src/job/stencils.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/index.hpp"
#include "collectives/algorithms/combining.hpp"

namespace tutti {
namespace {

using collectives::Neighbourhood;
using collectives::Torus;

constexpr std::size_t kDimensions = 3;  // that likely_tori() gives at most

// Rank 0's proposal: its lists, and the tori, with ones in front.
struct Proposal {
  std::array<int, 3> lengths{};
  std::vector<int> numbers{};

  explicit Proposal(const Neighbourhood& mine, const std::vector<Torus>& tori) {
    if (tori.empty()) return;
    lengths = {static_cast<int>(mine.to.size()), static_cast<int>(mine.from.size()),
               static_cast<int>(tori.size())};
    numbers = mine.to;
    numbers.insert(numbers.end(), mine.from.begin(), mine.from.end());
    for (const Torus& torus : tori) {
      numbers.insert(numbers.end(), kDimensions - torus.size(), 1);
      numbers.insert(numbers.end(), torus.begin(), torus.end());
    }
  }
  Proposal() = default;

  // Rank 0's neighbourhood on torus number `i`.
  Neighbourhood on(std::size_t i) const {
    const auto from = numbers.begin() + lengths[0], tori = from + lengths[1];
    Neighbourhood all{{numbers.begin(), from}, {from, tori}};
    const auto torus = tori + static_cast<std::ptrdiff_t>(i * kDimensions);
    std::copy_if(torus, torus + kDimensions, std::back_inserter(all.torus),
                 [](int size) { return size > 1; });
    return all;
  }
};

Proposal proposed(transport::Bootstrap& bootstrap, const Neighbourhood& mine) {
  Proposal proposal;
  if (bootstrap.rank() == 0)
    proposal = Proposal(mine, collectives::likely_tori(mine, bootstrap.size()));
  bootstrap.broadcast(proposal.lengths.data(), sizeof proposal.lengths);
  const auto [to, from, tori] = proposal.lengths;
  if (tori == 0) return proposal;
  proposal.numbers.resize(index(to) + index(from) + index(tori) * kDimensions);
  bootstrap.broadcast(proposal.numbers.data(), proposal.numbers.size() * sizeof(int));
  return proposal;
}

}  // namespace

void agree_on_torus(transport::Bootstrap& bootstrap, Neighbourhood& mine) {
  if (bootstrap.size() == 1) return;  // it sends no messages
  const Proposal proposal = proposed(bootstrap, mine);
  for (int i = 0; i < proposal.lengths[2]; ++i) {
    const Neighbourhood first = proposal.on(index(i));
    const Neighbourhood here = moved(first, 0, bootstrap.rank());
    const bool differs = here.to != mine.to || here.from != mine.from;
    if (bootstrap.maximum(differs ? 1 : 0) != 0) continue;
    mine.torus = first.torus;
    return;
  }
}

}  // namespace tutti
