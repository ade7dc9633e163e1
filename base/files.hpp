// Whole files, read and written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti {

// All of it; nothing: it cannot be read.
std::optional<std::string> read_file(const std::string& path);
// Before long work: throws Error if the file cannot be written. Makes its folder; leaves what the
// file holds.
void must_be_writable(const std::string& path);
// A reader sees the old file or the whole new one. Throws Error.
void write_file(const std::string& path, std::string_view text);

}  // namespace tutti
