// A bootstrap that never stays inside MPI.
#pragma once

#include <mpi.h>

#include "transport/bootstrap.hpp"

namespace tutti::drop_in {

// Threads of a program may make communicators at the same time, whatever level of threads it has
// asked MPI for. So every call of MPI is made with mpi_lock held, and none waits for other ranks. A
// lock that is held while ranks wait for each other would be a deadlock, as threads of two ranks
// may come in different orders.
class SteppedBootstrap final : public transport::Bootstrap {
 public:
  SteppedBootstrap(MPI_Comm comm, int rank, int size) noexcept
      : comm_(comm), rank_(rank), size_(size) {}
  ~SteppedBootstrap() override { leave(); }
  SteppedBootstrap(const SteppedBootstrap&) = delete;
  SteppedBootstrap& operator=(const SteppedBootstrap&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void rest() override;

 private:
  void exchange(const void* mine, std::size_t bytes, void* all) override;
  void spread(void* data, std::size_t bytes) override;
  std::int64_t largest(std::int64_t mine) override;
  template <class Start>
  void run(const char* call, Start&& start);

  const MPI_Comm comm_;
  const int rank_, size_;
};

}  // namespace tutti::drop_in
