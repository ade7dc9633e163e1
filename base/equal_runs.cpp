// Loops chosen by the length of the runs; for those of a vector and more, by the processor, too.
#include "base/equal_runs.hpp"

#include "base/copy.hpp"

namespace tutti {
namespace {

template <class Copy>
[[gnu::always_inline]] inline void each_run(const EqualRuns& runs, Copy&& copy) noexcept {
  std::byte* to = runs.to;
  const std::byte* from = runs.from;
  for (Bytes i = 0; i < runs.count; ++i) {
    copy(to, from);
    to += runs.to_stride;
    from += runs.from_stride;
  }
}

template <std::size_t width>
void runs_of(const EqualRuns& runs) noexcept {
  each_run(runs, [](std::byte* to, const std::byte* from) { std::memcpy(to, from, width); });
}

// Four at once: all are read before the first is written.
template <std::size_t width>
void fours_of(EqualRuns runs) noexcept {
  constexpr Bytes kFour = 4;
  for (; runs.count >= kFour; runs.count -= kFour) {
    std::byte some[kFour][width];  // registers
    for (Bytes i = 0; i < kFour; ++i) std::memcpy(some[i], runs.from + i * runs.from_stride, width);
    for (Bytes i = 0; i < kFour; ++i) std::memcpy(runs.to + i * runs.to_stride, some[i], width);
    runs.to += kFour * runs.to_stride;
    runs.from += kFour * runs.from_stride;
  }
  runs_of<width>(runs);
}

// Runs of `part` to 2 * `part` bytes, as two that may overlap.
template <std::size_t part>
void runs_of_two(const EqualRuns& runs) noexcept {
  const auto last = static_cast<std::size_t>(runs.width) - part;
  each_run(runs, [last](std::byte* to, const std::byte* from) {
    std::byte head[part], tail[part];
    std::memcpy(head, from, part);
    std::memcpy(tail, from + last, part);
    std::memcpy(to, head, part);
    std::memcpy(to + last, tail, part);
  });
}

// Lambdas would be compiled for any processor, and not become a part of the loops that need one.
template <std::size_t part>
[[gnu::always_inline]] inline void copy_vector(std::byte* to, const std::byte* from) noexcept {
  using Vector [[gnu::vector_size(part), gnu::aligned(1), gnu::may_alias]] = unsigned char;
  *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(from);
}

// Runs of `part` bytes at least, the last of which may overlap those before.
template <std::size_t part>
[[gnu::always_inline]] inline void runs_of_vectors(const EqualRuns& runs) noexcept {
  const auto last = static_cast<std::size_t>(runs.width) - part;
  const Bytes to_stride = runs.to_stride, from_stride = runs.from_stride;  // in registers
  std::byte* to = runs.to;
  const std::byte* from = runs.from;
  for (Bytes left = runs.count; left > 0; --left, to += to_stride, from += from_stride) {
    for (std::size_t at = 0; at < last; at += part) copy_vector<part>(to + at, from + at);
    copy_vector<part>(to + last, from + last);
  }
}

void runs_of_many(const EqualRuns& runs) noexcept { runs_of_vectors<16>(runs); }

#ifdef __x86_64__
[[gnu::target("avx2")]] void runs_of_many_avx2(const EqualRuns& runs) noexcept {
  runs_of_vectors<32>(runs);
}
const bool has_avx2 = __builtin_cpu_supports("avx2");
#endif

void runs_of_any(const EqualRuns& runs) noexcept {
  const auto width = static_cast<std::size_t>(runs.width);
  each_run(runs, [width](std::byte* to, const std::byte* from) { copy_bytes(to, from, width); });
}

}  // namespace

void copy_equal_runs(const EqualRuns& runs) noexcept {
  constexpr Bytes kMany = 32, kLong = 512;  // from kLong on a call costs less than the copy
  if (runs.width >= kLong) return runs_of_any(runs);
  if (runs.width >= kMany) {
#ifdef __x86_64__
    if (has_avx2) return runs_of_many_avx2(runs);
#endif
    return runs_of_many(runs);
  }
  switch (runs.width) {
    case 1: return runs_of<1>(runs);
    case 2: return runs_of<2>(runs);
    case 4: return runs_of<4>(runs);
    case 8: return fours_of<8>(runs);
    case 12: return runs_of<12>(runs);
    case 16: return fours_of<16>(runs);
    case 24: return runs_of<24>(runs);
    default: break;
  }
  if (runs.width == 3) return runs_of_two<2>(runs);
  if (runs.width < 8) return runs_of_two<4>(runs);
  if (runs.width < 16) return runs_of_two<8>(runs);
  runs_of_two<16>(runs);
}

}  // namespace tutti
