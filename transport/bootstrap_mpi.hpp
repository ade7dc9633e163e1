// The bootstrap over MPI.
#pragma once

#include <mpi.h>

#include "transport/bootstrap.hpp"

namespace tutti::transport {

class MpiBootstrap final : public Bootstrap {
 public:
  // `comm` is an intracommunicator. It is not duplicated: it must outlive the bootstrap, which may
  // be used only inside calls that are collective over it. Throws Error{bootstrap_failed}.
  explicit MpiBootstrap(MPI_Comm comm);
  ~MpiBootstrap() override { leave(); }
  MpiBootstrap(const MpiBootstrap&) = delete;
  MpiBootstrap& operator=(const MpiBootstrap&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void rest() override;

 private:
  void exchange(const void* mine, std::size_t bytes, void* all) override;
  void spread(void* data, std::size_t bytes) override;
  std::int64_t largest(std::int64_t mine) override;

  const MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

}  // namespace tutti::transport
