// Bootstrap: the few collective exchanges that ranks need before their transports work. MPI carries
// them (bootstrap_mpi.cpp); nothing else below src/ knows MPI. They are addresses and agreements,
// never user data.
//
// A rank that fails between two exchanges would leave the others in the next one for ever. So each
// exchange begins with the question whether all go on, or, in maximum(), is that question; and a
// bootstrap that is left by an exception answers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

namespace tutti::transport {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  // Fills `all` with size() records of `bytes` bytes each, by rank. Collective. Throws
  // Error{bootstrap_failed}.
  void allgather(const void* mine, std::size_t bytes, void* all);
  // Fills `data` on all ranks with rank 0's. Collective. Throws Error{bootstrap_failed}.
  void broadcast(void* data, std::size_t bytes);
  // The largest of all ranks' values, which are less than 2^62. Collective. Throws
  // Error{bootstrap_failed}.
  std::int64_t maximum(std::int64_t mine);
  // All ranks have come this far. Collective. Throws Error{bootstrap_failed}, which names the
  // lowest rank that has given up.
  void confirm();
  // All ranks have come this far, as for confirm(). Ranks that wait sleep, and leave their cores to
  // others who measure meanwhile. Collective; unlike in the others, a rank that has failed since
  // the last exchange must come here first.
  virtual void rest() = 0;

 protected:
  // For the destructor of whoever implements this: gives up if an exception is on its way.
  void leave() noexcept;

 private:
  virtual void exchange(const void* mine, std::size_t bytes, void* all) = 0;
  virtual void spread(void* data, std::size_t bytes) = 0;
  virtual std::int64_t largest(std::int64_t mine) = 0;

  void must_go_on(std::int64_t largest);

  const int exceptions_ = std::uncaught_exceptions();
  bool over_ = false;  // somebody has given up
};

}  // namespace tutti::transport
