// Settings: sources and their order, and messages that say what to do.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "src/setup/configuration.hpp"
#include "tests/base/settings_folder.hpp"

using namespace tutti;

namespace {

std::string error_of(const std::vector<std::string>& options) {
  try {
    load_configuration(options);
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    return error.message;
  }
  return {};
}

}  // namespace

TEST_CASE("options beat the environment, which beats the file, which beats the default",
          "[configuration]") {
  std::string path = "/tmp/tutti-configuration-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path)
      << "# a comment\n line_slots = 8 # another\n\nsmall_slots=4\neager_limit = 2k\n";
  CHECK(load_configuration({}).line_slots == 64);
  setenv("TUTTI_CONFIG", path.c_str(), 1);
  CHECK(load_configuration({}).line_slots == 8);
  CHECK(load_configuration({}).eager_limit == 2048);
  setenv("TUTTI_LINE_SLOTS", "16", 1);
  CHECK(load_configuration({}).line_slots == 16);
  CHECK(load_configuration(std::vector<std::string>{"line_slots=32"}).line_slots == 32);
  CHECK(load_configuration({}).small_slots == 4);
  unsetenv("TUTTI_LINE_SLOTS");
  std::ofstream(path) << "line_slots = 8\nnonsense = 1\n";
  const std::string message = error_of({});
  CHECK(message.find(path + ":2") != std::string::npos);
  CHECK(message.find("nonsense") != std::string::npos);
  unsetenv("TUTTI_CONFIG");
  std::remove(path.c_str());
}

TEST_CASE("a wrong value is named with what is allowed", "[configuration]") {
  CHECK(error_of({"transport=carrier"}).find("auto, shm, verbs") != std::string::npos);
  CHECK(error_of({"line_slots=65"}).find("1 to 64") != std::string::npos);
  CHECK(error_of({"line_slots=12"}).find("power of two") != std::string::npos);
  CHECK(error_of({"eager_limit=9999999G"}).find("0 to 1048576") != std::string::npos);
  CHECK(error_of({"eager_limit=-1"}).find("size") != std::string::npos);
  for (const char* mtu : {"mtu=1000", "mtu=128", "mtu=8192", "mtu=-256"})
    CHECK_FALSE(error_of({mtu}).empty());
  for (const char* mtu : {"mtu=1000", "mtu=8192", "mtu=jumbo"})
    CHECK(error_of({mtu}).find("256, 512, 1024, 2048 or 4096") != std::string::npos);
  for (const char* mtu : {"mtu=0", "mtu=256", "mtu=4096"}) CHECK(error_of({mtu}).empty());
  CHECK(error_of({"port="}).find("number") != std::string::npos);
  CHECK(error_of({"port"}).find("name = value") != std::string::npos);
}

TEST_CASE("what a setting takes is said with its unit", "[configuration]") {
  int milliseconds = 0, bytes = 0;
  for (const Setting& setting : settings()) {
    const std::string error = error_of({fmt::format("{}=10 parsecs", setting.name)});
    INFO(setting.name << ": " << error);
    const std::string unit = setting.type.substr(0, setting.type.find(','));
    milliseconds += unit == "milliseconds";
    bytes += unit == "bytes";
    if (unit != "milliseconds" && unit != "bytes") continue;
    CHECK(error.find(unit) != std::string::npos);
    std::smatch examples;
    REQUIRE(std::regex_search(error, examples, std::regex("such as (\\w+) (?:for|or ([^)]+))")));
    for (const auto& example : {examples[1].str(), examples[2].str()})
      if (!example.empty()) CHECK(error_of({fmt::format("{}={}", setting.name, example)}).empty());
  }
  CHECK(milliseconds >= 4);
  CHECK(bytes >= 5);
  CHECK(error_of({"timeout=10s"}) ==
        "tutti_options.settings: the setting `timeout` takes a number of milliseconds (such as "
        "1500 for 1.5 s) from 0 to 2000000000, not '10s'");
}

TEST_CASE("a setting that takes numbers says from where to where, and takes both ends",
          "[configuration]") {
  int ranges = 0;
  for (const Setting& setting : settings()) {
    INFO(setting.name << ": " << setting.type);
    const auto takes = [&](const std::string& value) {
      return error_of({fmt::format("{}={}", setting.name, value)}).empty();
    };
    const bool numbers = (takes("2") || takes("200") || takes("2k")) && !takes("no number");
    CHECK(numbers == (setting.type.find(" to ") != std::string::npos));
    std::smatch ends;
    if (!std::regex_match(setting.type, ends, std::regex("[a-z ]+, (\\S+) to (\\S+)"))) continue;
    ++ranges;
    const Bytes least = *parse_size(ends[1].str()), most = *parse_size(ends[2].str());
    CHECK((takes(fmt::to_string(least)) && takes(fmt::to_string(most))));
    CHECK_FALSE((takes(fmt::to_string(least - 1)) || takes(fmt::to_string(most + 1))));
  }
  CHECK(ranges >= 20);
}

TEST_CASE("a list of devices names each once", "[configuration]") {
  CHECK_THAT(error_of({"device=rxe0,rxe1, rxe0"}), Catch::Contains("rxe0 is in it twice"));
  CHECK(error_of({"device=rxe0,rxe0-1,,rxe1"}).empty());
  CHECK(device_names(" a,,b ,c") == std::vector<std::string>{"a", "b", "c"});
  CHECK(device_names("").empty());
}

TEST_CASE("the keys of one partition are shown alike", "[configuration]") {
  const auto shown = [](const std::string& key) {
    const auto configuration = load_configuration(std::vector{"pkey=" + key});
    for (const Setting& setting : settings())
      if (setting.name == "pkey") return setting.show(configuration);
    return std::string();
  };
  CHECK(shown("0x7fff") == shown("0xffff"));
  CHECK(shown("1") == "0x8001");
  CHECK(shown("0x7fff") != shown("0x7ffe"));
  CHECK(shown("0") == "0x0");
}

TEST_CASE("a table that cannot be read is named, with the place", "[configuration]") {
  const auto message_of = [](const std::string& path) {
    Configuration configuration;
    configuration.table = path;
    try {
      read_rules(configuration);
    } catch (const Error& error) {
      return error.message;
    }
    return std::string();
  };
  std::string path = "/tmp/tutti-table-XXXXXX";
  close(mkstemp(path.data()));
  std::ofstream(path) << "{\"rules\": [\n  {\"collective\" 3}]}\n";
  CHECK(message_of(path).find(path + ": it is not JSON: at line 2") != std::string::npos);
  std::ofstream(path) << R"({"rules": [{"collective": "bcast", "algorithm": "magic"}]})";
  CHECK(message_of(path).find(path + ": rule 1: bcast has no algorithm 'magic'") !=
        std::string::npos);
  std::remove(path.c_str());
  CHECK(message_of(path).find(path) != std::string::npos);
  Configuration forced;
  forced.algorithm = "bcast=chain";
  CHECK(read_rules(forced).rules.forced.size() == 1);
  forced.algorithm = "bcast=chian";
  CHECK_THROWS_WITH(read_rules(forced),
                    Catch::StartsWith("the setting `algorithm`: bcast has no algorithm 'chian'"));
}

TEST_CASE("settings are read from files only, and no other thing is waited for",
          "[configuration]") {
  const tests::SettingsFolder folder;
  const std::string pipe = folder.path + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const auto& [path, why] :
       {std::pair{pipe, "it is a pipe or a device, not a file"},
        std::pair{folder.path, "it is a folder"}, std::pair{std::string("/dev/zero"), "not a file"},
        std::pair{folder.path + "/none", "No such file"}}) {
    setenv("TUTTI_CONFIG", path.c_str(), 1);
    CHECK_THAT(error_of({}), Catch::StartsWith("TUTTI_CONFIG: cannot read " + path + ": ") &&
                                 Catch::Contains(why));
    unsetenv("TUTTI_CONFIG");
    for (const char* setting : {"table", "model"})
      CHECK_THROWS_WITH(
          read_named_file(setting, path),
          Catch::StartsWith(setting + (": cannot read " + path + ": ")) && Catch::Contains(why));
  }
}

TEST_CASE("a variable that names no setting is a warning, with the nearest name",
          "[configuration]") {
  for (const auto& [variable, advice] :
       {std::pair{"TUTTI_ALGORITM", "the nearest is TUTTI_ALGORITHM"},
        std::pair{"TUTTI_TIMEOUT_MS", "the nearest is TUTTI_TIMEOUT"},
        std::pair{"TUTTI_Log", "the nearest is TUTTI_LOG"},
        std::pair{"TUTTI_PARAMS", "the nearest is TUTTI_MODEL"},
        std::pair{"TUTTI_NO_SUCH_THING", "tutti(1) lists all settings"}}) {
    setenv(variable, "1", 1);
    const auto warnings = load_configuration({}).warnings;
    unsetenv(variable);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == fmt::format("the environment variable {} names no setting and is ignored; "
                                     "{}",
                                     variable, advice));
  }
}

TEST_CASE("variables of tests, tools and installations are no settings", "[configuration]") {
  for (const char* variable : {"TUTTI_CACHE", "TUTTI_HOST_ENGINE", "TUTTI_ROOT", "TUTTI_DIR"}) {
    setenv(variable, "/tmp", 1);
    CHECK(load_configuration({}).warnings.empty());
    unsetenv(variable);
  }
}

TEST_CASE("an empty environment variable is as none", "[configuration]") {
  for (const Setting& setting : settings()) {
    const std::string variable = environment_name(setting);
    setenv(variable.c_str(), "", 1);
    const Configuration read = load_configuration({});
    unsetenv(variable.c_str());
    CHECK(setting.show(read) == setting.show(load_configuration({})));
  }
  CHECK_THAT(error_of({"timeout="}), Catch::Contains("the setting `timeout` takes a number"));
}

TEST_CASE("a name that no setting has is an error, with the nearest", "[configuration]") {
  CHECK(error_of({"algoritm=ring"}) ==
        "tutti_options.settings: there is no setting `algoritm`; the nearest is `algorithm`");
  CHECK(error_of({"magic=1"}) ==
        "tutti_options.settings: there is no setting `magic`; tutti(1) lists all settings");
}

TEST_CASE("every setting shows a value that it reads again", "[configuration]") {
  const Configuration defaults = load_configuration({});
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    Configuration again;
    CHECK(setting.read(again, setting.show(defaults)).empty());
    CHECK(setting.show(again) == setting.show(defaults));
    CHECK(setting.documentation.size() > 10);
  }
}
