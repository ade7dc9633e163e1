// All rings of an inbox.
#pragma once

#include <iterator>

#include "transport/inbox_shape.hpp"

namespace tutti::tests {

using transport::Ring;

inline constexpr Ring kAllRings[] = {Ring::line, Ring::small, Ring::eager, Ring::ready,
                                     Ring::control};
static_assert(std::size(kAllRings) == transport::kRings);

}  // namespace tutti::tests
