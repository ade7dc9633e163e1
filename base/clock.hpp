// The clock by which calls are recorded.
#pragma once

#include <chrono>
#include <cstdint>

namespace tutti {

// Nanoseconds of the steady clock, which is one for all processes of a kernel.
inline std::int64_t steady_nanoseconds() noexcept {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

}  // namespace tutti
