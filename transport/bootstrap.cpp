// Agrees on the first rank that gives up, by a maximum: its number exceeds others, falling by rank.
#include "transport/bootstrap.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti::transport {

namespace {
constexpr std::int64_t kGivenUp = std::int64_t{1} << 62;
}

void Bootstrap::allgather(const void* mine, std::size_t bytes, void* all) {
  confirm();
  exchange(mine, bytes, all);
}

void Bootstrap::broadcast(void* data, std::size_t bytes) {
  confirm();
  spread(data, bytes);
}

std::int64_t Bootstrap::maximum(std::int64_t mine) {
  const std::int64_t all = largest(mine);
  must_go_on(all);
  return all;
}

void Bootstrap::confirm() { must_go_on(largest(0)); }

void Bootstrap::must_go_on(std::int64_t largest) {
  if (largest < kGivenUp) return;
  over_ = true;
  const auto failing = static_cast<int>(kGivenUp + size() - largest);
  throw Error(
      Code::bootstrap_failed,
      fmt::format("rank {} of the MPI communicator gave up; see the error it returned", failing),
      failing);
}

void Bootstrap::leave() noexcept {
  if (over_ || std::uncaught_exceptions() <= exceptions_) return;
  try {
    largest(kGivenUp + size() - rank());
  } catch (const Error&) {
    // MPI has failed: nobody can be told.
  }
}

}  // namespace tutti::transport
