// Finding the facts of members, and keeping what is shared.
#include "src/job/membership.hpp"

#include <map>
#include <set>
#include <utility>

#include "src/job/engine.hpp"
#include "src/job/selection.hpp"

namespace tutti {

namespace {

// The node of each rank; nodes are numbered in the order of first appearance.
std::vector<int> nodes_of(const transport::Placement& placement,
                          const std::vector<int>& world_ranks) {
  std::map<int, int> number;
  std::vector<int> nodes;
  nodes.reserve(world_ranks.size());
  for (const int world : world_ranks)
    nodes.push_back(number.try_emplace(placement.node_of(world), static_cast<int>(number.size()))
                        .first->second);
  return nodes;
}

}  // namespace

collectives::Facts facts_of(const Engine& engine, const std::vector<int>& world_ranks) {
  const transport::Placement& placement = engine.placement();
  collectives::Facts facts = collectives::facts_of_nodes(nodes_of(placement, world_ranks));
  std::set<int> machines;
  for (const int rank : world_ranks) machines.insert(placement.machine_of(placement.node_of(rank)));
  facts.software_wire = engine.software_wire() && (facts.nodes > 1 || engine.wire_on_nodes());
  facts.oversubscribed = placement.oversubscribed();
  for (const int machine : machines) facts.cores += placement.threads_of(machine);
  facts.wire_within = engine.wire_on_nodes();
  return facts;
}

Membership::Membership(const Engine& engine, Selection& selection, std::vector<int> members)
    : world_ranks(std::move(members)),
      facts(facts_of(engine, world_ranks)),
      decisions(selection.decisions_for(facts)) {
  if (facts.nodes > 1) nodes = nodes_of(engine.placement(), world_ranks);
}

std::shared_ptr<Membership> Memberships::of(const std::vector<int>& world_ranks,
                                            const Engine& engine, Selection& selection) {
  auto known = std::find_if(known_.rbegin(), known_.rend(), [&](const auto& membership) {
    return membership->world_ranks == world_ranks;
  });
  if (known != known_.rend()) {
    std::rotate(known_.rbegin(), known, known + 1);
  } else {
    drop_unused();
    known_.push_back(std::make_shared<Membership>(engine, selection, world_ranks));
  }
  return known_.back();
}

// Leaves room for one more.
void Memberships::drop_unused() noexcept {
  const auto is_unused = [](const auto& membership) { return membership.use_count() == 1; };
  for (auto unused = std::count_if(known_.begin(), known_.end(), is_unused);
       unused >= static_cast<std::ptrdiff_t>(kMostUnused); --unused)
    known_.erase(std::find_if(known_.begin(), known_.end(), is_unused));
}

}  // namespace tutti
