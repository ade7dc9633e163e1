// Operations of the program that Tutti's calls in flight use: MPI offers no way to hold one, so
// what the program frees meanwhile is freed when the last call has ended.
#pragma once

#include <mpi.h>

namespace tutti::drop_in {

// While it lives, MPI_Op_free leaves the operation alone. Throws std::bad_alloc.
class HeldOperation {
 public:
  explicit HeldOperation(MPI_Op op);
  ~HeldOperation();
  HeldOperation(const HeldOperation&) = delete;
  HeldOperation& operator=(const HeldOperation&) = delete;

 private:
  const MPI_Op op_;
};

// MPI_Op_free.
int free_operation(MPI_Op* op) noexcept;

}  // namespace tutti::drop_in
