// Measurements, saved line by line, so that nothing is lost when a run is interrupted.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "models/platform/json_text.hpp"
#include "tools/tune/state.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

constexpr int kFormat = 2;

std::string key_of(const Point& point, const Candidate& candidate) {
  return fmt::format("{} {} {} {} {}", name_of(point.collective), point.P, point.ranks_per_node,
                     point.bytes, candidate.name);
}

void check_first_line(const json& line, std::string_view job) {
  if (line.at("tutti_tune").get<int>() != kFormat)
    bad_configuration(fmt::format("this program reads format {}", kFormat));
  const auto whose = line.at("job").get<std::string>();
  if (whose != job)
    bad_configuration(
        fmt::format("it is of another job ({:.200}), and this is {:.1000}; begin anew without "
                    "--resume",
                    whose, job));
}

Remembered remembered(const json& line) {
  const models::Median median{line.at("median_us").get<double>(), line.at("low_us").get<double>(),
                              line.at("high_us").get<double>(), line.at("count").get<int>(), 0};
  if (!(median.value >= 0) || median.count < 1) bad_configuration("a time is out of range");
  return {median, line.at("finalist").get<bool>()};
}

}  // namespace

Memory parse_memory(std::string_view text, std::string_view job) {
  Memory memory;
  int number = 0;
  for (std::size_t end; (end = text.find('\n', memory.bytes)) != text.npos; ++number) {
    const std::string_view line = text.substr(memory.bytes, end - memory.bytes);
    try {
      const json one = models::parse_json(line);
      if (number == 0)
        check_first_line(one, job);
      else
        memory.candidates[one.at("key").get<std::string>()] = remembered(one);
    } catch (const json::exception& error) {
      bad_configuration(
          fmt::format("line {}: not what `tutti tune` writes: {:.200}", number + 1, error.what()));
    }
    memory.bytes = end + 1;
  }
  if (number == 0) bad_configuration("it is empty, or its first line is cut off");
  return memory;
}

State::State(std::string path, const std::string& job, bool resume) : path_(std::move(path)) {
  if (!resume) {
    write_file(path_, models::json_text(json{{"tutti_tune", kFormat}, {"job", job}}) + '\n');
    return;
  }
  const auto text = read_file_if_any(path_);
  if (!text) bad_configuration(fmt::format("cannot read {}: nothing to resume", path_));
  try {
    memory_ = parse_memory(*text, job);
  } catch (const Error& error) {
    bad_configuration(fmt::format("{}: {}", path_, error.message));
  }
  std::error_code error;
  std::filesystem::resize_file(path_, memory_.bytes, error);
  if (error)
    throw Error(Code::system, fmt::format("cannot write {:.200}: {}", path_, error.message()));
}

bool State::recall(const Point& point, Candidate& candidate) const {
  const auto found = memory_.candidates.find(key_of(point, candidate));
  if (found == memory_.candidates.end()) return false;
  candidate.measured = found->second.median;
  candidate.finalist = found->second.finalist;
  return true;
}

void State::add(const Point& point, const Candidate& candidate) {
  const models::Median& measured = *candidate.measured;
  memory_.candidates[key_of(point, candidate)] = {measured, candidate.finalist};
  append_to_file(path_, models::json_text(json{{"key", key_of(point, candidate)},
                                               {"median_us", measured.value},
                                               {"low_us", measured.low},
                                               {"high_us", measured.high},
                                               {"count", measured.count},
                                               {"finalist", candidate.finalist}}) +
                            '\n');
}

}  // namespace tutti::tools
