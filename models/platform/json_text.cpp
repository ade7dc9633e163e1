// Hands on to nlohmann's JSON.
#include "models/platform/json_text.hpp"

#include <nlohmann/json.hpp>

namespace tutti::models {

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }

}  // namespace tutti::models
