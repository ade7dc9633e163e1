// Powers of two, and sizes rounded up. Pure.
#pragma once

#include <bit>
#include <cstdint>

namespace tutti {

constexpr bool is_power_of_two(std::int64_t number) noexcept {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

// The smallest multiple of `unit` that is not below `number`, which is not negative.
constexpr std::int64_t round_up(std::int64_t number, std::int64_t unit) noexcept {
  return (number + unit - 1) / unit * unit;
}

}  // namespace tutti
