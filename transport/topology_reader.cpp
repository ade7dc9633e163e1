// Reads the wanted kinds of objects of hwloc's topology, and no others.
#include "transport/topology_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::transport {
namespace {

class Topology {
 public:
  Topology(const HwlocLibrary& hwloc, const TopologySource& source,
           std::initializer_list<hwloc_obj_type_t> wanted)
      : hwloc_(hwloc) {
    if (!hwloc.problem().empty()) {
      problem_ = fmt::format("hwloc cannot be loaded: {}", hwloc.problem());
      return;
    }
    if (hwloc.topology_init(&topology_) != 0) {
      topology_ = nullptr;
      problem_ = "hwloc cannot start: out of memory";
      return;
    }
    hwloc.topology_set_all_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const hwloc_obj_type_t type : wanted)
      hwloc.topology_set_type_filter(topology_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    // Other ranks of the node may be confined to other threads.
    hwloc.topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (!set_source(source) || hwloc.topology_load(topology_) != 0)
      problem_ = "hwloc cannot read this machine's topology";
  }
  ~Topology() {
    if (topology_) hwloc_.topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  const std::string& problem() const noexcept { return problem_; }
  int depth() const { return hwloc_.topology_get_depth(topology_); }
  hwloc_obj_type_t type_at(int depth) const { return hwloc_.get_depth_type(topology_, depth); }
  std::vector<hwloc_obj_t> objects_at(int depth) const {
    std::vector<hwloc_obj_t> all(hwloc_.get_nbobjs_by_depth(topology_, depth));
    for (unsigned i = 0; i < all.size(); ++i) all[i] = hwloc_.get_obj_by_depth(topology_, depth, i);
    return all;
  }
  // The numbers of the hardware threads in a set.
  std::vector<int> numbers_in(hwloc_const_bitmap_t set) const {
    std::vector<int> all;
    for (int i = -1; (i = hwloc_.bitmap_next(set, i)) >= 0;) all.push_back(i);
    return all;
  }

 private:
  bool set_source(const TopologySource& source) {
    if (!source.synthetic.empty())
      return hwloc_.topology_set_synthetic(topology_, source.synthetic.c_str()) == 0;
    return source.xml.empty() ||
           hwloc_.topology_set_xmlbuffer(topology_, source.xml.c_str(),
                                         static_cast<int>(source.xml.size() + 1)) == 0;
  }

  const HwlocLibrary& hwloc_;
  hwloc_topology_t topology_ = nullptr;
  std::string problem_;
};

using Level = Processors::Level;
using Thread = Processors::Thread;

// nullopt: objects of this type are not wanted.
std::optional<Level> level_of(hwloc_obj_type_t type, const std::vector<hwloc_obj_t>& objects) {
  if (type == HWLOC_OBJ_PACKAGE) return Level{Processors::Kind::package};
  if (type == HWLOC_OBJ_CORE) return Level{Processors::Kind::core};
  if (type < HWLOC_OBJ_L1CACHE || type > HWLOC_OBJ_L5CACHE) return std::nullopt;
  Level level{Processors::Kind::cache, static_cast<std::int32_t>(type - HWLOC_OBJ_L1CACHE + 1)};
  for (const hwloc_obj_t object : objects)
    level.bytes = std::max(level.bytes, static_cast<std::int64_t>(object->attr->cache.size));
  return level;
}

std::vector<Thread> threads_of(const Topology& topology) {
  std::vector<Thread> threads;
  for (const hwloc_obj_t object : topology.objects_at(topology.depth() - 1)) {
    Thread thread{static_cast<std::int32_t>(object->os_index)};
    thread.groups.fill(-1);
    threads.push_back(thread);
  }
  std::ranges::sort(threads, {}, &Thread::number);
  return threads;
}

}  // namespace

Processors read_processors(const TopologySource& source) {
  const HwlocLibrary hwloc(source.library);
  const Topology topology(
      hwloc, source,
      {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
       HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_CORE});
  if (!topology.problem().empty()) return Processors(topology.problem());
  std::vector<Level> levels;
  std::vector<Thread> threads = threads_of(topology);
  for (int depth = 0; depth < topology.depth() && levels.size() < Processors::kMostLevels;
       ++depth) {
    const auto objects = topology.objects_at(depth);
    const auto level = level_of(topology.type_at(depth), objects);
    if (!level) continue;
    for (std::size_t group = 0; group < objects.size(); ++group)
      for (const int number : topology.numbers_in(objects[group]->cpuset)) {
        const auto thread = std::ranges::lower_bound(threads, number, {}, &Thread::number);
        if (thread != threads.end() && thread->number == number)
          thread->groups[levels.size()] = static_cast<std::int32_t>(group);
      }
    levels.push_back(*level);
  }
  return {std::move(levels), std::move(threads)};
}

}  // namespace tutti::transport
