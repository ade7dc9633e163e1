// Reads settings from options, environment and file.
#include "src/setup/configuration.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"

namespace tutti {
namespace {

// Other variables of an environment that begin with TUTTI_: those of the tests and tools, and those
// by which modules and build systems say where an installation is.
constexpr std::string_view kOtherVariables[] = {
    "CONFIG", "CACHE",   "HOST_ENGINE", "KERNEL_SCRIPT", "STOCK_KERNEL_SCRIPT",
    "SHOW",   "BASE",    "BIN",         "DIR",           "HOME",
    "INC",    "INCLUDE", "LIB",         "PREFIX",        "ROOT",
    "VERSION"};
constexpr std::string_view kPrefix = "TUTTI_";

const Setting* find(std::string_view name) {
  const auto all = settings();
  const auto found = std::ranges::find(all, name, &Setting::name);
  return found == all.end() ? nullptr : &*found;
}

// A hint about a name that no setting has.
std::string advice_on(std::string_view name, std::string (*shown)(const Setting&)) {
  std::vector<std::string_view> names;
  std::ranges::transform(settings(), std::back_inserter(names), &Setting::name);
  // The options of `tutti` call the setting `model` --params.
  const auto near = name == "PARAMS" || name == "params" ? "model" : nearest(name, names);
  return near.empty() ? "tutti(1) lists all settings"
                      : fmt::format("the nearest is {}", shown(*find(near)));
}

void apply(Configuration& configuration, const Setting& setting, std::string_view value,
           const std::string& source) {
  const std::string refusal = setting.read(configuration, value);
  if (!refusal.empty())
    throw Error(Code::bad_configuration, fmt::format("{}: the setting `{}` {}, not '{:.200}'",
                                                     source, setting.name, refusal, value));
}

void apply_line(Configuration& configuration, std::string_view line, const std::string& source) {
  const auto equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos)
    throw Error(Code::bad_configuration,
                fmt::format("{}: expected name = value, not '{:.200}'", source, line));
  const Setting* setting = find(name);
  if (!setting)
    throw Error(
        Code::bad_configuration,
        fmt::format("{}: there is no setting `{:.200}`; {}", source, name,
                    advice_on(name, [](const Setting& s) { return fmt::format("`{}`", s.name); })));
  apply(configuration, *setting, trimmed(line.substr(equals + 1)), source);
}

void read_lines(Configuration& configuration, const char* path) {
  std::istringstream lines(read_named_file("TUTTI_CONFIG", path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty()) apply_line(configuration, text, fmt::format("{:.200}:{}", path, number));
  }
}

void read_environment(Configuration& configuration) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with(kPrefix)) continue;
    const auto equals = text.find('=');
    const std::string_view variable = text.substr(0, equals);
    const std::string_view name = variable.substr(kPrefix.size());
    if (equals == std::string_view::npos || equals + 1 == text.size()) continue;  // empty
    const auto all = settings();
    const auto found = std::ranges::find(all, variable, environment_name);
    if (found != all.end())
      apply(configuration, *found, text.substr(equals + 1), std::string(variable));
    else if (std::ranges::find(kOtherVariables, name) == std::end(kOtherVariables))
      configuration.warnings.push_back(
          fmt::format("the environment variable {:.200} names no setting and is ignored; {}",
                      variable, advice_on(name, environment_name)));
  }
}

}  // namespace

std::string environment_name(const Setting& setting) {
  std::string name(kPrefix);
  for (const char c : setting.name)
    name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

std::string documentation_of(const Setting& setting) {
  return std::string(setting.documentation) +
         (setting.same_on_all ? " It must be the same on all ranks." : "");
}

Configuration load_configuration(std::span<const std::string> options) {
  Configuration configuration;
  if (const char* path = std::getenv("TUTTI_CONFIG"); path && *path)
    read_lines(configuration, path);
  read_environment(configuration);
  for (const std::string& option : options)
    apply_line(configuration, option, "tutti_options.settings");
  return configuration;
}

std::vector<std::string> device_names(std::string_view list) {
  std::vector<std::string> names;
  std::istringstream parts{std::string(list)};
  for (std::string part; std::getline(parts, part, ',');)
    if (const auto name = trimmed(part); !name.empty()) names.emplace_back(name);
  return names;
}

std::string read_named_file(std::string_view what, const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{}: {}", what, error.message), kNoPeer,
                error.system_errno);
  }
}

ReadRules read_rules(const Configuration& configuration) {
  ReadRules result;
  try {
    result.rules.forced = collectives::parse_choices(configuration.algorithm);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("the setting `algorithm`: {}", error.message));
  }
  if (configuration.table.empty()) return result;
  result.table = read_named_file("the setting `table`", configuration.table);
  try {
    result.rules.table = collectives::parse_table(result.table);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("the table of algorithms {:.200}: {}", configuration.table,
                                        error.message));
  }
  return result;
}

}  // namespace tutti
