// Bootstrap: the few collective exchanges that ranks need before their transports work. MPI carries
// them (bootstrap_mpi.cpp); nothing else below src/ knows MPI. They are addresses and agreements,
// never user data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // Fills `all` with size() records of `bytes` bytes each, by rank. Collective. Throws
  // Error{bootstrap_failed}.
  virtual void allgather(const void* mine, std::size_t bytes, void* all) = 0;
  // The largest of all ranks' values. Collective. Throws Error{bootstrap_failed}.
  virtual std::int64_t maximum(std::int64_t mine) = 0;
};

}  // namespace tutti::transport
