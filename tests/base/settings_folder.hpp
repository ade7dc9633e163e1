// A place for a user's files.
#pragma once

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

namespace tutti::tests {

// XDG_CONFIG_HOME, as long as it lives.
struct SettingsFolder {
  std::string path = (std::filesystem::temp_directory_path() / "tutti-test-XXXXXX").string();
  SettingsFolder() {
    REQUIRE(mkdtemp(path.data()));
    setenv("XDG_CONFIG_HOME", path.c_str(), 1);
    std::filesystem::create_directory(path + "/tutti");
  }
  ~SettingsFolder() {
    unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(path);
  }
  SettingsFolder(const SettingsFolder&) = delete;
  SettingsFolder& operator=(const SettingsFolder&) = delete;
};

}  // namespace tutti::tests
