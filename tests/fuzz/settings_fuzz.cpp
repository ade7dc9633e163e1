// Settings: each line of the input as an option, as a variable of the environment, and all of it as
// the configuration file. Settings that are accepted can be shown and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "base/bits.hpp"
#include "src/setup/configuration.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::fuzz;

namespace {

void must_be_sound(const Configuration& configuration) {
  for (const Setting& setting : settings()) {
    Configuration again;
    must(setting.read(again, setting.show(configuration)).empty(), "a shown value is taken");
    must(setting.show(again) == setting.show(configuration), "a setting reads as it is shown");
  }
  for (const int slots : {configuration.line_slots, configuration.small_slots,
                          configuration.eager_slots, configuration.ready_slots})
    must(slots <= 64 && is_power_of_two(slots), "rings have 1, 2, 4, … 64 slots");
  accepts([&] {
    Configuration without_file = configuration;
    without_file.table.clear();  // of any name
    read_rules(without_file);
  });
}

void read(const std::vector<std::string>& options) {
  accepts([&] { must_be_sound(load_configuration(options)); });
}

// In memory. The same file each time.
void read_as_file(std::string_view text) {
  static const int file = memfd_create("settings", 0);
  must(ftruncate(file, 0) == 0 &&
           pwrite(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
       "there is room for a file");
  setenv("TUTTI_CONFIG", fmt::format("/proc/self/fd/{}", file).c_str(), 1);
  read({});
  unsetenv("TUTTI_CONFIG");
}

void read_as_variable(const std::string& line) {
  const auto equals = line.find('=');
  const std::string name = "TUTTI_" + line.substr(0, equals);
  if (equals == line.npos || name == "TUTTI_CONFIG" || line.find('\0') != line.npos) return;
  setenv(name.c_str(), line.c_str() + equals + 1, 1);
  read({});
  unsetenv(name.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = Input(data, size).text();
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  read(lines);
  read_as_file(text);
  for (const std::string& line : lines) read_as_variable(line);
  return 0;
}
