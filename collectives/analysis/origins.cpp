// Runs of origins. Pure.
#include "collectives/analysis/origins.hpp"

#include <algorithm>

namespace tutti::collectives {
namespace {

Bytes origin_at(const Run& run, Bytes at) noexcept {
  return run.origin == kUndefined ? kUndefined : run.origin + (at - run.begin);
}

void append(std::vector<Run>& runs, std::size_t first_of_mine, Run run) {
  if (runs.size() > first_of_mine && origin_at(runs.back(), run.begin) == run.origin) return;
  runs.push_back(run);
}

}  // namespace

std::size_t Origins::covering(Bytes at) const noexcept {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), at,
                                      [](Bytes b, const Run& run) { return b < run.begin; });
  return static_cast<std::size_t>(after - runs_.begin()) - 1;
}

void Origins::read(Bytes at, Bytes length, std::vector<Run>& out) const {
  if (length == 0) return;
  std::size_t i = covering(at);
  out.push_back({0, origin_at(runs_[i], at)});
  for (++i; i < runs_.size() && runs_[i].begin < at + length; ++i)
    out.push_back({runs_[i].begin - at, runs_[i].origin});
}

void Origins::write(Bytes at, Bytes length, const std::vector<Run>& values) {
  if (length == 0) return;
  const Bytes end = at + length;
  // From one run before the written bytes to one run after them, so that both borders can melt.
  std::size_t first = covering(at);
  if (runs_[first].begin == at && first > 0) --first;
  const std::size_t last = end < size_ ? covering(end) : runs_.size() - 1;

  std::vector<Run> melted;
  if (runs_[first].begin < at) melted.push_back(runs_[first]);
  for (const Run& value : values) append(melted, 0, {at + value.begin, value.origin});
  if (end < size_) append(melted, 0, {end, origin_at(runs_[last], end)});

  const auto place = runs_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t old_count = last + 1 - first, kept = std::min(old_count, melted.size());
  std::copy_n(melted.begin(), kept, place);
  const auto rest = place + static_cast<std::ptrdiff_t>(kept);
  if (melted.size() > kept)
    runs_.insert(rest, melted.begin() + static_cast<std::ptrdiff_t>(kept), melted.end());
  else
    runs_.erase(rest, place + static_cast<std::ptrdiff_t>(old_count));
}

}  // namespace tutti::collectives
