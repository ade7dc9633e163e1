// Picks a core for each rank: one hardware thread of each core before any second one.
#include "src/calibration/own_core.hpp"

#include <algorithm>
#include <vector>

namespace tutti {
namespace {

// On an unknown machine each thread counts as a core.
std::vector<int> in_turn(const transport::ThreadList& allowed,
                         const transport::Processors& processors) {
  std::vector<std::pair<std::ptrdiff_t, int>> threads;  // by their number on their core
  for (const int thread : allowed) {
    const int core = processors.group_of(processors.core(), std::span(&thread, 1));
    const auto on_core =
        core < 0 ? transport::ThreadList{thread} : processors.members(*processors.core(), core);
    threads.emplace_back(std::ranges::find(on_core, thread) - on_core.begin(), thread);
  }
  std::sort(threads.begin(), threads.end());
  std::vector<int> all;
  all.reserve(threads.size());
  for (const auto& [number, thread] : threads) all.push_back(thread);
  return all;
}

}  // namespace

OwnCore::OwnCore(int place, const transport::Processors& processors) {
  if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const auto threads = in_turn(transport::bound_threads(), processors);
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
