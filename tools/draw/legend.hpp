// The colours of a time chart, and what they mean. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/draw/picture.hpp"

namespace tutti::tools {

inline constexpr std::string_view kCritical = "#d1245b", kMessage = "#8b98a8", kStay = "#d3dae2";

struct StepLook {
  std::string_view colour, name;
};
const StepLook& look_of(collectives::StepKind kind) noexcept;
inline constexpr collectives::StepKind kPortLook = collectives::StepKind::send;  // but paler

// A legend of what these charts have, and nothing else, in a line from `left` on.
std::string draw_legend(std::span<const Chart* const> charts, double left, double y);

}  // namespace tutti::tools
