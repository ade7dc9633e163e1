// What is written goes beside the file, under a name of this process, and then takes its place.
#include "base/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.hpp"

namespace tutti {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return {};
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

void must_be_writable(const std::string& path) {
  std::error_code ignored;
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  const bool known = std::filesystem::exists(path, ignored);
  if (!std::ofstream(path, std::ios::app)) throw Error(Code::system, "cannot write " + path);
  if (!known) std::filesystem::remove(path, ignored);
}

void write_file(const std::string& path, std::string_view text) {
  // What is no plain file, /dev/stdout say, cannot be replaced.
  std::error_code error;
  const bool replace =
      !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
  const std::string unfinished = replace ? fmt::format("{}.{}", path, getpid()) : path;
  {
    std::ofstream file(unfinished);
    file << text;
    if (!file.flush()) throw Error(Code::system, "cannot write " + unfinished);
  }
  if (!replace) return;
  std::filesystem::rename(unfinished, path, error);
  if (error) throw Error(Code::system, fmt::format("cannot write {}: {}", path, error.message()));
}

}  // namespace tutti
