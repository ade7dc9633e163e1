// The cheapest clock there is, to compare what short pieces of work take. Ticks of all processes of
// a machine are equally long; how long, nobody says.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include "base/clock.hpp"
#endif

namespace tutti {

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(steady_nanoseconds());
#endif
}

}  // namespace tutti
