// MPI operations on MPI datatypes, as functions on bytes. Predefined types take our own loops, all
// others MPI_Reduce_local, which is a local call. Knows MPI; knows no schedule.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/combine.hpp"
#include "src/data/datatype.hpp"

namespace tutti {

// An address so many bytes on, which may not be one of memory, as that of MPI_BOTTOM.
inline std::byte* moved(const void* address, Bytes bytes) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                      static_cast<std::uintptr_t>(bytes));
}

// One operation on one type, ready to use. Elements are element() bytes apart, gaps included, as
// they lie in memory. Unless it is vectorised(), one collective at a time uses it, and it must stay
// where it is meanwhile: combine() points to it.
class Reduction {
 public:
  Combine combine() noexcept {
    return vectorised() ? Combine{apply_} : Combine{apply_, this, &error_};
  }
  Bytes element() const noexcept { return element_; }
  // The bytes of an element begin so far behind its address (before it, if negative): not 0 where
  // the datatype has a lower bound beyond what it spans. Combine gets where they begin.
  Bytes shift() const noexcept { return shift_; }
  bool commutative() const noexcept { return commutative_; }
  bool vectorised() const noexcept { return op_ == MPI_OP_NULL; }
  // For messages of up to `bytes`. `operands` must live as long as combine() is used. Throws
  // Error{out_of_memory}.
  void reserve(Bytes bytes, ScratchBuffer& operands) {
    copies_ = operands.get(2 * std::min(bytes, piece()), kPackedCopy);
  }

 private:
  friend class Operations;
  // Bytes that MPI_Reduce_local gets at once, as operands are copied.
  Bytes piece() const noexcept { return std::max((1 << 16) / element_, Bytes{1}) * element_; }
  bool aligned(const void* operand) const noexcept {
    return reinterpret_cast<std::uintptr_t>(operand) % static_cast<std::uintptr_t>(alignment_) == 0;
  }
  void reduce(const void* in, void* inout, Bytes bytes) noexcept;
  static void local(const void* self, const void* left, const void* right, void* out, Bytes bytes);

  Combine::Apply apply_ = nullptr;
  Bytes element_ = 1, shift_ = 0;
  bool commutative_ = true;
  MPI_Op op_ = MPI_OP_NULL;  // of MPI_Reduce_local
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Bytes alignment_ = 1;          // of operands
  std::byte* copies_ = nullptr;  // room for both operands of a piece
  int error_ = 0;                // of MPI_Reduce_local
};

// "MPI_SUM"; null: it is not predefined.
const char* name_of_operation(MPI_Op op) noexcept;

// Finds the function for an operation on a type; remembers those that have a loop of ours.
class Operations {
 public:
  // `lenient`: whatever the MPI computes is an operation, though the standard may not define it.
  explicit Operations(bool lenient = false) : lenient_(lenient) {}

  // A reduction that was found before, and that any call may use: it is vectorised(). Null: there
  // is none. Valid until the next find().
  Reduction* known(MPI_Op op, MPI_Datatype type) noexcept {
    for (Known& known : known_)
      if (known.op == op && known.type == type) return &known.reduction;
    return nullptr;
  }
  // Throws Error{bad_operation | unsupported}.
  Reduction find(MPI_Op op, MPI_Datatype type, const Layout& layout, const Datatypes& datatypes);

 private:
  struct Known {
    MPI_Op op;
    MPI_Datatype type;
    Reduction reduction;
  };
  Reduction resolve(MPI_Op op, MPI_Datatype type, const Layout& layout,
                    const Datatypes& datatypes) const;

  const bool lenient_;
  std::vector<Known> known_;
};

}  // namespace tutti
