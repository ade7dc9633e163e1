// A hash that has the same value on every rank, whatever its machine, compiler and standard
// library; std::hash promises none of this. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti {

// FNV-1a over 64-bit words, with a final mix. Words rather than memory go in, so neither padding
// nor byte order matters.
class Hash {
 public:
  constexpr Hash& add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x100000001b3 + (state_ >> 29);
    return *this;
  }
  // The length goes in too: "ab", "c" differs from "a", "bc".
  constexpr Hash& add(std::string_view text) noexcept {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
    return *this;
  }
  constexpr std::uint64_t value() const noexcept {
    const std::uint64_t mixed = (state_ ^ (state_ >> 33)) * 0xff51afd7ed558ccd;
    return mixed ^ (mixed >> 33);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace tutti
