// The parameters that the option --params names, alike in all commands.
#pragma once

#include <string>
#include <string_view>

#include "models/platform.hpp"

namespace tutti::tools {

// For the help.
inline constexpr const char* kParametersAre =
    "shm, rxe, hardware (Tutti's own), published ones by name, or a JSON file";

struct NamedParameters {
  std::string name, source;  // where they are from; empty if only the text can say
  std::string text;          // JSON
  bool complete = true;      // false: the paper does not print all
};

// A file is read once, as it may be a pipe. Throws Error{bad_configuration}, which says what needs
// no file.
NamedParameters parameters_named(const std::string& name);
// As a job would have it, on such a wire (models::wire_of()). Throws Error{bad_configuration}.
models::Platform platform_named(const std::string& name, std::string_view wire);
// Of a file alone. Throws Error.
const std::string& parameters_text(const std::string& path);

}  // namespace tutti::tools
