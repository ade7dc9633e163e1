// The functions that loops.cpp defines for each instruction set that it is compiled for. Only
// kernels.cpp uses them.
#pragma once

#include "collectives/execution/kernels.hpp"

namespace tutti::collectives {

namespace baseline {
Combine::Apply find_loop(Operation operation, Element element) noexcept;
}
#ifdef __x86_64__
namespace avx2 {
Combine::Apply find_loop(Operation operation, Element element) noexcept;
}
namespace avx512 {
Combine::Apply find_loop(Operation operation, Element element) noexcept;
}
#endif

}  // namespace tutti::collectives
