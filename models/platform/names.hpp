// Models and published platforms by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/platform.hpp"

namespace tutti::models {

// All models, with every parameter 0.
std::span<const Model> models() noexcept;
// Case does not matter.
bool is_model(std::string_view name) noexcept;
// Throws Error{bad_configuration}, which names those that there are.
Model model_named(std::string_view name);

// Parameters that a paper prints.
struct Published {
  std::string_view name;
  std::string_view source;  // paper and table
  std::string_view what;    // machine, and what is peculiar
  std::string_view json;    // for parse_platform(); or, if incomplete, without some parameters
  bool complete = true;
};
std::span<const Published> published() noexcept;

// A published platform, or null. Case does not matter.
const Published* find_published(std::string_view name) noexcept;

}  // namespace tutti::models
