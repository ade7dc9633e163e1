// MPI operations on MPI datatypes as functions on bytes: our own loops where the type is one of
// theirs, MPI_Reduce_local (a local call) for everything else. Knows MPI; knows no schedule.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/combine.hpp"
#include "src/data/datatype.hpp"

namespace tutti {

// One operation on one type, ready to use. Elements are `element` bytes apart: as the type lies in
// memory, gaps included. Used by one collective at a time, from where it lies: combine() points to
// it.
class Reduction {
 public:
  Combine combine() noexcept { return {apply_, this}; }
  Bytes element() const noexcept { return element_; }
  bool commutative() const noexcept { return commutative_; }
  bool vectorised() const noexcept { return op_ == MPI_OP_NULL; }
  // Makes room for messages of so many bytes. Throws std::bad_alloc.
  void reserve(Bytes bytes);
  // Throws Error{operation_failed} if MPI_Reduce_local has given an error since it was found.
  void check() const;

 private:
  friend class Operations;
  Bytes piece() const noexcept;  // bytes that MPI_Reduce_local gets at once
  static void local(const void* self, const void* left, const void* right, void* out, Bytes bytes);

  Combine::Apply apply_ = nullptr;
  Bytes element_ = 1;
  bool commutative_ = true;
  MPI_Op op_ = MPI_OP_NULL;  // of MPI_Reduce_local
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<std::byte> spare_;  // for both operands of a piece
  int error_ = MPI_SUCCESS;
};

// Resolves operations; those with a loop of ours once.
class Operations {
 public:
  // Throws Error{bad_operation | unsupported}.
  Reduction find(MPI_Op op, MPI_Datatype type, const Layout& layout);

 private:
  struct Known {
    MPI_Op op;
    MPI_Datatype type;
    Reduction reduction;
  };
  static Reduction resolve(MPI_Op op, MPI_Datatype type, const Layout& layout);
  std::vector<Known> known_;
};

}  // namespace tutti
