// Copies the elements of a reduction, without their gaps.
#include "src/data/reduction_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/copy.hpp"
#include "base/error.hpp"
#include "base/typed_copy.hpp"

namespace tutti {

void ReductionBuffer::throw_null(const char* name) const {
  throw Error(Code::bad_buffer,
              fmt::format("`{}` is NULL, and {} bytes are expected there", name, bytes_));
}

std::byte* ReductionBuffer::copied(bool keep) {
  mine_ = elements_.get(bytes_, kPackedCopy);
  if (!keep) return mine_;  // the reduction writes all of it
  std::fill_n(mine_, bytes_, std::byte{0});
  copy(user_, mine_);
  return mine_;
}

// Data, and not the gaps between them.
void ReductionBuffer::copy(const std::byte* from, std::byte* to) {
  const Layout& layout = data_.layout();
  if (layout.contiguous) return copy_bytes(to, from, static_cast<std::size_t>(data_.total()));
  from = moved(from, -shift_);
  to = moved(to, -shift_);
  if (layout.is_known())
    return copy_elements(layout.bytes_of(from, count_), layout.bytes_of(to, count_));
  ScratchBuffer packed(datatypes_.scratch());
  std::byte* const bytes = packed.get(data_.total(), kPackedCopy);
  datatypes_.pack(from, count_, layout, bytes);
  datatypes_.unpack(bytes, to, count_, layout);
}

}  // namespace tutti
