// A card from the boot id, the host name and hwloc; what all cards say together.
#include "transport/placement.hpp"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <type_traits>

#include "base/hash.hpp"

namespace tutti::transport {
namespace {

static_assert(std::is_trivially_copyable_v<PlacementCard>);
using Threads = decltype(PlacementCard::threads);

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

Threads threads_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  Threads threads;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return threads.set();
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) threads.set(i % threads.size());
  return threads;
}

struct TopologyRelease {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
struct BitmapRelease {
  void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};

// The number of the one object of this type that holds all of `bound`; -1 if none does.
std::int16_t covering(hwloc_topology_t topology, hwloc_const_cpuset_t bound,
                      hwloc_obj_type_t type) {
  const hwloc_obj_t object =
      hwloc_get_next_obj_covering_cpuset_by_type(topology, bound, type, nullptr);
  return object && hwloc_bitmap_isincluded(bound, object->cpuset)
             ? static_cast<std::int16_t>(object->logical_index)
             : std::int16_t{-1};
}

void find_package_and_cache(PlacementCard& card) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return;
  const std::unique_ptr<hwloc_topology, TopologyRelease> topology(raw);
  // Only the two types that are looked up: loading everything would take most of tutti_init.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return;
  const std::unique_ptr<hwloc_bitmap_s, BitmapRelease> bound(hwloc_bitmap_alloc());
  if (!bound || hwloc_get_cpubind(raw, bound.get(), HWLOC_CPUBIND_PROCESS) != 0) return;
  card.package = covering(raw, bound.get(), HWLOC_OBJ_PACKAGE);
  card.cache = covering(raw, bound.get(), HWLOC_OBJ_L3CACHE);
}

}  // namespace

PlacementCard card_of_this_process(const std::string& node_name) {
  const std::string boot = boot_id();
  PlacementCard card;
  card.node = Hash().add(boot).add(node_name.empty() ? host_name() : node_name).value();
  card.machine = Hash().add(boot).value();
  card.threads = threads_of_this_process();
  find_package_and_cache(card);
  return card;
}

Placement::Placement(int rank, std::span<const PlacementCard> cards)
    : rank_(rank), node_of_(cards.size()) {
  const PlacementCard& mine = cards[static_cast<std::size_t>(rank)];
  struct Load {
    Threads threads;
    std::size_t ranks = 0;
  };
  std::map<std::uint64_t, Load> load_of_machine;
  std::map<std::uint64_t, int> number_of_node;
  for (std::size_t r = 0; r < cards.size(); ++r) {
    const PlacementCard& card = cards[r];
    Load& load = load_of_machine[card.machine];
    load.threads |= card.threads;
    ++load.ranks;
    node_of_[r] = number_of_node.try_emplace(card.node, static_cast<int>(number_of_node.size()))
                      .first->second;
    if (card.node != mine.node) continue;
    node_ranks_.push_back(static_cast<int>(r));
    if (mine.package >= 0 && card.package == mine.package) ++ranks_on_package_;
    if (mine.cache >= 0 && card.cache == mine.cache) ++ranks_on_cache_;
  }
  nodes_ = static_cast<int>(number_of_node.size());
  for (const auto& [machine, load] : load_of_machine)
    if (load.ranks > load.threads.count()) oversubscribed_ = true;
}

}  // namespace tutti::transport
