// Two kinds of loops match: those of one type, and those of equal runs on both sides, if a run of
// one side is a number of runs of the other.
#include "base/typed_copy.hpp"

#include <algorithm>
#include <array>

#include "base/equal_runs.hpp"

namespace tutti {
namespace {

// Both sides are of one type.
class Walk {
 public:
  explicit Walk(const Typemap& map) noexcept : map_(map) {}

  // A first iteration on either side, and the way to the next one.
  struct Side {
    std::byte* first;
    Bytes stride;
  };
  void iterations(const Loop& loop, const Loop* parts, Side from, Side to,
                  Bytes count) const noexcept {
    if (loop.parts == 0)
      return copy_equal_runs({to.first, to.stride, from.first, from.stride, loop.each, count});
    if (loop.of_runs) return in_tiles(loop, parts, from, to, count);
    for (; count > 0; --count, from.first += from.stride, to.first += to.stride)
      for (const Loop* part = parts; part != parts + loop.parts; ++part)
        iterations(*part, map_.parts_of(*part), {from.first + part->offset, part->stride},
                   {to.first + part->offset, part->stride}, part->count);
  }

 private:
  // Part by part for as many iterations as caches hold, so that the innermost loop is long.
  static void in_tiles(const Loop& loop, const Loop* parts, Side from, Side to,
                       Bytes count) noexcept {
    constexpr Bytes kTile = 8192;
    const Bytes most = std::max<Bytes>(kTile / loop.each, 1);
    for (Bytes now = 0; count > 0; count -= now) {
      now = std::min(most, count);
      for (const Loop* part = parts; part != parts + loop.parts; ++part)
        tile(*part, {from.first + part->offset, from.stride}, {to.first + part->offset, to.stride},
             now);
      from.first += now * from.stride;
      to.first += now * to.stride;
    }
  }
  static void tile(const Loop& part, Side from, Side to, Bytes count) noexcept {
    const bool across = part.count < count;
    const Bytes inner = across ? count : part.count, outer = across ? part.count : count;
    EqualRuns runs{to.first, to.stride, from.first, from.stride, part.each, inner};
    if (!across) runs.to_stride = runs.from_stride = part.stride;
    for (Bytes i = outer; i > 0; --i) {
      copy_equal_runs(runs);
      runs.to += across ? part.stride : to.stride;
      runs.from += across ? part.stride : from.stride;
    }
  }

  const Typemap& map_;
};

bool is_whole(const InnermostLoop& in) noexcept {
  return in.begin() % in.loop().each == 0 && in.end() % in.loop().each == 0;
}

bool are_alike(const Loop& a, const Loop& b) noexcept {
  return a.each == b.each && a.parts == b.parts && a.first == b.first;
}

Walk::Side side_of(const InnermostLoop& in) noexcept {
  const Loop& loop = in.loop();
  return {in.first() + in.begin() / loop.each * loop.stride, loop.stride};
}

// Runs of one side.
struct Side {
  std::byte* first;
  Bytes stride, width;
};

// false: they are not whole, or no equal runs.
bool find_runs(const InnermostLoop& in, Side& side) noexcept {
  if (in.is_run()) {
    side = {in.first() + in.begin(), 0, in.end() - in.begin()};
    return true;
  }
  if (in.loop().parts != 0 || !is_whole(in)) return false;
  const auto [first, stride] = side_of(in);
  side = {first, stride, in.loop().each};
  return true;
}

// Runs of one side hold a number of runs of the other. false: they do not.
bool copy_nested_runs(Side from, Side to, Bytes bytes) noexcept {
  const Bytes width = std::min(from.width, to.width), longer = std::max(from.width, to.width);
  if (longer % width != 0 || bytes % longer != 0) return false;
  if (longer == width) {
    copy_equal_runs({to.first, to.stride, from.first, from.stride, width, bytes / width});
    return true;
  }
  const auto inner = [&](const Side& side) { return side.width == longer ? width : side.stride; };
  const auto outer = [&](const Side& side) {
    return side.width == longer ? side.stride : longer / width * side.stride;
  };
  EqualRuns runs{to.first, inner(to), from.first, inner(from), width, longer / width};
  for (Bytes left = bytes / longer; left > 0; --left) {
    copy_equal_runs(runs);
    runs.to += outer(to);
    runs.from += outer(from);
  }
  return true;
}

}  // namespace

bool copy_by_loops(const TypedBytes& from, Bytes from_begin, const TypedBytes& to, Bytes to_begin,
                   Bytes bytes) noexcept {
  if (bytes <= 0) return true;
  const InnermostLoop source(from, from_begin, from_begin + bytes),
      target(to, to_begin, to_begin + bytes);
  Side out{}, in{};
  if (find_runs(source, out) && find_runs(target, in)) return copy_nested_runs(out, in, bytes);
  if (&from.map != &to.map || !are_alike(source.loop(), target.loop()) || !is_whole(source) ||
      !is_whole(target))
    return false;
  Walk(from.map).iterations(source.loop(), source.parts(), side_of(source), side_of(target),
                            bytes / source.loop().each);
  return true;
}

void copy_elements(const TypedBytes& from, const TypedBytes& to) noexcept {
  const Bytes size = from.size();
  if (copy_by_loops(from, 0, to, 0, size)) return;
  std::array<std::byte, 4096> some;  // in the caches
  for (Bytes begin = 0; begin < size;) {
    const Bytes end = std::min(size, begin + static_cast<Bytes>(some.size()));
    pack(from, begin, end, some.data());
    unpack(to, begin, end, some.data());
    begin = end;
  }
}

}  // namespace tutti
