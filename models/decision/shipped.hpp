// The parameters that Tutti brings along, for machines on which nobody has measured. Pure.
#pragma once

#include <span>
#include <string_view>

#include "models/platform/platform.hpp"

namespace tutti::models {

// The kinds of wire: "shm", "rxe" (packets cost CPU time) and "hardware" (InfiniBand, RoCE).
std::string_view wire_of(bool several_nodes, bool software) noexcept;

// In the order above.
std::span<const Platform> shipped_platforms();
// The platform with missing parts from the one for this wire: cores, limits, pieces.
Platform completed(Platform platform, std::string_view wire);
// nullptr: there is none of this name.
const Platform* find_shipped(std::string_view name);

}  // namespace tutti::models
