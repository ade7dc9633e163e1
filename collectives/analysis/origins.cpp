// Keeps the origins of a buffer's bytes as extents: cuts, joins and copies them. Pure.
#include "collectives/analysis/origins.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace tutti::collectives {
namespace {

Bytes origin_at(const Extent& extent, Bytes at) noexcept {
  return extent.origin == kUndefined ? kUndefined : extent.origin + (at - extent.begin);
}

void append(std::vector<Extent>& extents, std::size_t first_of_mine, Extent extent) {
  if (extents.size() > first_of_mine && origin_at(extents.back(), extent.begin) == extent.origin)
    return;
  extents.push_back(extent);
}

}  // namespace

std::size_t Origins::covering(Bytes at) const noexcept {
  const auto after =
      std::upper_bound(extents_.begin(), extents_.end(), at,
                       [](Bytes b, const Extent& extent) { return b < extent.begin; });
  return index(after - extents_.begin()) - 1;
}

void Origins::read(Bytes at, Bytes length, std::vector<Extent>& out) const {
  if (length == 0) return;
  std::size_t i = covering(at);
  out.push_back({0, origin_at(extents_[i], at)});
  for (++i; i < extents_.size() && extents_[i].begin < at + length; ++i)
    out.push_back({extents_[i].begin - at, extents_[i].origin});
}

void Origins::write(Bytes at, Bytes length, const std::vector<Extent>& values) {
  if (length == 0) return;
  const Bytes end = at + length;
  // From the extent before the written bytes to the one after them: they may become one with these.
  std::size_t first = covering(at);
  if (extents_[first].begin == at && first > 0) --first;
  const std::size_t last = end < size_ ? covering(end) : extents_.size() - 1;

  std::vector<Extent> melted;
  if (extents_[first].begin < at) melted.push_back(extents_[first]);
  for (const Extent& value : values) append(melted, 0, {at + value.begin, value.origin});
  if (end < size_) append(melted, 0, {end, origin_at(extents_[last], end)});

  const auto place = extents_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t old_count = last + 1 - first, kept = std::min(old_count, melted.size());
  std::copy_n(melted.begin(), kept, place);
  const auto rest = place + static_cast<std::ptrdiff_t>(kept);
  if (melted.size() > kept)
    extents_.insert(rest, melted.begin() + static_cast<std::ptrdiff_t>(kept), melted.end());
  else
    extents_.erase(rest, place + static_cast<std::ptrdiff_t>(old_count));
}

}  // namespace tutti::collectives
