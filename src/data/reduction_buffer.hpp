// One buffer of a reduction. The operation takes elements as the datatype lays them out, gaps
// included; but where there are gaps the caller's must not be written, so elements are copied to
// memory of ours and back. They are read in place if the gaps are short and inside of elements, as
// those of structures: other gaps may lie where the caller has no memory. Knows datatypes; knows no
// communicator.
#pragma once

#include <mpi.h>

#include "src/data/buffers.hpp"
#include "src/data/reduction.hpp"

namespace tutti {

class ReductionBuffer {
 public:
  // `name` is the argument's, for messages. Throws as Blocked.
  ReductionBuffer(const Datatypes& datatypes, const Layout& layout, const Reduction& reduction,
                  const void* buffer, MPI_Count count, MPI_Datatype type, const char* name)
      : data_(datatypes, layout, buffer, count, type, 1, name),
        datatypes_(datatypes),
        count_(count),
        shift_(reduction.shift()),
        user_(moved(buffer, shift_)),
        bytes_(layout.size == 0 ? 0 : count * reduction.element()),
        direct_(reduction.vectorised() || layout.contiguous),
        readable_(direct_ || has_short_gaps_inside(layout)),
        elements_(datatypes.scratch()) {
    if (direct_ && !buffer && bytes_ > 0) [[unlikely]]
      throw_null(name);
  }

  // As Blocked::is_plain().
  bool is_plain() const noexcept { return direct_ && data_.is_plain(); }
  // The length of the data, as elements of the reduction lie.
  Bytes bytes() const noexcept { return bytes_; }
  // For reading.
  const std::byte* read() { return readable_ || bytes_ == 0 ? user_ : copied(true); }
  // For writing; `keep`: what the caller's buffer holds is there already (in place).
  std::byte* room(bool keep) { return direct_ || bytes_ == 0 ? user_ : copied(keep); }
  // Brings what was written to room() to the caller's buffer.
  void deliver() {
    if (!direct_ && bytes_ > 0) copy(mine_, user_);
  }
  // Throws Error{buffers_overlap}, with what to do.
  void must_not_share(const ReductionBuffer& other, const char* remedy) const {
    data_.must_not_share(other.data_, remedy);
  }
  // As the functions of Blocked with these names.
  bool shares(const ReductionBuffer& other) const { return data_.shares(other.data_); }
  bool has_same_place(const ReductionBuffer& other) const noexcept { return user_ == other.user_; }
  void detach() noexcept { direct_ = readable_ = false; }

 private:
  // A gap shorter than a page is mapped, as the data on both sides of it are.
  static bool has_short_gaps_inside(const Layout& layout) noexcept {
    constexpr Bytes kPage = 4096;
    return layout.lower == 0 && layout.true_extent == layout.extent && layout.extent <= kPage;
  }
  [[noreturn]] void throw_null(const char* name) const;
  std::byte* copied(bool keep);
  void copy(const std::byte* from, std::byte* to);

  Blocked data_;
  const Datatypes& datatypes_;
  const MPI_Count count_;
  const Bytes shift_;      // of the reduction
  std::byte* const user_;  // where the bytes of the first element begin
  const Bytes bytes_;
  bool direct_;    // the operation works in the caller's buffer
  bool readable_;  // it may read there
  ScratchBuffer elements_;
  std::byte* mine_ = nullptr;
};

}  // namespace tutti
