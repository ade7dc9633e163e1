// Keeps the identifiers of freed communicators as ranges, which grow, join and are cut.
#include "src/news/freed.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

namespace tutti {

using protocols::News;

void Freed::note(CommunicatorId id, Said said) noexcept {
  for (News& news : said) news.communicator = 0;
  if (extend_last(id, said)) return;
  try {
    cut_out(id);
    const auto range = ranges_.insert({id, {id, std::move(said)}}).first;
    join_if_alike(range);
    if (range != ranges_.begin()) join_if_alike(std::prev(range));
    while (ranges_.size() > kMostRanges) forget_oldest(id);
  } catch (const std::bad_alloc&) {  // then what still comes for it keeps its slot
  }
}

// The usual case, which allocates nothing.
bool Freed::extend_last(CommunicatorId id, const Said& said) noexcept {
  if (ranges_.empty()) return false;
  Range& range = ranges_.rbegin()->second;
  if (range.last + 1 != id || range.said != said) return false;
  range.last = id;
  return true;
}

// From the range that has it.
void Freed::cut_out(CommunicatorId id) {
  const auto after = ranges_.upper_bound(id);
  if (after == ranges_.begin()) return;
  const auto range = std::prev(after);
  const CommunicatorId last = range->second.last;
  if (last < id) return;
  if (id < last) ranges_.insert({id + 1, {last, range->second.said}});
  if (range->first == id)
    ranges_.erase(range);
  else
    range->second.last = id - 1;
}

// With the range after it.
void Freed::join_if_alike(Ranges::iterator earlier) noexcept {
  const auto later = std::next(earlier);
  if (later == ranges_.end() || earlier->second.last + 1 != later->first ||
      earlier->second.said != later->second.said)
    return;
  earlier->second.last = later->second.last;
  ranges_.erase(later);
}

// Numbers between the oldest ones are other ranks', or were never taken, unless gaps stay. Then the
// lowest are forgotten, but not `newest`, which need not be the highest.
void Freed::forget_oldest(CommunicatorId newest) noexcept {
  if (gaps_ == Gaps::stay) {
    const auto lowest = ranges_.begin();
    ranges_.erase(newest <= lowest->second.last ? std::next(lowest) : lowest);
    return;
  }
  auto earlier = std::adjacent_find(ranges_.begin(), ranges_.end(), [](auto& a, auto& b) {
    return a.second.said == b.second.said;
  });
  if (earlier == ranges_.end()) {
    earlier = ranges_.begin();
    earlier->second.said.clear();
  }
  const auto later = std::next(earlier);
  earlier->second.last = later->second.last;
  ranges_.erase(later);
}

const Freed::Said* Freed::find(CommunicatorId id) const noexcept {
  const auto after = ranges_.upper_bound(id);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  return range.last >= id ? &range.said : nullptr;
}

std::optional<News> Freed::answer(CommunicatorId id, CollectiveNumber call) const noexcept {
  const Said* const said = find(id);
  if (!said) return std::nullopt;
  const auto found = std::find_if(said->begin(), said->end(), [&](const News& news) {
    return news.kind == News::Kind::failed || news.call == call;
  });
  if (found == said->end()) return std::nullopt;
  News news = *found;
  news.communicator = id;
  return news;
}

}  // namespace tutti
