// Walks through a typemap from a byte on, until there is no more room for runs.
#include "base/runs.hpp"

#include <algorithm>

namespace tutti {

bool RunList::append(std::byte* first, Bytes bytes) noexcept {
  bytes = std::min(bytes, left_);
  if (taken_ > 0 && room_[taken_ - 1].first + room_[taken_ - 1].bytes == first) {
    room_[taken_ - 1].bytes += bytes;
  } else {
    if (taken_ == room_.size()) return false;
    room_[taken_++] = {first, bytes};
  }
  bytes_ += bytes;
  left_ -= bytes;
  return true;
}

// From byte `begin` of one iteration on. Each function answers false when there is no more room.
bool RunList::one(const Loop& loop, const Loop* parts, std::byte* first, Bytes begin) noexcept {
  if (loop.parts == 0) return append(first + begin, loop.each - begin);
  for (const Loop* part = parts; part != parts + loop.parts && left_ > 0; ++part) {
    if (begin >= part->size()) {
      begin -= part->size();
      continue;
    }
    if (!iterations(*part, map_->parts_of(*part), first + part->offset, begin)) return false;
    begin = 0;
  }
  return true;
}

// From byte `begin` of a loop on, whose first iteration is at `first`.
bool RunList::iterations(const Loop& loop, const Loop* parts, std::byte* first,
                         Bytes begin) noexcept {
  Bytes i = begin / loop.each;
  begin %= loop.each;
  for (; i < loop.count && left_ > 0; ++i, begin = 0)
    if (!one(loop, parts, first + i * loop.stride, begin)) return false;
  return true;
}

bool RunList::append(const TypedBytes& typed, Bytes begin, Bytes end) noexcept {
  if (begin >= end) return true;
  const InnermostLoop in(typed, begin, end);
  map_ = &typed.map;
  left_ = end - begin;
  return iterations(in.loop(), in.parts(), in.first(), in.begin());
}

}  // namespace tutti
