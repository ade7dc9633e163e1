// Packing: the bytes of elements of a datatype, brought together from where they lie in memory, and
// back. Loops of our own over a typemap. Allocates nothing. Pure.
#pragma once

#include "base/typemap.hpp"

namespace tutti {

// Elements of one type in memory: `count` of them, `extent` bytes apart. Offsets of the typemap
// count from `first`, which is null where they are absolute addresses.
struct TypedBytes {
  const Typemap& map;
  std::byte* first;
  Bytes count, extent;

  Bytes size() const noexcept { return count * map.size(); }
};

// Between the bytes number `begin` to `end` (not included) of those that travel and `packed`, where
// there is room for end - begin; the two share no byte. Where elements to be unpacked overlap, any
// may be seen there afterwards.
void pack(const TypedBytes& typed, Bytes begin, Bytes end, std::byte* packed) noexcept;
void unpack(const TypedBytes& typed, Bytes begin, Bytes end, const std::byte* packed) noexcept;

// true: each byte has a place of its own. false: it has not, or that would take long to find out.
bool places_differ(const TypedBytes& typed) noexcept;

}  // namespace tutti
