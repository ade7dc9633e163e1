// The parameters that the option --params names, alike in all commands.
#pragma once

#include <string>
#include <string_view>

#include "models/platform/platform.hpp"
#include "src/job/selection.hpp"

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
// no file. `option`: by which the user gave it.
NamedParameters parameters_named(const std::string& name, std::string_view option = "--params");
// The word behind --model must not be the name of parameters, such as shm. Throws
// Error{bad_configuration}, which names --params.
void must_name_no_parameters(const std::string& model);
// As a job would have it, on such a wire (models::wire_of()). Throws Error{bad_configuration}.
models::Platform platform_named(const std::string& name, std::string_view wire,
                                std::string_view option = "--params");
// On standard error, each line once.
void warn_once(std::string_view line);
// Where none are named: what a job would take whose rank 0 is this process, with the settings of
// this environment. `several_nodes`: it has messages between nodes. Warnings of that go to standard
// error, each once.
PlatformHere parameters_here(const Configuration& configuration, bool several_nodes);
PlatformHere parameters_here(bool several_nodes);
// Whether packets of a job between this host and others cost CPU time, as its ranks would find:
// hardware goes before software.
bool software_wire_here(const Configuration& configuration);
// The simulator gives each rank a core of its own. A sentence for people where so many ranks are on
// this machine, which has fewer; else empty.
std::string about_shared_cores(int ranks_here);
// The text of a file alone. Throws Error.
const std::string& parameters_text(const std::string& path);

}  // namespace tutti::tools
