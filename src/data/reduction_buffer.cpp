// Copying elements without their gaps.
#include "src/data/reduction_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti {

ReductionBuffer::ReductionBuffer(const Datatypes& datatypes, const Reduction& reduction,
                                 const void* buffer, MPI_Count count, MPI_Datatype type,
                                 const char* name)
    : data_(datatypes, buffer, count, type, 1, name),
      datatypes_(datatypes),
      type_(type),
      count_(count),
      user_(static_cast<std::byte*>(const_cast<void*>(buffer))) {
  const Layout& layout = data_.layout();
  bytes_ = layout.size == 0 ? 0 : count * reduction.element();
  direct_ = reduction.vectorised() || layout.contiguous;
  if (direct_ && !buffer && bytes_ > 0)
    throw Error(Code::bad_buffer,
                fmt::format("`{}` is NULL, and {} bytes are expected there", name, bytes_));
}

std::byte* ReductionBuffer::room(bool keep) {
  if (direct_ || bytes_ == 0) return user_;
  mine_ = spare_.get(bytes_);
  std::fill_n(mine_, bytes_, std::byte{0});
  if (keep) copy(user_, mine_);
  return mine_;
}

void ReductionBuffer::deliver() {
  if (!direct_ && bytes_ > 0) copy(mine_, user_);
}

// Data, and not the gaps between them.
void ReductionBuffer::copy(const std::byte* from, std::byte* to) {
  Spare packed;
  std::byte* const bytes = packed.get(data_.total());
  datatypes_.pack(from, count_, type_, data_.layout(), bytes);
  datatypes_.unpack(bytes, to, count_, type_, data_.layout());
}

}  // namespace tutti
