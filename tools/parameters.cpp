// Finds parameters by name: Tutti's own first, then those of papers, then files.
#include "tools/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/saved.hpp"
#include "models/platform/names.hpp"
#include "transport/verbs/discovery/survey.hpp"

namespace tutti::tools {
namespace {

// A sentence for who takes --params for --model, or for the setting `model`; else empty.
std::string about_other_names(const std::string& name) {
  if (models::is_model(name))
    return fmt::format("; {0} is a cost model, no parameters: `tutti predict --model {0}`", name);
  if (name != "measure") return {};
  return "; only jobs measure, if the setting `model` (TUTTI_MODEL) says so: `tutti measure` "
         "writes a file";
}

}  // namespace

void warn_once(std::string_view line) {
  static std::set<std::string, std::less<>> said;
  if (said.emplace(line).second) fmt::print(stderr, "tutti: warning: {}\n", line);
}

NamedParameters parameters_named(const std::string& name, std::string_view option) {
  if (const auto* const own = models::find_shipped(name))
    return {own->name, own->source, models::json_text(models::to_json(*own))};
  if (const auto* const known = models::find_published(name))
    return {std::string(known->name), std::string(known->source), std::string(known->json),
            known->complete};
  try {
    return {name, {}, parameters_text(name)};
  } catch (const Error& error) {
    std::vector<std::string_view> names;
    for (const auto& some : models::shipped_platforms()) names.push_back(some.name);
    for (const auto& some : models::published()) names.push_back(some.name);
    bad_configuration(fmt::format("{}: {}; names that need no file: {}{}", option, error.message,
                                  fmt::join(names, ", "), about_other_names(name)));
  }
}

void must_name_no_parameters(const std::string& model) {
  if (!models::is_model(model) && (models::find_shipped(model) || models::find_published(model)))
    bad_configuration(
        fmt::format("--model: {0} is the name of parameters, not of a model: --params {0}", model));
}

std::string about_shared_cores(int ranks_here) {
  const int cores = models::this_machine().cores;
  if (ranks_here <= cores) return {};
  return fmt::format(
      "Each rank is taken to have a core of its own. This machine has {}: `tutti explain` counts "
      "what it costs to share them.",
      counted(cores, "core"));
}

bool software_wire_here(const Configuration& configuration) {
  if (configuration.wire != Wire::automatic) return configuration.wire == Wire::software;
  const std::vector<std::string> wanted = device_names(configuration.device);
  bool software = false;
  for (const auto& device : transport::verbs::survey()) {
    if (!device.problem.empty()) continue;
    if (!wanted.empty() && std::ranges::find(wanted, device.name) == wanted.end()) continue;
    if (!device.software) return false;
    software = true;
  }
  return software;
}

PlatformHere parameters_here(const Configuration& configuration, bool several_nodes) {
  const bool software = several_nodes && software_wire_here(configuration);
  return platform_here(configuration, models::wire_of(several_nodes, software), warn_once);
}

PlatformHere parameters_here(bool several_nodes) {
  const Configuration configuration = load_configuration({});
  for (const std::string& warning : configuration.warnings) warn_once(warning);
  return parameters_here(configuration, several_nodes);
}

const std::string& parameters_text(const std::string& path) {
  static std::map<std::string, std::string> known;
  auto found = known.find(path);
  if (found == known.end()) found = known.emplace(path, read_stream(path)).first;
  return found->second;
}

models::Platform platform_named(const std::string& name, std::string_view wire,
                                std::string_view option) {
  if (const auto* const own = models::find_shipped(name)) return *own;
  const NamedParameters named = parameters_named(name, option);
  if (!named.complete)
    bad_configuration(fmt::format("{} {}: the paper does not print all parameters", option, name));
  try {
    models::Platform platform = models::completed(models::parse_platform(named.text), wire);
    if (platform.name.empty()) platform.name = named.name;
    if (platform.source.empty()) platform.source = named.source;
    return platform;
  } catch (const Error& error) {
    bad_configuration(fmt::format("{} {:.200}: {}", option, name, error.message));
  }
}

}  // namespace tutti::tools
