// Packs and unpacks by loops over equal runs of bytes, as long ones as there are.
#include "base/packing.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

#include "base/equal_runs.hpp"

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

template <Way way>
void move_runs(const Runs& runs) noexcept {
  const auto& [typed, stride, packed, packed_stride, width, count] = runs;
  if constexpr (way == Way::pack)
    copy_equal_runs({packed, packed_stride, typed, stride, width, count});
  else
    copy_equal_runs({typed, stride, packed, packed_stride, width, count});
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
  const InnermostLoop in(typed, begin, end);
  Mover<way>(typed.map).some(in.loop(), in.parts(), in.first(), in.begin(), in.end(), packed);
}

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

InnermostLoop::InnermostLoop(const TypedBytes& typed, Bytes begin, Bytes end) noexcept
    : loop_(typed.map.whole()), begin_(begin), end_(end) {
  first_ = address(typed, loop_.offset);
  if (!join(loop_, typed.count, typed.extent) && !enter(loop_.size(), typed.extent)) {
    element_ = typed.map.whole();
    element_.offset = 0;
    loop_ = {0, typed.count, typed.extent, element_.size()};
    loop_.first = UINT32_MAX;  // no other loop has this part
    loop_.parts = 1;
    loop_.of_runs = element_.parts == 0;
    parts_ = &element_;
    return;
  }
  while (enter(loop_.each, loop_.stride) && loop_.parts == 1) {
    loop_ = *typed.map.parts_of(loop_);
    first_ += loop_.offset;
  }
  parts_ = typed.map.parts_of(loop_);
}

// To the iteration in which the first byte lies. false: others lie in the next one.
bool InnermostLoop::enter(Bytes each, Bytes stride) noexcept {
  const Bytes i = begin_ < each ? 0 : begin_ / each;  // mostly there is one
  if (end_ - i * each > each) return false;
  first_ += i * stride;
  begin_ -= i * each;
  end_ -= i * each;
  return true;
}

std::byte* run_in_memory(const TypedBytes& typed, Bytes begin, Bytes end) noexcept {
  const InnermostLoop in(typed, begin, end);
  return in.is_run() ? in.first() + in.begin() : nullptr;
}

void pack(const TypedBytes& typed, Bytes begin, Bytes end, std::byte* packed) noexcept {
  move<Way::pack>(typed, begin, end, packed);
}

void unpack(const TypedBytes& typed, Bytes begin, Bytes end, const std::byte* packed) noexcept {
  move<Way::unpack>(typed, begin, end, const_cast<std::byte*>(packed));
}

}  // namespace tutti
