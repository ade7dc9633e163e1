// Measured times that one rank tells another through shared memory: hints, which nobody need
// believe.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti::transport::shm {

// Ticks that a byte takes, times kScale; 0: unknown. In shared memory.
class ToldTime {
 public:
  double ticks_per_byte() const noexcept {
    return __atomic_load_n(&scaled_, __ATOMIC_RELAXED) / kScale;
  }
  void tell(double ticks_per_byte) noexcept {
    __atomic_store_n(&scaled_, static_cast<std::uint32_t>(ticks_per_byte * kScale),
                     __ATOMIC_RELAXED);
  }
  static constexpr double kLargest = 1 << 15;

 private:
  static constexpr double kScale = 65536;
  std::uint32_t scaled_;
};

// Takes in one more sample. A sample in which the rank lost its core adds an eighth to the value.
inline void smooth(double& value, double sample) noexcept {
  constexpr double kMost = 1.5, kShare = 0.25;
  sample = std::min(sample, ToldTime::kLargest);
  if (value == 0) value = sample;
  value += kShare * (std::min(sample, kMost * value) - value);
}

}  // namespace tutti::transport::shm
