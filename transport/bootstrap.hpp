// Bootstrap: the little that must be said before the transports can speak. MPI stands behind it
// (bootstrap_mpi.cpp); nothing else below src/ knows MPI. Carries addresses and agreements, never
// user data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // `all` receives size() records of `bytes` each, by rank. Collective. Throws
  // Error{bootstrap_failed}.
  virtual void allgather(const void* mine, std::size_t bytes, void* all) = 0;
  // The largest of all ranks' values. Collective. Throws Error{bootstrap_failed}.
  virtual std::int64_t maximum(std::int64_t mine) = 0;
};

}  // namespace tutti::transport
