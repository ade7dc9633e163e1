// Packing: the bytes of elements of a datatype, brought together from where they lie in memory, and
// back. Loops of our own over a typemap. Allocates nothing. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/typemap.hpp"

namespace tutti {

// Elements of one type in memory: `count` of them, `extent` bytes apart. Offsets of the typemap
// count from `first`, which is null where they are absolute addresses.
struct TypedBytes {
  const Typemap& map;
  std::byte* first;
  Bytes count, extent;

  Bytes size() const noexcept { return count * map.size(); }
  static TypedBytes plain(std::byte* first, Bytes bytes) noexcept {
    return {typemap_of_byte(), first, bytes, 1};
  }
};

// The innermost loop of elements that has all of certain bytes, from number `begin` to `end` (not
// included, begin < end), and where they are in it.
class InnermostLoop {
 public:
  InnermostLoop(const TypedBytes& typed, Bytes begin, Bytes end) noexcept;
  InnermostLoop(const InnermostLoop&) = delete;
  InnermostLoop& operator=(const InnermostLoop&) = delete;

  const Loop& loop() const noexcept { return loop_; }  // its offset is undefined
  const Loop* parts() const noexcept { return parts_; }
  std::byte* first() const noexcept { return first_; }  // where its first iteration begins
  // The bytes, by number among those of the loop.
  Bytes begin() const noexcept { return begin_; }
  Bytes end() const noexcept { return end_; }
  bool is_run() const noexcept { return loop_.parts == 0 && end_ <= loop_.each; }

 private:
  bool enter(Bytes each, Bytes stride) noexcept;

  Loop loop_;
  const Loop* parts_;
  std::byte* first_;
  Bytes begin_, end_;
  Loop element_;  // the only part of a loop over elements
};

// Between the bytes number `begin` to `end` (not included) of those that travel and `packed`, where
// there is room for end - begin; the two share no byte. Where elements to be unpacked overlap, any
// may be seen there afterwards.
void pack(const TypedBytes& typed, Bytes begin, Bytes end, std::byte* packed) noexcept;
void unpack(const TypedBytes& typed, Bytes begin, Bytes end, const std::byte* packed) noexcept;

// The address of the first of these bytes, if they lie in memory as one run; null: they do not, or
// that would take long to find out. begin < end.
std::byte* run_in_memory(const TypedBytes& typed, Bytes begin, Bytes end) noexcept;

// Addresses: from the first byte to behind the last one. typed.size() > 0.
struct Reach {
  std::uintptr_t begin, end;
};
// nullopt: some bytes may have one place. Otherwise each byte has a place of its own.
std::optional<Reach> reach_of_places(const TypedBytes& typed) noexcept;

// true: each byte has a place of its own. false: it has not, or that would take long to find out.
bool places_differ(const TypedBytes& typed) noexcept;

}  // namespace tutti
