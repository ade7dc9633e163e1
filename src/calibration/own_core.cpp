// One hardware thread of each core comes before the second ones.
#include "src/calibration/own_core.hpp"

#include <algorithm>
#include <vector>

#include "transport/sysfs_processors.hpp"

namespace tutti {
namespace {

std::vector<int> in_turn(const cpu_set_t& allowed) {
  const transport::SysfsProcessors processors;
  std::vector<std::pair<std::ptrdiff_t, int>> threads;  // by their number on their core
  for (const int thread : processors.online()) {
    if (thread >= CPU_SETSIZE || !CPU_ISSET(static_cast<std::size_t>(thread), &allowed)) continue;
    const auto core = processors.core_of(thread);
    threads.emplace_back(std::find(core.begin(), core.end(), thread) - core.begin(), thread);
  }
  std::sort(threads.begin(), threads.end());
  std::vector<int> all;
  all.reserve(threads.size());
  for (const auto& [number, thread] : threads) all.push_back(thread);
  return all;
}

}  // namespace

OwnCore::OwnCore(int place) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const auto threads = in_turn(before_);
  if (threads.size() < 2) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(threads[static_cast<std::size_t>(place) % threads.size()]),
          &one);
  changed_ = sched_setaffinity(0, sizeof one, &one) == 0;
}

OwnCore::~OwnCore() {
  if (changed_) sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace tutti
