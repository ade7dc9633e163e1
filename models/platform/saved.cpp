// Where parameters are kept, and whether they belong to this machine.
#include "models/platform/saved.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"

namespace tutti::models {
namespace {

using nlohmann::json;

std::string shown(const Machine& machine) {
  return fmt::format("'{:.200}' with {} core{}", machine.cpu, machine.cores,
                     machine.cores == 1 ? "" : "s");
}

}  // namespace

Machine this_machine(const std::string& cpuinfo) {
  Machine machine{.cpu = "unknown",
                  .cores = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))};
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || trimmed(line.substr(0, colon)) != "model name") continue;
    machine.cpu = trimmed(std::string_view(line).substr(colon + 1));
    break;
  }
  return machine;
}

Origin origin_here(std::string command) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char today[16] = {};
  std::strftime(today, sizeof today, "%Y-%m-%d", gmtime_r(&now, &parts));
  return {.machine = this_machine(), .date = today, .command = std::move(command)};
}

std::string saved_file(std::string_view wire) {
  const auto set = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  std::string folder = set("XDG_CONFIG_HOME");
  if (folder.empty() && !set("HOME").empty()) folder = set("HOME") + "/.config";
  return folder.empty() ? folder : fmt::format("{}/tutti/measured-{}.json", folder, wire);
}

std::optional<std::string> why_foreign(const Platform& platform, const Machine& here,
                                       std::string_view wire) {
  const Origin& origin = platform.origin;
  if (origin.machine.cpu.empty())
    return "machine: is missing; these parameters were not written by `tutti measure`";
  if (origin.machine != here)
    return fmt::format("machine: it was measured on {}, and this is {}; measure again",
                       shown(origin.machine), shown(here));
  if (origin.wire != wire)
    return fmt::format("wire.kind: it was measured over '{:.200}', not over {}", origin.wire, wire);
  return std::nullopt;
}

std::optional<Platform> read_saved(std::string_view wire, const Machine& here) {
  const std::string path = saved_file(wire);
  if (path.empty()) return std::nullopt;
  const auto text = read_file_if_any(path);
  if (!text) return std::nullopt;
  std::optional<std::string> reason;
  try {
    Platform platform = parse_platform(*text);
    reason = why_foreign(platform, here, wire);
    if (!reason) return platform;
  } catch (const Error& error) {
    reason = error.message;
  }
  throw Error(Code::bad_configuration, fmt::format("{:.200}: {}", path, *reason));
}

std::string keep(const Platform& platform) {
  std::string path = saved_file(platform.origin.wire);
  if (path.empty())
    throw Error(Code::bad_configuration,
                "parameters are kept below XDG_CONFIG_HOME or HOME, and neither is set");
  make_folder_of(path);
  must_be_writable(path);
  write_file(path, json_text(to_json(platform), 2) + "\n");
  return path;
}

}  // namespace tutti::models
