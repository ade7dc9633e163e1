// Formats of settings: which values a setting takes, how one is read into its member, and how the
// member is shown. A format has
//   type()               what people read of it, such as "auto|shm|verbs"
//   read(text, member)   an empty string, or why the text is no such value ("takes …"); the member
//                        is left alone then
//   show(member)         text that read() takes
// Formats are values that a template can have as an argument, so a setting is one line of the table
// (settings_table.cpp).
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "src/setup/configuration.hpp"

namespace tutti {

// Why a text is not taken; empty: it is.
using Refusal = std::string;

template <class T>
struct Word {
  std::string_view word;
  T value;
  bool alias = false;  // taken, but neither shown nor in the type
};

// One of a list of words. `kWords`: an array of Word.
template <const auto& kWords>
struct Words {
  static std::string type() { return list("|"); }
  template <class T>
  static Refusal read(std::string_view text, T& member) {
    for (const auto& word : kWords) {
      if (word.word != text) continue;
      member = word.value;
      return {};
    }
    return "takes one of " + list(", ");
  }
  template <class T>
  static std::string show(const T& member) {
    for (const auto& word : kWords)
      if (word.value == member) return std::string(word.word);
    return "?";
  }

 private:
  static std::string list(std::string_view between) {
    std::string text;
    for (const auto& word : kWords) {
      if (word.alias) continue;
      if (!text.empty()) text += between;
      text += word.word;
    }
    return text;
  }
};

// Any text. Its type is said in the table.
struct Text {
  static Refusal read(std::string_view text, std::string& member) {
    member = text;
    return {};
  }
  static std::string show(const std::string& member) { return member; }
};

enum class Unit { number, exponent, milliseconds };

// A whole number, both ends included.
struct Number {
  int least, most;
  Unit unit = Unit::number;
  std::string type() const;
  Refusal read(std::string_view text, int& member) const;
  static std::string show(int member) { return fmt::to_string(member); }
};

// A number of bytes, both ends included, with suffixes (parse_size()).
struct Size {
  Bytes least, most;
  std::string type() const;
  Refusal read(std::string_view text, Bytes& member) const;
  static std::string show(Bytes member) { return fmt::to_string(member); }
};

// How many slots a ring has: a power of two.
struct Slots {
  static std::string type() { return "power of two, 1 to 64"; }
  static Refusal read(std::string_view text, int& member);
  static std::string show(int member) { return fmt::to_string(member); }
};

// The key of an InfiniBand partition, or 0.
struct PartitionKey {
  static std::string type() { return "0x0001 to 0xffff, or 0"; }
  static Refusal read(std::string_view text, int& member);
  // With the bit of full members, whether it was given or not: ranks that differ in this alone
  // agree.
  static std::string show(int member);
};

// A maximum transmission unit of InfiniBand, in bytes, or 0.
struct PacketBytes {
  static std::string type() { return "0, 256, 512, 1024, 2048, 4096"; }
  static Refusal read(std::string_view text, int& member);
  static std::string show(int member) { return fmt::to_string(member); }
};

// Names of devices with commas between, each once.
struct DeviceList {
  static std::string type() { return "name,…"; }
  static Refusal read(std::string_view text, std::string& member);
  static std::string show(const std::string& member) { return member; }
};

// A row of the table.
template <auto kMember, auto kFormat>
Setting setting(std::string_view name, std::string type, std::string_view documentation) {
  return {.name = name,
          .type = std::move(type),
          .documentation = documentation,
          .read = [](Configuration& c, std::string_view text) -> Refusal {
            return kFormat.read(text, c.*kMember);
          },
          .show = [](const Configuration& c) -> std::string { return kFormat.show(c.*kMember); }};
}
template <auto kMember, auto kFormat>
Setting setting(std::string_view name, std::string_view documentation) {
  return setting<kMember, kFormat>(name, kFormat.type(), documentation);
}

}  // namespace tutti
