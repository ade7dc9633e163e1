// An explanation of tutti_explain(3), for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tutti::tools {

// Requires what Selection::explain() gives, with where the model is from and the settings.
void print_explanation(const nlohmann::json& all);

}  // namespace tutti::tools
