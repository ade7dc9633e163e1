// Membership: what all communicators of the same members in the same order share on this rank:
// facts, decisions, and plans. Programs duplicate communicators, and the first call on each must
// not be dearer than the next one.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "collectives/selection/facts.hpp"
#include "src/job/plan.hpp"

namespace tutti {

namespace models {
class Decisions;
}
class Engine;
class Selection;

// Facts about the communicator of these members.
collectives::Facts facts_of(const Engine& engine, const std::vector<int>& world_ranks);

struct Membership {
  // `world_ranks`: the members, by rank of the communicator.
  Membership(const Engine& engine, Selection& selection, std::vector<int> members);

  const std::vector<int> world_ranks;
  const collectives::Facts facts;
  const std::shared_ptr<models::Decisions> decisions;
  std::vector<int> nodes;  // of each rank, in the order of first appearance; empty: there is one
  SharedPlans plans;
};

// The memberships of one engine, which must outlive them: those that communicators have now, and
// the last ones that no communicator has any more. Not for several threads at a time.
class Memberships {
 public:
  static constexpr std::size_t kMostUnused = 8;
  // Throws std::bad_alloc.
  std::shared_ptr<Membership> of(const std::vector<int>& world_ranks, const Engine& engine,
                                 Selection& selection);

 private:
  void drop_unused() noexcept;
  std::vector<std::shared_ptr<Membership>> known_;  // the last used one at the end
};

}  // namespace tutti
