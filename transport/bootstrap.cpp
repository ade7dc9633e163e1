// Who has given up is the largest of numbers that fall with the rank.
#include "transport/bootstrap.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti::transport {

void Bootstrap::allgather(const void* mine, std::size_t bytes, void* all) {
  confirm();
  exchange(mine, bytes, all);
}

void Bootstrap::broadcast(void* data, std::size_t bytes) {
  confirm();
  spread(data, bytes);
}

std::int64_t Bootstrap::maximum(std::int64_t mine) {
  confirm();
  return largest(mine);
}

void Bootstrap::confirm() {
  const std::int64_t worst = largest(0);
  if (worst == 0) return;
  over_ = true;
  const auto failing = static_cast<int>(size() - worst);
  throw Error(
      Code::bootstrap_failed,
      fmt::format("rank {} of the MPI communicator gave up; see the error it returned", failing),
      failing);
}

void Bootstrap::leave() noexcept {
  if (over_ || std::uncaught_exceptions() <= exceptions_) return;
  try {
    largest(size() - rank());
  } catch (const Error&) {
    // MPI has failed: nobody can be told.
  }
}

}  // namespace tutti::transport
