// What is in the room: one run of bytes, as messages are sent in order mostly, or all the same.
#include "base/packed_view.hpp"

#include <algorithm>

namespace tutti {

void PackedView::bring(const std::byte* at, Bytes bytes) noexcept {
  const Bytes begin = at - room_, end = begin + bytes;
  if (begin > end_ || end < begin_) begin_ = end_ = begin;
  if (begin < begin_) tutti::pack(typed_, begin, begin_, room_ + begin);
  if (end > end_) tutti::pack(typed_, end_, end, room_ + end_);
  begin_ = std::min(begin, begin_);
  end_ = std::max(end, end_);
}

void PackedView::unpack(const std::byte* at, Bytes bytes, const std::byte* from) noexcept {
  const Bytes begin = at - room_, end = begin + bytes;
  tutti::unpack(typed_, begin, end, from);
  if (from != at) {
    if (begin < end_ && begin_ < end) begin_ = end_ = 0;
    return;
  }
  if (begin > end_ || end < begin_) begin_ = end_ = begin;
  begin_ = std::min(begin, begin_);
  end_ = std::max(end, end_);
}

}  // namespace tutti
