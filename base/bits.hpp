// Powers of two, and sizes rounded up. Pure.
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

namespace tutti {

template <std::integral T>
constexpr bool is_power_of_two(T number) noexcept {
  return number > 0 && std::has_single_bit(static_cast<std::make_unsigned_t<T>>(number));
}

// The two below are not for negative numbers, nor for sums value + size that overflow.

// How many pieces of `size` it takes to hold `value`.
template <std::integral T>
constexpr T divide_up(T value, std::type_identity_t<T> size) noexcept {
  return static_cast<T>((value + size - 1) / size);
}

// The smallest multiple of `multiple` that is not below `value`.
template <std::integral T>
constexpr T round_up(T value, std::type_identity_t<T> multiple) noexcept {
  return static_cast<T>(divide_up(value, multiple) * multiple);
}

}  // namespace tutti
