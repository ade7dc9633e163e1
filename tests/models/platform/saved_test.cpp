// Parameters that are kept: where, and what of them is refused.
#include "models/platform/saved.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/platform/json.hpp"
#include "tests/base/settings_folder.hpp"

using namespace tutti;
using namespace tutti::models;

namespace {

const Machine kHere{"A processor", 4};

Platform measured() {
  return {.between = LogP{.L = 1},
          .origin = {.machine = kHere,
                     .wire = "rxe",
                     .device = "rxe0",
                     .date = "2026-11-22",
                     .command = "tutti measure"}};
}

std::string kept_complaint() {
  try {
    read_saved("rxe", kHere);
    return "none";
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    CHECK(error.message.find("measured-rxe.json: ") != std::string::npos);
    return error.message;
  }
}

std::string kept_complaint(const std::string& text) {
  std::ofstream(saved_file("rxe")) << text;
  return kept_complaint();
}

std::string kept_complaint(const Platform& platform) {
  return kept_complaint(to_json(platform).dump());
}

}  // namespace

TEST_CASE("kept: a file comes back with where and how it was measured") {
  const tests::SettingsFolder folder;
  CHECK(saved_file("rxe") == folder.path + "/tutti/measured-rxe.json");
  CHECK_FALSE(read_saved("rxe", kHere));
  CHECK(kept_complaint(measured()) == "none");
  const auto read = read_saved("rxe", kHere);
  REQUIRE(read);
  CHECK(read->origin == measured().origin);
}

TEST_CASE("kept: another machine, another wire and an older format are named") {
  const tests::SettingsFolder folder;
  Platform other = measured();
  other.origin.machine = {"Another", 1};
  CHECK_THAT(
      kept_complaint(other),
      Catch::Contains("measured on 'Another' with 1 core, and this is 'A processor' with 4"));
  other = measured();
  other.origin.wire = "shm";
  CHECK_THAT(kept_complaint(other), Catch::Contains("measured over 'shm', not over rxe"));
  CHECK_THAT(kept_complaint(Platform{.between = LogP{}}), Catch::Contains("machine: is missing"));
  CHECK_THAT(kept_complaint(R"({"format": 0})"), Catch::Contains("reads format 1, not 0"));
  CHECK_THAT(kept_complaint("{"), Catch::Contains("not JSON"));
  CHECK_THAT(
      kept_complaint(R"({"machine": 7, "model": "logp", "parameters": {"L": 0, "o": 0, "g": 0}})"),
      Catch::Contains("machine: must be an object"));
  CHECK_THAT(kept_complaint(R"({"wire": {"kind": 7}, "model": "logp",
                           "parameters": {"L": 0, "o": 0, "g": 0}})"),
             Catch::Contains("wire.kind: must be a text"));
}

TEST_CASE("kept: a folder or a pipe in the place of the file is named") {
  const tests::SettingsFolder folder;
  std::filesystem::create_directory(saved_file("rxe"));
  CHECK_THAT(kept_complaint(), Catch::EndsWith("it is a folder"));
  std::filesystem::remove(saved_file("rxe"));
  REQUIRE(mkfifo(saved_file("rxe").c_str(), 0600) == 0);
  CHECK_THAT(kept_complaint(), Catch::EndsWith("not a file"));
  Platform platform = measured();
  CHECK_THROWS_WITH(keep(platform), Catch::Contains("nobody reads this pipe"));
}

TEST_CASE("kept: this machine") {
  const tests::SettingsFolder folder;
  std::ofstream(folder.path + "/cpuinfo") << "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n";
  CHECK(this_machine(folder.path + "/cpuinfo").cpu == "Some CPU @ 2 GHz");
  CHECK(this_machine(folder.path + "/none").cpu == "unknown");
  CHECK(this_machine().cores >= 1);
}

TEST_CASE("kept: what is kept is read again, and belongs to its wire") {
  const tests::SettingsFolder folder;
  Platform platform = measured();
  platform.origin = origin_here("a test");
  platform.origin.wire = "rxe";
  CHECK(keep(platform) == saved_file("rxe"));
  const auto again = read_saved("rxe", this_machine());
  REQUIRE(again);
  CHECK(again->origin == platform.origin);
  CHECK_FALSE(read_saved("shm", this_machine()));
  setenv("XDG_CONFIG_HOME", "/proc", 1);
  CHECK_THROWS_WITH(keep(platform), Catch::Contains("cannot write /proc/tutti"));
}
