// The loops of reductions, compared with plain C++ on one element at a time: every operation on
// every type, odd lengths, every alignment, the result in a place of its own or in that of an
// operand.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <optional>
#include <random>

#include "collectives/execution/kernels.hpp"
#include "collectives/execution/loops.hpp"

using namespace tutti;
using collectives::Element;
using collectives::Operation;

namespace {

template <class T, class Index = int>
struct Pair {
  T value;
  Index index;
};

// The result that MPI 4.0 §6.9.2 and §6.9.4 define; nullopt: they define nothing.
template <class T>
std::optional<T> reference(Operation operation, T x, T y) {
  constexpr bool whole = std::is_integral_v<T>;
  if constexpr (std::is_arithmetic_v<T>) {
    switch (operation) {
      case Operation::sum: return static_cast<T>(x + y);
      case Operation::product: return static_cast<T>(x * y);
      case Operation::minimum: return std::min(x, y);
      case Operation::maximum: return std::max(x, y);
      default: break;
    }
  }
  if constexpr (whole) {
    switch (operation) {
      case Operation::logical_and: return static_cast<T>(x != 0 && y != 0);
      case Operation::logical_or: return static_cast<T>(x != 0 || y != 0);
      case Operation::logical_xor: return static_cast<T>((x != 0) != (y != 0));
      case Operation::bitwise_and: return static_cast<T>(x & y);
      case Operation::bitwise_or: return static_cast<T>(x | y);
      case Operation::bitwise_xor: return static_cast<T>(x ^ y);
      default: break;
    }
  }
  return std::nullopt;
}
template <class T>
std::optional<std::complex<T>> reference(Operation operation, std::complex<T> x,
                                         std::complex<T> y) {
  if (operation == Operation::sum) return x + y;
  if (operation == Operation::product)
    return std::complex<T>(x.real() * y.real() - x.imag() * y.imag(),
                           x.real() * y.imag() + x.imag() * y.real());
  return std::nullopt;
}
template <class T, class Index>
std::optional<Pair<T, Index>> reference(Operation operation, Pair<T, Index> x, Pair<T, Index> y) {
  if (operation != Operation::min_location && operation != Operation::max_location)
    return std::nullopt;
  if (x.value == y.value) return Pair<T, Index>{x.value, std::min(x.index, y.index)};
  return (x.value < y.value) == (operation == Operation::min_location) ? x : y;
}

template <class T>
bool equal(const T& a, const T& b) {
  return a == b;
}
template <class T, class Index>
bool equal(const Pair<T, Index>& a, const Pair<T, Index>& b) {
  return a.value == b.value && a.index == b.index;
}

// Small whole numbers: every type can hold them and their products, and equal ones occur.
std::mt19937 g_random(7);
int small() { return static_cast<int>(g_random() % 9) - (g_random() % 2 ? 0 : 2); }
template <class T>
void draw(T& value) {
  value = static_cast<T>(std::abs(small()));
}
void draw(double& value) { value = small() * 0.1; }
void draw(float& value) { value = static_cast<float>(small()) * 0.1f; }
// Their products must be rounded, so a fused multiply-add shows.
template <class T>
void draw(std::complex<T>& value) {
  value = {static_cast<T>(small()) / 3, static_cast<T>(small()) / 7};
}
template <class T, class Index>
void draw(Pair<T, Index>& value) {
  std::memset(static_cast<void*>(&value), 0, sizeof value);
  value.value = static_cast<T>(small());
  value.index = static_cast<Index>(std::abs(small()));
}

using Find = Combine::Apply (*)(Operation, Element) noexcept;
struct Set {
  const char* name;
  Find find;
};
// Kernels that this machine can run; the last set is the one that kernel() chooses.
std::vector<Set> sets() {
  std::vector<Set> all{{"baseline", collectives::baseline::find_loop}};
#ifdef __x86_64__
  const std::string chosen = collectives::kernel_set();
  if (chosen != "baseline") all.push_back({"avx2", collectives::avx2::find_loop});
  if (chosen == "avx512") all.push_back({"avx512", collectives::avx512::find_loop});
#endif
  all.push_back({"chosen", collectives::kernel});
  return all;
}

template <class T>
void check_type(Find find, Element element, const std::function<bool(Operation)>& defined = {}) {
  REQUIRE(collectives::size_of(element) == static_cast<Bytes>(sizeof(T)));
  for (int o = 0; o < collectives::kOperations; ++o) {
    const auto operation = static_cast<Operation>(o);
    const auto apply = find(operation, element);
    const bool expected =
        reference(operation, T{}, T{}).has_value() && (!defined || defined(operation));
    INFO("element " << static_cast<int>(element) << ", operation " << o);
    REQUIRE((apply != nullptr) == expected);
    if (!apply) continue;
    for (const std::size_t n : {0, 1, 2, 3, 7, 16, 31, 64, 257})
      for (const std::size_t shift : {0, 1, 3, 8, 15}) {
        std::vector<T> left(n), right(n);
        for (std::size_t i = 0; i < n; ++i) draw(left[i]), draw(right[i]);
        const std::size_t bytes = n * sizeof(T);
        std::vector<std::byte> a(bytes + 64), b(bytes + 64), c(bytes + 64, std::byte{0xEE});
        for (int where = 0; where < 3; ++where) {
          std::copy_n(reinterpret_cast<const std::byte*>(left.data()), bytes, a.data() + shift);
          std::copy_n(reinterpret_cast<const std::byte*>(right.data()), bytes, b.data() + 1);
          std::byte* const out = where == 0   ? c.data() + 2
                                 : where == 1 ? a.data() + shift
                                              : b.data() + 1;
          apply(nullptr, a.data() + shift, b.data() + 1, out, static_cast<Bytes>(bytes));
          bool right_everywhere = true;
          for (std::size_t i = 0; i < n; ++i) {
            T got;
            std::memcpy(&got, out + i * sizeof(T), sizeof(T));
            right_everywhere =
                right_everywhere && equal(got, *reference(operation, left[i], right[i]));
          }
          REQUIRE(right_everywhere);
        }
        REQUIRE(c[2 + bytes] == std::byte{0xEE});
      }
  }
}

}  // namespace

TEST_CASE("every operation on every type", "[kernels]") {
  const auto logical = [](Operation o) {
    return o == Operation::logical_and || o == Operation::logical_or || o == Operation::logical_xor;
  };
  const auto bitwise = [](Operation o) {
    return o == Operation::bitwise_and || o == Operation::bitwise_or || o == Operation::bitwise_xor;
  };
  for (const auto& [name, find] : sets()) {
    INFO(name);
    check_type<std::int8_t>(find, Element::int8);
    check_type<std::int16_t>(find, Element::int16);
    check_type<std::int32_t>(find, Element::int32);
    check_type<std::int64_t>(find, Element::int64);
    check_type<std::uint8_t>(find, Element::uint8);
    check_type<std::uint16_t>(find, Element::uint16);
    check_type<std::uint32_t>(find, Element::uint32);
    check_type<std::uint64_t>(find, Element::uint64);
    check_type<std::uint8_t>(find, Element::byte, bitwise);
    check_type<std::uint8_t>(find, Element::boolean, logical);
    check_type<float>(find, Element::float32);
    check_type<double>(find, Element::float64);
    check_type<long double>(find, Element::long_double);
    check_type<std::complex<float>>(find, Element::complex32);
    check_type<std::complex<double>>(find, Element::complex64);
    check_type<std::complex<long double>>(find, Element::complex_long_double);
    check_type<Pair<float>>(find, Element::float_int);
    check_type<Pair<double>>(find, Element::double_int);
    check_type<Pair<long>>(find, Element::long_int);
    check_type<Pair<int>>(find, Element::two_int);
    check_type<Pair<short>>(find, Element::short_int);
    check_type<Pair<long double>>(find, Element::long_double_int);
    check_type<Pair<float, float>>(find, Element::two_float32);
    check_type<Pair<double, double>>(find, Element::two_float64);
  }
}

TEST_CASE("integers wrap around", "[kernels]") {
  const std::int32_t left[] = {INT32_MAX, INT32_MIN}, right[] = {1, -1};
  std::int32_t out[2];
  collectives::kernel(Operation::sum, Element::int32)(nullptr, left, right, out, sizeof out);
  CHECK(out[0] == INT32_MIN);
  CHECK(out[1] == INT32_MAX);
}

#ifdef __FLT16_MANT_DIG__
TEST_CASE("16-bit floats: every value", "[kernels]") {
  // Zeros, subnormal numbers, numbers whose results round and overflow, infinities, a NaN; with
  // both signs.
  const std::uint16_t others[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400,
                                  0x8401, 0x1555, 0x3BFF, 0x3C00, 0xBC01, 0x4248,
                                  0x6BFF, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00};
  const std::function<_Float16(_Float16, _Float16)> references[] = {
      [](_Float16 x, _Float16 y) { return static_cast<_Float16>(x + y); },
      [](_Float16 x, _Float16 y) { return static_cast<_Float16>(x * y); },
      [](_Float16 x, _Float16 y) { return y < x ? y : x; },
      [](_Float16 x, _Float16 y) { return x < y ? y : x; },
  };
  const Operation operations[] = {Operation::sum, Operation::product, Operation::minimum,
                                  Operation::maximum};
  const auto number = [](std::uint16_t bits) {
    _Float16 value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  };
  std::vector<std::uint16_t> left(1 << 16), right(1 << 16), out(1 << 16);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<std::uint16_t>(i);
  for (const auto& [name, find] : sets())
    for (std::size_t o = 0; o < 4; ++o) {
      const auto apply = find(operations[o], Element::float16);
      for (const std::uint16_t other : others) {
        INFO(name << ", operation " << o << ", with " << other);
        std::fill(right.begin(), right.end(), other);
        apply(nullptr, left.data(), right.data(), out.data(), Bytes{1 << 17});
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < left.size(); ++i) {
          const _Float16 expected = references[o](number(left[i]), number(other)),
                         got = number(out[i]);
          wrong +=
              expected == expected ? std::memcmp(&expected, &got, sizeof got) != 0 : got == got;
        }
        CHECK(wrong == 0);
      }
      // The rest beyond groups of eight is written too, and no byte more.
      for (std::size_t n = 0; n < 20; ++n) {
        std::fill(out.begin(), out.begin() + 32, 0xEEEE);
        apply(nullptr, left.data() + 1000, right.data(), out.data(), static_cast<Bytes>(2 * n));
        std::vector<std::uint16_t> again(32, 0xEEEE);
        for (std::size_t i = 0; i < n; ++i)
          apply(nullptr, left.data() + 1000 + i, right.data() + i, again.data() + i, 2);
        CHECK(std::equal(again.begin(), again.end(), out.begin()));
      }
    }
}
#endif
