// Agreement on a torus, by ranks that are threads.
#include "src/job/stencils.hpp"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "collectives/analysis/neighbourhoods.hpp"
#include "tests/transport/thread_bootstrap.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

// The torus that the ranks find, which have forgotten theirs. All find the same.
Torus found(Neighbourhoods all) {
  tests::ThreadBootstrap::Meeting meeting(static_cast<int>(all.size()));
  std::vector<std::jthread> ranks;
  for (Rank rank = 0; rank < static_cast<Rank>(all.size()); ++rank) {
    all[index(rank)].torus.clear();
    ranks.emplace_back([&, rank] {
      tests::ThreadBootstrap bootstrap(meeting, rank);
      agree_on_torus(bootstrap, all[index(rank)]);
    });
  }
  ranks.clear();
  for (const Neighbourhood& one : all) CHECK(one.torus == all.front().torus);
  return all.front().torus;
}

}  // namespace

TEST_CASE("all ranks find the torus of their stencil", "[stencils]") {
  for (const Torus& torus : {Torus{3, 3}, Torus{2, 4}, Torus{2, 2, 2}, Torus{2}, Torus{4, 3}})
    CHECK(found(at_all_ranks(stencil_on(torus))) == torus);
}

TEST_CASE("one rank with other neighbours, or another order, and there is no torus", "[stencils]") {
  Neighbourhoods all = at_all_ranks(stencil_on({3, 3}));
  std::swap(all[4].from[1], all[4].from[2]);
  CHECK(found(all).empty());
  all = at_all_ranks(stencil_on({3, 3}));
  all[8].to.pop_back();
  CHECK(found(all).empty());
  CHECK(found(at_all_ranks({{1, 4}, {1, 4}, false, {5}})).empty());  // nothing to combine
  CHECK(found(random_graph(6, 3)).empty());
}

TEST_CASE("a torus that rank 0 finds as likely is no torus of the others", "[stencils]") {
  // In 2 x 2 x 4 ranks rank 0 takes as few messages, but the rows of 4 are a ring.
  Neighbourhoods all = at_all_ranks(stencil_on({4, 4}));
  CHECK(found(all) == Torus{4, 4});
  // Rank 5 has borders, where the others have none.
  all[5].to[0] = kNoNeighbour;
  CHECK(found(all).empty());
}
