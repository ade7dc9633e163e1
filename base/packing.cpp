// Packs and unpacks by loops over runs of bytes, chosen by the length of the runs.
#include "base/packing.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "base/copy.hpp"

namespace tutti {
namespace {

// Which way bytes go.
enum class Way : bool { pack, unpack };

// Runs of `width` bytes, on either side so far apart.
struct Runs {
  std::byte* typed;
  Bytes stride;
  std::byte* packed;
  Bytes packed_stride;
  Bytes width, count;
};

template <Way way, class Copy>
inline void each_run(const Runs& runs, Copy&& copy) noexcept {
  std::byte *typed = runs.typed, *packed = runs.packed;
  for (Bytes i = 0; i < runs.count; ++i) {
    if constexpr (way == Way::pack)
      copy(packed, typed);
    else
      copy(typed, packed);
    typed += runs.stride;
    packed += runs.packed_stride;
  }
}

template <Way way, std::size_t width>
void runs_of(const Runs& runs) noexcept {
  each_run<way>(runs, [](std::byte* to, const std::byte* from) { std::memcpy(to, from, width); });
}

// Four at once: all are read before the first is written.
template <Way way, std::size_t width>
void fours_of(Runs runs) noexcept {
  constexpr Bytes kFour = 4;
  for (; runs.count >= kFour; runs.count -= kFour) {
    constexpr bool packs = way == Way::pack;
    std::byte some[kFour][width];  // registers
    std::byte *const from = packs ? runs.typed : runs.packed, *const to =
                                                                  packs ? runs.packed : runs.typed;
    const Bytes from_stride = packs ? runs.stride : runs.packed_stride,
                to_stride = packs ? runs.packed_stride : runs.stride;
    for (Bytes i = 0; i < kFour; ++i) std::memcpy(some[i], from + i * from_stride, width);
    for (Bytes i = 0; i < kFour; ++i) std::memcpy(to + i * to_stride, some[i], width);
    runs.typed += kFour * runs.stride;
    runs.packed += kFour * runs.packed_stride;
  }
  runs_of<way, width>(runs);
}

// Runs of `part` to 2 * `part` bytes, as two that may overlap.
template <Way way, std::size_t part>
void runs_of_two(const Runs& runs) noexcept {
  const auto last = static_cast<std::size_t>(runs.width) - part;
  each_run<way>(runs, [last](std::byte* to, const std::byte* from) {
    std::byte head[part], tail[part];
    std::memcpy(head, from, part);
    std::memcpy(tail, from + last, part);
    std::memcpy(to, head, part);
    std::memcpy(to + last, tail, part);
  });
}

template <Way way>
void runs_of_many(const Runs& runs) noexcept {
  constexpr std::size_t kPart = 32;
  const auto last = static_cast<std::size_t>(runs.width) - kPart;
  each_run<way>(runs, [last](std::byte* to, const std::byte* from) {
    for (std::size_t at = 0; at < last; at += kPart) std::memcpy(to + at, from + at, kPart);
    std::memcpy(to + last, from + last, kPart);
  });
}

template <Way way>
void runs_of_any(const Runs& runs) noexcept {
  const auto width = static_cast<std::size_t>(runs.width);
  each_run<way>(runs,
                [width](std::byte* to, const std::byte* from) { copy_bytes(to, from, width); });
}

template <Way way>
void move_runs(const Runs& runs) noexcept {
  constexpr Bytes kLong = 512;  // from here on a call for each run costs less than its copy
  switch (runs.width) {
    case 1: return runs_of<way, 1>(runs);
    case 2: return runs_of<way, 2>(runs);
    case 4: return runs_of<way, 4>(runs);
    case 8: return fours_of<way, 8>(runs);
    case 12: return runs_of<way, 12>(runs);
    case 16: return fours_of<way, 16>(runs);
    case 24: return runs_of<way, 24>(runs);
    case 32: return runs_of<way, 32>(runs);
    case 64: return runs_of<way, 64>(runs);
    default: break;
  }
  if (runs.width == 3) return runs_of_two<way, 2>(runs);
  if (runs.width < 8) return runs_of_two<way, 4>(runs);
  if (runs.width < 16) return runs_of_two<way, 8>(runs);
  if (runs.width < 32) return runs_of_two<way, 16>(runs);
  if (runs.width < kLong) return runs_of_many<way>(runs);
  runs_of_any<way>(runs);
}

template <Way way>
class Mover {
 public:
  explicit Mover(const Typemap& map) : map_(map) {}

  // All of a loop. `typed`: where that begins of which it is a part.
  void all(const Loop& loop, std::byte* typed, std::byte* packed) const noexcept {
    iterations(loop, map_.parts_of(loop), typed + loop.offset, loop.count, packed);
  }
  // `count` iterations from the one at `typed` on.
  void iterations(const Loop& loop, const Loop* parts, std::byte* typed, Bytes count,
                  std::byte* packed) const noexcept {
    if (loop.parts == 0)
      move_runs<way>({typed, loop.stride, packed, loop.each, loop.each, count});
    else if (loop.of_runs)
      in_tiles(loop, parts, typed, count, packed);
    else
      for (Bytes i = 0; i < count; ++i) {
        one(loop, parts, typed, packed);
        typed += loop.stride;
        packed += loop.each;
      }
  }
  // The bytes from `begin` to `end` of those of a loop, whose first iteration is at `typed`.
  void some(const Loop& loop, const Loop* parts, std::byte* typed, Bytes begin, Bytes end,
            std::byte* packed) const noexcept {
    Bytes i = begin / loop.each;
    if (const Bytes from = begin % loop.each; from != 0) {
      const Bytes to = std::min(end - i * loop.each, loop.each);
      some_of_one(loop, parts, typed + i * loop.stride, from, to, packed);
      packed += to - from;
      ++i;
    }
    if (i * loop.each >= end) return;
    const Bytes whole = end / loop.each - i;
    iterations(loop, parts, typed + i * loop.stride, whole, packed);
    packed += whole * loop.each;
    i += whole;
    if (const Bytes rest = end - i * loop.each; rest > 0)
      some_of_one(loop, parts, typed + i * loop.stride, 0, rest, packed);
  }

 private:
  void one(const Loop& loop, const Loop* parts, std::byte* typed,
           std::byte* packed) const noexcept {
    for (const Loop* part = parts; part != parts + loop.parts; ++part) {
      all(*part, typed, packed);
      packed += part->size();
    }
  }
  // Part by part for as many iterations as caches hold, so that the innermost loop is long.
  void in_tiles(const Loop& loop, const Loop* parts, std::byte* typed, Bytes count,
                std::byte* packed) const noexcept {
    constexpr Bytes kTile = 8192;
    const Bytes most = std::max<Bytes>(kTile / loop.each, 1);
    for (Bytes done = 0; done < count; done += most) {
      const Bytes now = std::min(most, count - done);
      Bytes at = 0;
      for (const Loop* part = parts; part != parts + loop.parts; at += (part++)->size())
        tile(loop, *part, typed + part->offset, now, packed + at);
      typed += now * loop.stride;
      packed += now * loop.each;
    }
  }
  void tile(const Loop& loop, const Loop& part, std::byte* typed, Bytes count,
            std::byte* packed) const noexcept {
    const bool across = part.count < count;
    const Loop &inner = across ? loop : part, &outer = across ? part : loop;
    Runs runs{typed, inner.stride, packed, inner.each, part.each, across ? count : part.count};
    for (Bytes i = across ? part.count : count; i > 0; --i) {
      move_runs<way>(runs);
      runs.typed += outer.stride;
      runs.packed += outer.each;
    }
  }
  void some_of_one(const Loop& loop, const Loop* parts, std::byte* typed, Bytes begin, Bytes end,
                   std::byte* packed) const noexcept {
    if (loop.parts == 0) return move_runs<way>({typed + begin, 0, packed, 0, end - begin, 1});
    Bytes at = 0;
    for (const Loop* part = parts; part != parts + loop.parts && at < end; ++part) {
      const Bytes from = std::max(begin - at, Bytes{0}), to = std::min(end - at, part->size());
      at += part->size();
      if (from >= to) continue;
      some(*part, map_.parts_of(*part), typed + part->offset, from, to, packed);
      packed += to - from;
    }
  }

  const Typemap& map_;
};

// By integers: the typemap may have absolute addresses, and then there is no pointer to count from.
std::byte* address(const TypedBytes& typed, Bytes offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(typed.first) +
                                      static_cast<std::uintptr_t>(offset));
}

template <Way way>
void move(const TypedBytes& typed, Bytes begin, Bytes end, std::byte* packed) noexcept {
  if (begin >= end) return;
  const Mover<way> mover(typed.map);
  Loop element = typed.map.whole();
  std::byte* const first = address(typed, element.offset);
  element.offset = 0;
  if (const auto loop = joined(element, typed.count, typed.extent))
    return mover.some(*loop, typed.map.parts_of(*loop), first, begin, end, packed);
  Loop elements{0, typed.count, typed.extent, element.size()};
  elements.parts = 1;
  elements.of_runs = element.parts == 0;
  mover.some(elements, &element, first, begin, end, packed);
}

}  // namespace

namespace {

// Finds loops whose bytes lie at different places.
class Places {
 public:
  explicit Places(const Typemap& map) : map_(map) {}

  // From the first byte to behind the last one.
  struct Span {
    Bytes low, high;
  };
  // The span of `count` of these loops, `stride` apart, from where the first of them begins.
  // nullopt: some bytes may lie at one place.
  //
  // Loops of one part each, around each other, add up multiples of their strides, in whatever
  // order they are taken. So they are taken from the shortest stride on: none may be shorter than
  // what the ones before it reach.
  std::optional<Span> of(const Loop& loop, Bytes count, Bytes stride) noexcept {
    std::array<Dimension, kMostDimensions> dimensions;
    std::size_t used = 0;
    const auto take = [&](Bytes times, Bytes step) {
      if (times == 1) return true;
      if (used == dimensions.size()) return false;
      dimensions[used++] = {std::abs(step), times, step};
      return true;
    };
    if (left_-- == 0 || !take(count, stride)) return std::nullopt;
    const Loop* inner = &loop;
    Bytes begin = 0;
    for (;; inner = map_.parts_of(*inner)) {
      begin += inner->offset;
      if (!take(inner->count, inner->stride)) return std::nullopt;
      if (inner->parts != 1) break;
    }
    std::optional<Span> span = Span{0, inner->each};
    if (inner->parts != 0) span = of_parts({map_.parts_of(*inner), inner->parts});
    if (!span) return span;
    std::ranges::sort(dimensions.begin(), dimensions.begin() + used, {}, &Dimension::distance);
    for (std::size_t i = 0; i < used; ++i) {
      const auto& [distance, times, step] = dimensions[i];
      if (distance < span->high - span->low) return std::nullopt;
      (step < 0 ? span->low : span->high) += (times - 1) * step;
    }
    return Span{begin + span->low, begin + span->high};
  }

 private:
  struct Dimension {
    Bytes distance, times, step;
  };
  static constexpr std::size_t kMostDimensions = 16, kMostParts = 32;

  std::optional<Span> of_parts(std::span<const Loop> parts) noexcept {
    std::array<Span, kMostParts> spans;
    if (parts.size() > spans.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto span = of(parts[i], 1, 0);
      if (!span) return span;
      spans[i] = *span;
    }
    const auto end = spans.begin() + static_cast<std::ptrdiff_t>(parts.size());
    std::ranges::sort(spans.begin(), end, {}, &Span::low);
    for (auto next = spans.begin() + 1; next < end; ++next)
      if (next->low < (next - 1)->high) return std::nullopt;
    return Span{spans.front().low, (end - 1)->high};
  }

  const Typemap& map_;
  int left_ = 256;  // loops to look at: those that share parts could be many more than there are
};

}  // namespace

std::optional<Reach> reach_of_places(const TypedBytes& typed) noexcept {
  const auto span = Places(typed.map).of(typed.map.whole(), typed.count, typed.extent);
  if (!span) return std::nullopt;
  const auto at = [&](Bytes offset) {
    return reinterpret_cast<std::uintptr_t>(address(typed, offset));
  };
  return Reach{at(span->low), at(span->high)};
}

bool places_differ(const TypedBytes& typed) noexcept {
  return typed.size() == 0 || reach_of_places(typed).has_value();
}

std::byte* run_in_memory(const TypedBytes& typed, Bytes begin, Bytes end) noexcept {
  Loop loop = typed.map.whole();
  Bytes offset = loop.offset;
  // Goes to the iteration in which the first byte lies. false: others lie in the next one.
  const auto enter = [&](Bytes each, Bytes stride) {
    const Bytes i = begin < each ? 0 : begin / each;  // mostly there is one
    offset += i * stride;
    begin -= i * each;
    end -= i * each;
    return end <= each;
  };
  if (const auto all = joined(loop, typed.count, typed.extent))
    loop = *all;
  else if (!enter(loop.size(), typed.extent))
    return nullptr;
  while (enter(loop.each, loop.stride)) {
    if (loop.parts == 0) return address(typed, offset + begin);
    if (loop.parts > 1) break;
    loop = *typed.map.parts_of(loop);
    offset += loop.offset;
  }
  return nullptr;
}

void pack(const TypedBytes& typed, Bytes begin, Bytes end, std::byte* packed) noexcept {
  move<Way::pack>(typed, begin, end, packed);
}

void unpack(const TypedBytes& typed, Bytes begin, Bytes end, const std::byte* packed) noexcept {
  move<Way::unpack>(typed, begin, end, const_cast<std::byte*>(packed));
}

void copy_elements(const TypedBytes& from, const TypedBytes& to) noexcept {
  const Bytes size = from.size();
  std::array<std::byte, 4096> some;  // in the caches
  for (Bytes begin = 0; begin < size;) {
    const Bytes end = std::min(size, begin + static_cast<Bytes>(some.size()));
    pack(from, begin, end, some.data());
    unpack(to, begin, end, some.data());
    begin = end;
  }
}

}  // namespace tutti
