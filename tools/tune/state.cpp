// What was measured, line by line, so that nothing is lost when a run is interrupted.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "tools/tune/tune.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

constexpr int kFormat = 2;

std::string key_of(const Point& point, const Candidate& candidate) {
  return fmt::format("{} {} {} {} {}", name_of(point.collective), point.P, point.ranks_per_node,
                     point.bytes, candidate.name);
}

}  // namespace

State::State(std::string path, const std::string& job, bool resume) : path_(std::move(path)) {
  if (!resume) {
    write_file(path_, json{{"tutti_tune", kFormat}, {"job", job}}.dump() + '\n');
    return;
  }
  const auto text = read_file_if_any(path_);
  if (!text)
    throw Error(Code::bad_configuration, fmt::format("cannot read {}: nothing to resume", path_));
  std::istringstream file(*text);
  int number = 0;
  std::uintmax_t whole = 0;  // bytes of whole lines
  std::string line;
  try {
    // A last line that is cut off was being written when the run ended: it is measured again.
    for (; std::getline(file, line) && !file.eof(); ++number, whole += line.size() + 1) {
      const json one = json::parse(line);
      if (number > 0) {
        known_[one.at("key").get<std::string>()] = {
            {one.at("median_us").get<double>(), one.at("low_us").get<double>(),
             one.at("high_us").get<double>(), one.at("count").get<int>(), 0},
            one.at("finalist").get<bool>()};
      } else if (one.at("tutti_tune").get<int>() != kFormat) {
        throw Error(Code::bad_configuration,
                    fmt::format("{}: this program reads format {}", path_, kFormat));
      } else if (const auto whose = one.at("job").get<std::string>(); whose != job) {
        throw Error(Code::bad_configuration,
                    fmt::format("{}: it is of another job ({:.200}), and this is {}; begin anew "
                                "without --resume",
                                path_, whose, job));
      }
    }
  } catch (const json::exception& error) {
    throw Error(Code::bad_configuration,
                fmt::format("{}, line {}: not what `tutti tune` writes: {:.200}", path_, number + 1,
                            error.what()));
  }
  if (number == 0)
    throw Error(Code::bad_configuration, path_ + ": it is empty, or its first line is cut off");
  std::error_code error;
  std::filesystem::resize_file(path_, whole, error);
  if (error) throw Error(Code::system, fmt::format("cannot write {}: {}", path_, error.message()));
}

bool State::recall(const Point& point, Candidate& candidate) const {
  const auto found = known_.find(key_of(point, candidate));
  if (found == known_.end()) return false;
  candidate.measured = found->second.median;
  candidate.finalist = found->second.finalist;
  return true;
}

void State::add(const Point& point, const Candidate& candidate) {
  const models::Median& measured = *candidate.measured;
  known_[key_of(point, candidate)] = {measured, candidate.finalist};
  std::ofstream file(path_, std::ios::app);
  file << json{{"key", key_of(point, candidate)}, {"median_us", measured.value},
               {"low_us", measured.low},          {"high_us", measured.high},
               {"count", measured.count},         {"finalist", candidate.finalist}}
              .dump()
       << '\n';
  if (!file.flush()) throw Error(Code::system, "cannot write " + path_);
}

}  // namespace tutti::tools
