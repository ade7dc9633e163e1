// Parameters that are kept: where, and what of them is refused.
#include "models/kept.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/json.hpp"

using namespace tutti;
using namespace tutti::models;

namespace {

const Machine kHere{"A processor", 4};

// A folder for files of settings, which is gone at the end.
struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "tutti-kept-XXXXXX").string();
  Folder() {
    REQUIRE(mkdtemp(path.data()));
    setenv("XDG_CONFIG_HOME", path.c_str(), 1);
    std::filesystem::create_directory(path + "/tutti");
  }
  ~Folder() {
    unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(path);
  }
};

Platform measured() {
  return {.between = LogP{.L = 1},
          .origin = {.machine = kHere,
                     .wire = "rxe",
                     .device = "rxe0",
                     .date = "2026-11-22",
                     .command = "tutti measure"}};
}

std::string complaint(const std::string& text) {
  std::ofstream(kept_file("rxe")) << text;
  try {
    read_kept("rxe", kHere);
    return "none";
  } catch (const Error& error) {
    CHECK(error.message.find("measured-rxe.json: ") != std::string::npos);
    return error.message;
  }
}

std::string complaint(const Platform& platform) { return complaint(to_json(platform).dump()); }

}  // namespace

TEST_CASE("kept: a file comes back with where and how it was measured") {
  const Folder folder;
  CHECK(kept_file("rxe") == folder.path + "/tutti/measured-rxe.json");
  CHECK_FALSE(read_kept("rxe", kHere));
  CHECK(complaint(measured()) == "none");
  const auto read = read_kept("rxe", kHere);
  REQUIRE(read);
  CHECK(read->origin == measured().origin);
}

TEST_CASE("kept: another machine, another wire and an older format are named") {
  const Folder folder;
  Platform other = measured();
  other.origin.machine = {"Another", 1};
  CHECK_THAT(
      complaint(other),
      Catch::Contains("measured on 'Another' with 1 core, and this is 'A processor' with 4"));
  other = measured();
  other.origin.wire = "shm";
  CHECK_THAT(complaint(other), Catch::Contains("measured over 'shm', not over rxe"));
  CHECK_THAT(complaint(Platform{.between = LogP{}}), Catch::Contains("machine: is missing"));
  CHECK_THAT(complaint(R"({"format": 0})"), Catch::Contains("reads format 1, not 0"));
  CHECK_THAT(complaint("{"), Catch::Contains("not JSON"));
  CHECK_THAT(
      complaint(R"({"machine": 7, "model": "logp", "parameters": {"L": 0, "o": 0, "g": 0}})"),
      Catch::Contains("machine: must be an object"));
  CHECK_THAT(complaint(R"({"wire": {"kind": 7}, "model": "logp",
                           "parameters": {"L": 0, "o": 0, "g": 0}})"),
             Catch::Contains("wire.kind: must be a text"));
}

TEST_CASE("kept: this machine") {
  const Folder folder;
  std::ofstream(folder.path + "/cpuinfo") << "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n";
  CHECK(this_machine(folder.path + "/cpuinfo").cpu == "Some CPU @ 2 GHz");
  CHECK(this_machine(folder.path + "/none").cpu == "unknown");
  CHECK(this_machine().cores >= 1);
}
