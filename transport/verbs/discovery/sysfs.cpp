// The device's NUMA node, the nodes of the process, and the kernel's table of distances; the rate
// of a port, as "400 Gb/sec (4X NDR)".
#include "transport/verbs/discovery/sysfs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <locale>
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

// "0-3,8" as the kernel writes it; what cannot be read ends it.
ThreadList parse_list(const std::string& text) {
  ThreadList numbers;
  std::istringstream in(text);
  for (int first, last; in >> first;) {
    last = first;
    if (in.peek() == '-' && !(in.ignore() >> last)) break;
    for (int n = first; n <= last; ++n) numbers.push_back(n);
    if (in.peek() == ',') in.ignore();
  }
  return numbers;
}

bool runs_on(const std::filesystem::path& node) {
  const ThreadList mine = bound_threads();
  return std::ranges::any_of(parse_list(line_of(node / "cpulist")),
                             [&](int thread) { return std::ranges::binary_search(mine, thread); });
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
  for (const int node : parse_list(line_of(nodes / "online"))) {
    int distance = 0;
    if (!(distances >> distance)) break;
    if (node == its_node) distance = 0;
    if (runs_on(folder(node))) nearest = std::min(nearest.value_or(distance), distance);
  }
  return nearest.value_or(0);
}

std::uint64_t rate_of(const std::string& device, int port, const std::filesystem::path& sysfs) {
  std::istringstream line(
      line_of(sysfs / "class/infiniband" / device / "ports" / std::to_string(port) / "rate"));
  line.imbue(std::locale::classic());
  double gigabits = 0;
  std::string unit;
  constexpr double kMost = 1e6;
  if (!(line >> gigabits >> unit) || unit != "Gb/sec" || !(gigabits > 0 && gigabits < kMost))
    return 0;
  return static_cast<std::uint64_t>(std::llround(gigabits * 1000));
}

}  // namespace tutti::transport::verbs
