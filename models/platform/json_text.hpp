// JSON written and read as text: the only place that instantiates it, which takes the compiler half
// a second a file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tutti::models {

// `indent`: spaces for each level, one line if negative. Bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::json& value, int indent = -1);

// Throws nlohmann::json::parse_error.
nlohmann::json parse_json(std::string_view text);

}  // namespace tutti::models
