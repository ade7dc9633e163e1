// The parts of a view, and the bytes of it that are in the room: one run, as messages mostly go in
// order, or all carry the same bytes.
#include "base/packed_view.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/copy.hpp"
#include "base/typed_copy.hpp"

namespace tutti {

// The part in which that byte is.
const PackedView::Part* PackedView::part_of(Bytes begin) const noexcept {
  if (several_.empty()) return &one_;
  const auto next = std::upper_bound(several_.begin(), several_.end(), begin,
                                     [](Bytes at, const Part& part) { return at < part.begin; });
  return &*(next - 1);
}

std::byte* PackedView::run_in_memory(const std::byte* at, Bytes bytes) const noexcept {
  const Bytes begin = at - room_, end = begin + bytes;
  const Part& part = *part_of(begin);
  if (end > part.end()) return nullptr;
  return tutti::run_in_memory(part.typed, begin - part.begin, end - part.begin);
}

bool PackedView::places_differ() const {
  if (several_.empty()) return tutti::places_differ(one_.typed);
  std::vector<Reach> reaches;
  reaches.reserve(several_.size());
  for (const Part& part : several_) {
    const auto reach = reach_of_places(part.typed);
    if (!reach) return false;
    reaches.push_back(*reach);
  }
  std::ranges::sort(reaches, {}, &Reach::begin);
  return std::ranges::adjacent_find(reaches, [](const Reach& before, const Reach& next) {
           return next.begin < before.end;
         }) == reaches.end();
}

void PackedView::gather(Bytes begin, Bytes end, std::byte* to) const noexcept {
  if (begin >= end) return;
  const Part* part = part_of(begin);
  for (Bytes at = begin; at < end; ++part) {
    const Bytes until = std::min(end, part->end());
    tutti::pack(part->typed, at - part->begin, until - part->begin, to + (at - begin));
    at = until;
  }
}

void PackedView::take_runs(const std::byte* at, Bytes bytes, RunList& runs) const noexcept {
  if (bytes == 0) return;
  Bytes next = at - room_;
  const Bytes end = next + bytes;
  for (const Part* part = part_of(next); next < end; ++part) {
    const Bytes until = std::min(end, part->end());
    if (!runs.append(part->typed, next - part->begin, until - part->begin)) return;
    next = until;
  }
}

void PackedView::bring(const std::byte* at, Bytes bytes) noexcept {
  const Bytes begin = at - room_, end = begin + bytes;
  if (begin > end_ || end < begin_) begin_ = end_ = begin;
  if (begin < begin_) gather(begin, begin_, room_ + begin);
  if (end > end_) gather(end_, end, room_ + end_);
  begin_ = std::min(begin, begin_);
  end_ = std::max(end, end_);
}

void PackedView::forget(const std::byte* at, Bytes bytes) noexcept {
  const Bytes begin = at - room_, end = begin + bytes;
  if (begin < end_ && begin_ < end) begin_ = end_ = 0;
}

void PackedView::unpack(const std::byte* at, Bytes bytes, const std::byte* from) noexcept {
  if (bytes == 0) return;
  const Bytes begin = at - room_, end = begin + bytes;
  const Part* part = part_of(begin);
  for (Bytes next = begin; next < end; ++part) {
    const Bytes until = std::min(end, part->end());
    tutti::unpack(part->typed, next - part->begin, until - part->begin, from + (next - begin));
    next = until;
  }
  if (from != at) return forget(at, bytes);
  if (begin > end_ || end < begin_) begin_ = end_ = begin;
  begin_ = std::min(begin, begin_);
  end_ = std::max(end, end_);
}

bool PackedView::copy_one_part(const std::byte* at, const PackedView& to, const std::byte* target,
                               Bytes bytes) const noexcept {
  const Bytes from_begin = at - room_, to_begin = target - to.room_;
  const Part &out = *part_of(from_begin), &in = *to.part_of(to_begin);
  return from_begin + bytes <= out.end() && to_begin + bytes <= in.end() &&
         copy_by_loops(out.typed, from_begin - out.begin, in.typed, to_begin - in.begin, bytes);
}

namespace {

constexpr std::size_t kRunsAtOnce = 64;

// Copies as many bytes as both lists have, and answers how many.
Bytes copy_runs(std::span<const ByteRun> from, std::span<const ByteRun> to) noexcept {
  Bytes copied = 0;
  for (ByteRun source{}, target{};;) {
    if (source.bytes == 0) {
      if (from.empty()) return copied;
      source = from.front();
      from = from.subspan(1);
    }
    if (target.bytes == 0) {
      if (to.empty()) return copied;
      target = to.front();
      to = to.subspan(1);
    }
    const Bytes now = std::min(source.bytes, target.bytes);
    copy_bytes(target.first, source.first, static_cast<std::size_t>(now));
    source = {source.first + now, source.bytes - now};
    target = {target.first + now, target.bytes - now};
    copied += now;
  }
}

}  // namespace

// Where no loops match, long runs are copied from one place to the other at once. For short ones
// that costs more than loops over equal runs, which meet in memory that stays in the caches.
void copy_between(const PackedView& from, const std::byte* source, PackedView& to,
                  const std::byte* target, Bytes bytes) noexcept {
  constexpr Bytes kShortest = 512;
  to.forget(target, bytes);
  if (bytes == 0 || from.copy_one_part(source, to, target, bytes)) return;
  if (const std::byte* const run = from.run_in_memory(source, bytes))
    return to.unpack(target, bytes, run);
  if (std::byte* const run = to.run_in_memory(target, bytes)) return from.pack(source, bytes, run);
  Bytes done = 0;
  for (bool long_runs = true; long_runs && done < bytes;) {
    ByteRun sources[kRunsAtOnce], targets[kRunsAtOnce];
    RunList out(sources), in(targets);
    from.take_runs(source + done, bytes - done, out);
    to.take_runs(target + done, bytes - done, in);
    const auto runs = std::max(out.taken().size(), in.taken().size());
    long_runs = std::min(out.bytes(), in.bytes()) >= kShortest * static_cast<Bytes>(runs);
    if (long_runs) done += copy_runs(out.taken(), in.taken());
  }
  while (done < bytes) {
    std::array<std::byte, 4096> some;  // in the caches
    const Bytes now = std::min(bytes - done, static_cast<Bytes>(some.size()));
    from.pack(source + done, now, some.data());
    to.unpack(target + done, now, some.data());
    done += now;
  }
}

}  // namespace tutti
