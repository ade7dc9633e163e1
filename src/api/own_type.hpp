// A datatype of the program that Tutti needs for longer than one function runs.
#pragma once

#include <mpi.h>

#include <utility>

#include "src/data/datatype.hpp"

namespace tutti {

// Holds a derived type until this goes, though the program frees it. It is the program's own
// handle, which an operation of the program's may compare, and no copy: that would call the
// functions of the program's that copy attributes.
class OwnType {
 public:
  // Does not hold it.
  explicit OwnType(MPI_Datatype type) noexcept : type_(type) {}
  // `layout`: of `type`. Throws Error{bad_datatype}.
  OwnType(const Layout& layout, MPI_Datatype type);
  ~OwnType();
  OwnType(OwnType&& other) noexcept
      : type_(other.type_), holder_(std::exchange(other.holder_, MPI_DATATYPE_NULL)) {}
  OwnType& operator=(OwnType&&) = delete;

  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
  MPI_Datatype holder_ = MPI_DATATYPE_NULL;  // a type made of it; null: it is not held
};

}  // namespace tutti
