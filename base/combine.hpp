// A receive may do more with arriving bytes than copy them: combine them with bytes that are here
// already, or bring them to the elements of a datatype, straight from where they arrived. The
// operation itself is somebody else's: a function and its context. Pure.
#pragma once

#include "base/packed_view.hpp"
#include "base/types.hpp"

namespace tutti {

// out = left op right, element by element, over `bytes` bytes (whole elements). `out` is either of
// the operands, or shares no byte with them. Nothing need be aligned.
struct Combine {
  using Apply = void (*)(const void* context, const void* left, const void* right, void* out,
                         Bytes bytes);
  Apply apply = nullptr;
  const void* context = nullptr;
  // Where apply() notes an error that it has met; null: it meets none. After an error the combined
  // bytes are undefined, and must go nowhere.
  const int* error = nullptr;
  bool failed() const noexcept { return error && *error != 0; }
};

// The other operand of a receive: as long as the message; `message_first`: the message is the left
// one. With a view nothing is combined: the message goes to the view's elements.
struct Operand {
  const Combine* combine = nullptr;
  const std::byte* other = nullptr;
  bool message_first = false;
  PackedView* view = nullptr;

  void apply(const void* message, void* out, Bytes at, Bytes bytes) const {
    if (view)
      return view->unpack(static_cast<std::byte*>(out), bytes,
                          static_cast<const std::byte*>(message));
    const void* mine = other + at;
    combine->apply(combine->context, message_first ? message : mine, message_first ? mine : message,
                   out, bytes);
  }
};

}  // namespace tutti
