// Elements of a datatype where they lie in memory, for those who count the bytes that travel: a
// room has an address for each of these, and values only where somebody needs them together. What
// can take bytes from anywhere, or put them anywhere, goes to the elements themselves. Pure.
#pragma once

#include "base/packing.hpp"

namespace tutti {

class PackedView {
 public:
  // `room` has typed.size() bytes; what they are does not matter. It must outlive the view, as must
  // what `typed` refers to.
  PackedView(const TypedBytes& typed, std::byte* room) noexcept : typed_(typed), room_(room) {}

  std::byte* room() const noexcept { return room_; }
  Bytes size() const noexcept { return typed_.size(); }
  bool places_differ() const noexcept { return tutti::places_differ(typed_); }
  // A hint: bytes are sent to several ranks, so they should be packed only once.
  bool is_read_often() const noexcept { return read_often_; }
  void note_receivers(int receivers) noexcept { read_often_ = receivers > 1; }

  // `at` is an address in the room, for the first of `bytes` bytes, in all of these.
  //
  // Sees that they are in the room. What is there already is not written again.
  void bring(const std::byte* at, Bytes bytes) noexcept;
  // Copies them to other memory.
  void pack(const std::byte* at, Bytes bytes, std::byte* to) const noexcept {
    const Bytes begin = at - room_;
    tutti::pack(typed_, begin, begin + bytes, to);
  }
  // They have come, and are at `from`, in the room or anywhere else: they go to their elements. Not
  // while anybody reads them in the room.
  void unpack(const std::byte* at, Bytes bytes, const std::byte* from) noexcept;

 private:
  TypedBytes typed_;
  std::byte* room_;
  Bytes begin_ = 0, end_ = 0;  // these are in the room
  bool read_often_ = false;
};

}  // namespace tutti
