// Collects the runs of bytes of some elements, and looks at neighbours in memory.
#include "base/overlap.hpp"

#include <algorithm>
#include <vector>

namespace tutti {
namespace {

struct Run {
  Bytes begin, end;
};

class RunReader {
 public:
  explicit RunReader(const Typemap& map) : map_(map) {}

  // false: there are too many.
  bool add(const TypedBytes& typed) {
    if (typed.count > kMostRunsLookedAt) return false;
    for (Bytes i = 0; i < typed.count; ++i)
      if (!add(map_.whole(), i * typed.extent)) return false;
    return true;
  }
  bool overlap() {
    std::ranges::sort(runs_, {}, &Run::begin);
    return std::ranges::adjacent_find(runs_, [](const Run& before, const Run& next) {
             return next.begin < before.end;
           }) != runs_.end();
  }

 private:
  bool add(const Loop& loop, Bytes from) {
    const Loop* const parts = map_.parts_of(loop);
    if (loop.count > kMostRunsLookedAt) return false;
    for (Bytes i = 0; i < loop.count; ++i) {
      const Bytes at = from + loop.offset + i * loop.stride;
      if (loop.parts == 0) runs_.push_back({at, at + loop.each});
      for (std::uint32_t p = 0; p < loop.parts; ++p)
        if (!add(parts[p], at)) return false;
      if (runs_.size() > kMostRunsLookedAt) return false;
    }
    return true;
  }

  const Typemap& map_;
  std::vector<Run> runs_;
};

}  // namespace

bool places_overlap(const TypedBytes& typed) {
  if (places_differ(typed)) return false;
  RunReader runs(typed.map);
  return runs.add(typed) && runs.overlap();
}

}  // namespace tutti
