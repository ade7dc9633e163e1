// Chooses the loops of reductions for the processor's instruction set, once. Pure.
#include "collectives/execution/kernels.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "collectives/execution/loops.hpp"

namespace tutti::collectives {
namespace {

enum class Set { baseline, avx2, avx512 };

Set choose() noexcept {
#ifdef __x86_64__
  // Some compilers' __builtin_cpu_supports() does not know f16c.
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  if (!__builtin_cpu_supports("avx2") || !f16c) return Set::baseline;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return Set::avx512;
  return Set::avx2;
#else
  return Set::baseline;
#endif
}

Set set() noexcept {
  static const Set chosen = choose();
  return chosen;
}

template <class T>
struct Pair {
  T value;
  int index;
};

}  // namespace

Bytes size_of(Element element) noexcept {
  switch (element) {
    case Element::int8:
    case Element::uint8:
    case Element::byte:
    case Element::boolean: return 1;
    case Element::int16:
    case Element::uint16:
    case Element::float16: return 2;
    case Element::int32:
    case Element::uint32:
    case Element::float32: return 4;
    case Element::int64:
    case Element::uint64:
    case Element::float64:
    case Element::complex32:
    case Element::two_float32: return 8;
    case Element::complex64:
    case Element::two_float64: return 16;
    case Element::long_double: return sizeof(long double);
    case Element::complex_long_double: return 2 * sizeof(long double);
    case Element::float_int: return sizeof(Pair<float>);
    case Element::double_int: return sizeof(Pair<double>);
    case Element::long_int: return sizeof(Pair<long>);
    case Element::two_int: return sizeof(Pair<int>);
    case Element::short_int: return sizeof(Pair<short>);
    case Element::long_double_int: return sizeof(Pair<long double>);
  }
  return 0;
}

Combine::Apply kernel(Operation operation, Element element) noexcept {
#ifdef __x86_64__
  if (set() == Set::avx512) return avx512::find_loop(operation, element);
  if (set() == Set::avx2) return avx2::find_loop(operation, element);
#endif
  return baseline::find_loop(operation, element);
}

const char* kernel_set() noexcept {
  return set() == Set::avx512 ? "avx512" : set() == Set::avx2 ? "avx2" : "baseline";
}

}  // namespace tutti::collectives
