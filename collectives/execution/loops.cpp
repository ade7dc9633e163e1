// The loops. Compiled once for each instruction set, each time into a namespace of its own
// (TUTTI_ISA), so that the linker cannot take an inline function of one set for that of another. To
// see what is vectorised, compile this file with -fopt-info-vec-optimized.
#ifdef __F16C__
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>
#include <cstring>

#include "collectives/execution/loops.hpp"

// Says that the iterations of the loop behind it do not depend on each other.
#ifdef __clang__
#define TUTTI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TUTTI_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tutti::collectives::TUTTI_ISA {
namespace {

template <class T>
struct Complex {
  T re, im;
};
template <class T>
struct Pair {
  T value;
  int index;
};

// Elements may be unaligned. `out` may be one of the operands, at the same elements, so no
// iteration depends on another.
template <class T, class Rule>
void loop(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  struct [[gnu::packed, gnu::may_alias]] Unaligned {
    T value;
  };
  const auto* a = static_cast<const Unaligned*>(left);
  const auto* b = static_cast<const Unaligned*>(right);
  auto* c = static_cast<Unaligned*>(out);
  const Bytes count = bytes / static_cast<Bytes>(sizeof(T));
  TUTTI_INDEPENDENT
  for (Bytes i = 0; i < count; ++i) {
    const T x = a[i].value, y = b[i].value;
    c[i].value = Rule::of(x, y);
  }
}

#ifdef __F16C__
// 16-bit floats, eight at a time; Gcc would convert them one by one. A sum or product computed in
// 32 bits and rounded to 16 is the correctly rounded one, because 24 digits are at least twice 11
// and two more. The last few elements go the same way, so that bits do not depend on where an
// element stands.
template <class Rule>
void halves(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  const auto* a = static_cast<const std::byte*>(left);
  const auto* b = static_cast<const std::byte*>(right);
  auto* c = static_cast<std::byte*>(out);
  const auto some = [&](Bytes at, std::size_t size) {
    __m128i x{}, y{};
    std::memcpy(&x, a + at, size);
    std::memcpy(&y, b + at, size);
    const __m128i result = _mm256_cvtps_ph(Rule::of(_mm256_cvtph_ps(x), _mm256_cvtph_ps(y)),
                                           _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(c + at, &result, size);
  };
  constexpr std::size_t kEight = sizeof(__m128i);
  Bytes at = 0;
  for (; at + Bytes{kEight} <= bytes; at += Bytes{kEight}) some(at, kEight);
  some(at, static_cast<std::size_t>(bytes - at));
}
#endif

// The value to compare in a word that holds a T and, above it, padding. A whole number is moved to
// the highest bits, where it compares as it does alone.
template <class T, class Word>
auto value_in(Word word) {
  if constexpr (sizeof(T) < sizeof(Word))
    return static_cast<Word>(word << (8 * (sizeof(Word) - sizeof(T))));
  else
    return std::bit_cast<T>(word);
}

// For pairs whose value and index fill a word each, with their padding. Only loops over words in
// structures become vector instructions.
template <class T, class Index, class Word, class Rule>
void locate(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  struct [[gnu::packed, gnu::may_alias]] Words {
    Word value, index;
  };
  const auto* a = static_cast<const Words*>(left);
  const auto* b = static_cast<const Words*>(right);
  auto* c = static_cast<Words*>(out);
  const Bytes count = bytes / static_cast<Bytes>(sizeof(Words));
  TUTTI_INDEPENDENT
  for (Bytes i = 0; i < count; ++i) {
    const Word x_value = a[i].value, y_value = b[i].value, x_index = a[i].index,
               y_index = b[i].index;
    const auto x = value_in<T>(x_value), y = value_in<T>(y_value);
    const bool lower = value_in<Index>(y_index) < value_in<Index>(x_index);
    const bool other = Rule::better(y, x) | ((x == y) & lower);
    c[i].value = other ? y_value : x_value;
    c[i].index = other ? y_index : x_index;
  }
}

// For other pairs: moves whole structures, because some values change on their way through a
// register.
template <class T, class Rule>
void locate_wide(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  struct [[gnu::packed, gnu::may_alias]] Unaligned {
    Pair<T> pair;
  };
  const auto* a = static_cast<const Unaligned*>(left);
  const auto* b = static_cast<const Unaligned*>(right);
  auto* c = static_cast<Unaligned*>(out);
  const Bytes count = bytes / static_cast<Bytes>(sizeof(Unaligned));
  for (Bytes i = 0; i < count; ++i) {
    const T x = a[i].pair.value, y = b[i].pair.value;
    const bool other = Rule::better(y, x) | ((x == y) & (b[i].pair.index < a[i].pair.index));
    std::byte chosen[sizeof(Unaligned)];
    std::memcpy(chosen, other ? b + i : a + i, sizeof chosen);
    std::memcpy(c + i, chosen, sizeof chosen);
  }
}

// Gcc 12 fuses alternating sums and differences of products into one rounding, whatever
// -ffp-contract says. Flipping the sign bit hides the difference from it, so that bits do not
// depend on the instruction set.
inline float negated(float x) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ std::uint32_t{1} << 31);
}
inline double negated(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ std::uint64_t{1} << 63);
}
inline long double negated(long double x) { return -x; }

struct Sum {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x + y);
  }
  template <class T>
  static Complex<T> of(Complex<T> x, Complex<T> y) {
    return {x.re + y.re, x.im + y.im};
  }
};
struct Product {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x * y);
  }
  template <class T>
  static Complex<T> of(Complex<T> x, Complex<T> y) {
    return {x.re * y.re + negated(x.im * y.im), x.re * y.im + x.im * y.re};
  }
  // Signed overflow is the caller's fault, but the compiler must not assume that it cannot happen.
  static std::int8_t of(std::int8_t x, std::int8_t y) { return static_cast<std::int8_t>(x * y); }
  static std::int16_t of(std::int16_t x, std::int16_t y) {
    return static_cast<std::int16_t>(x * y);
  }
  static std::uint16_t of(std::uint16_t x, std::uint16_t y) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(x) * y);
  }
};
struct Minimum {
  template <class T>
  static T of(T x, T y) {
    return y < x ? y : x;
  }
};
struct Maximum {
  template <class T>
  static T of(T x, T y) {
    return x < y ? y : x;
  }
};
struct LogicalAnd {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>((x != T{0}) & (y != T{0}));
  }
};
struct LogicalOr {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>((x != T{0}) | (y != T{0}));
  }
};
struct LogicalXor {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>((x != T{0}) ^ (y != T{0}));
  }
};
struct BitwiseAnd {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x & y);
  }
};
struct BitwiseOr {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x | y);
  }
};
struct BitwiseXor {
  template <class T>
  static T of(T x, T y) {
    return static_cast<T>(x ^ y);
  }
};
// The two operations that find a place; of equal values the lower index wins (MPI 4.0 §6.9.4).
struct Least {
  template <class T>
  static bool better(T x, T y) {
    return x < y;
  }
};
struct Greatest {
  template <class T>
  static bool better(T x, T y) {
    return y < x;
  }
};

using Apply = Combine::Apply;

// Signed sums and products wrap: they are computed as unsigned numbers, whose bits are the same.
template <class T, class U>
Apply integer(Operation operation) {
  switch (operation) {
    case Operation::sum: return loop<U, Sum>;
    case Operation::product: return loop<U, Product>;
    case Operation::minimum: return loop<T, Minimum>;
    case Operation::maximum: return loop<T, Maximum>;
    case Operation::logical_and: return loop<T, LogicalAnd>;
    case Operation::logical_or: return loop<T, LogicalOr>;
    case Operation::logical_xor: return loop<T, LogicalXor>;
    case Operation::bitwise_and: return loop<U, BitwiseAnd>;
    case Operation::bitwise_or: return loop<U, BitwiseOr>;
    case Operation::bitwise_xor: return loop<U, BitwiseXor>;
    default: return nullptr;
  }
}
template <class T>
Apply floating(Operation operation) {
  switch (operation) {
    case Operation::sum: return loop<T, Sum>;
    case Operation::product: return loop<T, Product>;
    case Operation::minimum: return loop<T, Minimum>;
    case Operation::maximum: return loop<T, Maximum>;
    default: return nullptr;
  }
}
Apply half([[maybe_unused]] Operation operation) {
#if defined(__F16C__)
  switch (operation) {
    case Operation::sum: return halves<Sum>;
    case Operation::product: return halves<Product>;
    case Operation::minimum: return halves<Minimum>;
    case Operation::maximum: return halves<Maximum>;
    default: return nullptr;
  }
#elif defined(__FLT16_MANT_DIG__)
  return floating<_Float16>(operation);
#else
  return nullptr;
#endif
}
template <class T>
Apply complex(Operation operation) {
  if (operation == Operation::sum) return loop<Complex<T>, Sum>;
  return operation == Operation::product ? loop<Complex<T>, Product> : Apply{};
}
template <class T, class Word>
Apply pair(Operation operation) {
  static_assert(2 * sizeof(Word) == sizeof(Pair<T>));
  if (operation == Operation::min_location) return locate<T, int, Word, Least>;
  return operation == Operation::max_location ? locate<T, int, Word, Greatest> : Apply{};
}
// Fortran has no structures: the index is a number of the same type.
template <class T, class Word>
Apply two(Operation operation) {
  static_assert(sizeof(Word) == sizeof(T));
  if (operation == Operation::min_location) return locate<T, T, Word, Least>;
  return operation == Operation::max_location ? locate<T, T, Word, Greatest> : Apply{};
}
template <class T>
Apply wide_pair(Operation operation) {
  if (operation == Operation::min_location) return locate_wide<T, Least>;
  return operation == Operation::max_location ? locate_wide<T, Greatest> : Apply{};
}
Apply boolean(Operation operation) {
  switch (operation) {
    case Operation::logical_and: return loop<std::uint8_t, LogicalAnd>;
    case Operation::logical_or: return loop<std::uint8_t, LogicalOr>;
    case Operation::logical_xor: return loop<std::uint8_t, LogicalXor>;
    default: return nullptr;
  }
}
Apply bits(Operation operation) {
  switch (operation) {
    case Operation::bitwise_and: return loop<std::uint8_t, BitwiseAnd>;
    case Operation::bitwise_or: return loop<std::uint8_t, BitwiseOr>;
    case Operation::bitwise_xor: return loop<std::uint8_t, BitwiseXor>;
    default: return nullptr;
  }
}

}  // namespace

Apply find_loop(Operation operation, Element element) noexcept {
  switch (element) {
    case Element::int8: return integer<std::int8_t, std::uint8_t>(operation);
    case Element::int16: return integer<std::int16_t, std::uint16_t>(operation);
    case Element::int32: return integer<std::int32_t, std::uint32_t>(operation);
    case Element::int64: return integer<std::int64_t, std::uint64_t>(operation);
    case Element::uint8: return integer<std::uint8_t, std::uint8_t>(operation);
    case Element::uint16: return integer<std::uint16_t, std::uint16_t>(operation);
    case Element::uint32: return integer<std::uint32_t, std::uint32_t>(operation);
    case Element::uint64: return integer<std::uint64_t, std::uint64_t>(operation);
    case Element::byte: return bits(operation);
    case Element::boolean: return boolean(operation);
    case Element::float16: return half(operation);
    case Element::float32: return floating<float>(operation);
    case Element::float64: return floating<double>(operation);
    case Element::long_double: return floating<long double>(operation);
    case Element::complex32: return complex<float>(operation);
    case Element::complex64: return complex<double>(operation);
    case Element::complex_long_double: return complex<long double>(operation);
    case Element::float_int: return pair<float, std::int32_t>(operation);
    case Element::double_int: return pair<double, std::int64_t>(operation);
    case Element::long_int: return pair<long, std::int64_t>(operation);
    case Element::two_int: return pair<int, std::int32_t>(operation);
    case Element::short_int: return pair<short, std::int32_t>(operation);
    case Element::long_double_int: return wide_pair<long double>(operation);
    case Element::two_float32: return two<float, std::int32_t>(operation);
    case Element::two_float64: return two<double, std::int64_t>(operation);
  }
  return nullptr;
}

}  // namespace tutti::collectives::TUTTI_ISA
