// Reads and shows the values of settings, format by format.
#include "src/setup/formats.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/bits.hpp"
#include "base/text.hpp"

namespace tutti {
namespace {

// With its unit and, where that may be unclear, examples, which it takes.
std::string_view asks_for(Unit unit) {
  if (unit == Unit::milliseconds) return "a number of milliseconds (such as 1500 for 1.5 s)";
  return unit == Unit::exponent ? "an exponent of two" : "a number";
}

// As parse_size() reads it, with the greatest suffix that loses nothing.
std::string short_size(Bytes bytes) {
  std::string_view suffixes = "kMGT";
  std::string suffix;
  for (; bytes != 0 && bytes % 1024 == 0 && !suffixes.empty(); suffixes.remove_prefix(1)) {
    bytes /= 1024;
    suffix = suffixes.front();
  }
  return fmt::format("{}{}", bytes, suffix);
}

bool within(std::optional<long long> value, long long least, long long most) {
  return value && *value >= least && *value <= most;
}

}  // namespace

std::string Number::type() const {
  const char* const what = unit == Unit::milliseconds ? "milliseconds"
                           : unit == Unit::exponent   ? "exponent"
                                                      : "number";
  return fmt::format("{}, {} to {}", what, least, most);
}

Refusal Number::read(std::string_view text, int& member) const {
  const auto value = parse_number(text);
  if (!within(value, least, most))
    return fmt::format("takes {} from {} to {}", asks_for(unit), least, most);
  member = static_cast<int>(*value);
  return {};
}

std::string Size::type() const {
  return fmt::format("bytes, {} to {}", short_size(least), short_size(most));
}

Refusal Size::read(std::string_view text, Bytes& member) const {
  const auto value = parse_size(text);
  if (!within(value, least, most))
    return fmt::format("takes a size in bytes (such as {}) from {} to {}",
                       most < (1 << 20) ? "4k or 32 KiB" : "64k or 1 MiB", least, most);
  member = *value;
  return {};
}

Refusal Slots::read(std::string_view text, int& member) {
  constexpr Number kRange{1, 64};
  int value = 0;
  if (Refusal refusal = kRange.read(text, value); !refusal.empty()) return refusal;
  if (!is_power_of_two(value)) return "takes a power of two from 1 to 64";
  member = value;
  return {};
}

Refusal PartitionKey::read(std::string_view text, int& member) {
  const bool hexadecimal = text.starts_with("0x");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const all = text.data() + text.size();
  int key = -1;
  const auto [end, error] = std::from_chars(begin, all, key, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != all || key < 0 || key > 0xffff || key == 0x8000)
    return "takes a partition key such as 0x8001, or 0 for the first";
  member = key;
  return {};
}

std::string PartitionKey::show(int member) {
  return fmt::format("{:#x}", member == 0 ? 0 : member | 0x8000);
}

Refusal PacketBytes::read(std::string_view text, int& member) {
  const auto value = parse_number(text);
  if (!value || (*value != 0 && (*value < 256 || *value > 4096 || !is_power_of_two(*value))))
    return "takes 256, 512, 1024, 2048 or 4096 bytes, or 0 for the port's";
  member = static_cast<int>(*value);
  return {};
}

Refusal DeviceList::read(std::string_view text, std::string& member) {
  const auto names = device_names(text);
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      return fmt::format("takes a list that names each device once ({} is in it twice)", *name);
  member = text;
  return {};
}

}  // namespace tutti
