// Choosing the instruction set, once. Pure.
#include "collectives/execution/kernels.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <array>

#include "collectives/execution/loops.hpp"

namespace tutti::collectives {
namespace {

enum class Set { baseline, avx2, avx512 };

Set choose() noexcept {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;  // __builtin_cpu_supports() knows no f16c in some compilers
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
  static constexpr std::array<std::size_t, kElements> kSizes{1,
                                                             2,
                                                             4,
                                                             8,
                                                             1,
                                                             2,
                                                             4,
                                                             8,
                                                             1,
                                                             1,
                                                             2,
                                                             sizeof(float),
                                                             sizeof(double),
                                                             sizeof(long double),
                                                             2 * sizeof(float),
                                                             2 * sizeof(double),
                                                             2 * sizeof(long double),
                                                             sizeof(Pair<float>),
                                                             sizeof(Pair<double>),
                                                             sizeof(Pair<long>),
                                                             sizeof(Pair<int>),
                                                             sizeof(Pair<short>),
                                                             sizeof(Pair<long double>)};
  return static_cast<Bytes>(kSizes[static_cast<std::size_t>(element)]);
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
