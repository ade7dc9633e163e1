// A notice: what a rank leaves for peers to whom it cannot connect. The transport keeps it without
// understanding it.
#pragma once

#include <array>
#include <cstddef>

namespace tutti::transport {

struct Notice {
  std::array<std::byte, 40> bytes{};
};

}  // namespace tutti::transport
