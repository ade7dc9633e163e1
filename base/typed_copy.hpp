// Copies from elements of datatypes to elements elsewhere, without packing where their loops match.
// Pure.
#pragma once

#include "base/packing.hpp"

namespace tutti {

// `bytes` bytes, from number `from_begin` on of those of `from`, to those of `to` from number
// `to_begin` on; gaps are left as they are. The two share no byte. false: nothing was copied, as
// the loops of the two differ too much.
bool copy_by_loops(const TypedBytes& from, Bytes from_begin, const TypedBytes& to, Bytes to_begin,
                   Bytes bytes) noexcept;

// All elements, to as many of the same type.
void copy_elements(const TypedBytes& from, const TypedBytes& to) noexcept;

}  // namespace tutti
