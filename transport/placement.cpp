// Node identity from the boot id and the host name; locality from hwloc.
#include "transport/placement.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <fstream>
#include <memory>

namespace tutti::transport {
namespace {

// FNV-1a: equal on all machines, which std::hash is not.
std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211ull;
  return hash;
}

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

struct TopologyRelease {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
struct BitmapRelease {
  void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};

}  // namespace

std::uint64_t machine_identity() { return fingerprint(boot_id()); }

std::uint64_t node_identity(const std::string& override) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return fingerprint(boot_id() + "/" + (override.empty() ? std::string(host) : override));
}

Locality locality() {
  Locality result;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return result;
  const std::unique_ptr<hwloc_topology, TopologyRelease> topology(raw);
  // Only what is asked below: loading everything would take most of tutti_init.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return result;
  const std::unique_ptr<hwloc_bitmap_s, BitmapRelease> bound(hwloc_bitmap_alloc());
  if (!bound || hwloc_get_cpubind(raw, bound.get(), HWLOC_CPUBIND_PROCESS) != 0) return result;

  if (hwloc_obj_t package =
          hwloc_get_next_obj_covering_cpuset_by_type(raw, bound.get(), HWLOC_OBJ_PACKAGE, nullptr);
      package && hwloc_bitmap_isincluded(bound.get(), package->cpuset))
    result.package = static_cast<int>(package->logical_index);
  if (hwloc_obj_t cache =
          hwloc_get_next_obj_covering_cpuset_by_type(raw, bound.get(), HWLOC_OBJ_L3CACHE, nullptr);
      cache && hwloc_bitmap_isincluded(bound.get(), cache->cpuset))
    result.cache = static_cast<int>(cache->logical_index);
  return result;
}

}  // namespace tutti::transport
