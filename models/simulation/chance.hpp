// Random numbers that are the same on every machine. Pure.
#pragma once

#include <cmath>
#include <cstdint>

namespace tutti::models {

// splitmix64.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  double uniform() noexcept {  // in [0, 1)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double exponential() noexcept { return -std::log1p(-uniform()); }

 private:
  std::uint64_t state_;
};

}  // namespace tutti::models
