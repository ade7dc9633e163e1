// Helpers of the fuzz targets. A target is a function LLVMFuzzerTestOneInput, which libFuzzer calls
// with inputs of its own making; a finding of a sanitizer or of must() ends the process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/error.hpp"

namespace tutti::fuzz {

// An input, read from its front. Bytes beyond its end read as zeros.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(rest_.data()), rest_.size()};
  }
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    take(&value, sizeof value);
    return value;
  }
  void take(void* into, std::size_t bytes) {
    const std::size_t there = std::min(bytes, rest_.size());
    if (there != 0) std::memcpy(into, rest_.data(), there);
    rest_ = rest_.subspan(there);
  }
  // A number below `n`, of one byte.
  std::size_t below(std::size_t n) { return take<std::uint8_t>() % n; }

 private:
  std::span<const std::uint8_t> rest_;
};

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "must hold: %s\n", what);
  std::abort();
}

// Whether a reader of what users write accepts it; what it refuses, it refuses with a message.
template <class Read>
bool accepts(Read&& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    must(error.code == Code::bad_configuration || error.code == Code::unknown_algorithm,
         "what is refused is a matter of configuration");
    must(error.message.size() > 5 && error.message.size() < 4000, "the message can be read");
    return false;
  }
}

}  // namespace tutti::fuzz
