// The device's NUMA node, the nodes of the process, and the kernel's table of distances.
#include "transport/verbs/distance.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "transport/processors.hpp"

namespace tutti::transport::verbs {
namespace {

std::string line_of(const std::filesystem::path& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

bool runs_on(const std::filesystem::path& node) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return false;
  return std::ranges::any_of(parse_threads(line_of(node / "cpulist")), [&](int core) {
    return core < CPU_SETSIZE && CPU_ISSET(core, &mine);
  });
}

}  // namespace

int distance_to(const std::string& device, const std::filesystem::path& sysfs) {
  const std::filesystem::path nodes = sysfs / "devices/system/node";
  std::istringstream number(line_of(sysfs / "class/infiniband" / device / "device/numa_node"));
  int its_node = -1;
  if (!(number >> its_node) || its_node < 0) return 0;  // one node only, or a device in software
  const auto folder = [&](int node) { return nodes / fmt::format("node{}", node); };
  // The kernel lists the distances to the online nodes, in their order.
  std::istringstream distances(line_of(folder(its_node) / "distance"));
  std::optional<int> nearest;
  for (const int node : parse_threads(line_of(nodes / "online"))) {
    int distance = 0;
    if (!(distances >> distance)) break;
    if (node == its_node) distance = 0;
    if (runs_on(folder(node))) nearest = std::min(nearest.value_or(distance), distance);
  }
  return nearest.value_or(0);
}

}  // namespace tutti::transport::verbs
