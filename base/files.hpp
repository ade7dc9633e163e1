// Whole files, read and written. A path comes from a user, and may name anything: a pipe that
// nobody writes or reads, a device without end, a folder. None of them may hold a program up.
#pragma once

#include <cstddef>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tutti {

// Files that people write, or that are made for them, are shorter: a longer one is a mistake.
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20;
inline constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

// All readers throw Error{bad_configuration}, which names the file and says why it cannot be read.

// All of a regular file.
std::string read_file(const std::string& path, std::size_t most = kMostBytes);
// All of a regular file; nothing: there is no file.
std::optional<std::string> read_file_if_any(const std::string& path);
// All of a file, a pipe or a device, such as /dev/stdin or what a shell makes of <(command): waits
// until those who write it have closed it. If nobody writes it, it is empty.
std::string read_stream(const std::string& path);

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// All writers throw Error{system}, which names the file and says why it cannot be written.

// To write it from its beginning.
File begin_file(const std::string& path);
// Before long work: leaves what the file holds, and makes no folder.
void must_be_writable(const std::string& path);
// Makes the folder that this file is to be in, if it can.
void make_folder_of(const std::string& path);
// A reader sees the old file or the whole new one.
void write_file(const std::string& path, std::string_view text);
// Behind what the file holds.
void append_to_file(const std::string& path, std::string_view text);

}  // namespace tutti
