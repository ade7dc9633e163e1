// A datatype of the program that Tutti needs for longer than one function runs.
#pragma once

#include <mpi.h>

#include <utility>

#include "src/data/datatype.hpp"

namespace tutti {

// A copy of a derived type, which is there until this goes; a predefined one is used as it is.
class OwnType {
 public:
  // Not a copy.
  explicit OwnType(MPI_Datatype type) noexcept : type_(type) {}
  // `layout`: of `type`. Throws Error{bad_datatype}.
  OwnType(const Layout& layout, MPI_Datatype type);
  ~OwnType();
  OwnType(OwnType&& other) noexcept
      : type_(other.type_), mine_(std::exchange(other.mine_, false)) {}
  OwnType& operator=(OwnType&&) = delete;

  MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_;
  bool mine_ = false;
};

}  // namespace tutti
