// A number that nobody can guess: tokens, keys and names that others must not meet by chance.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace tutti {

// Throws Error{system}.
inline std::uint64_t random_number() {
  std::uint64_t number = 0;
  for (;;) {
    if (getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number)) return number;
    if (errno == EINTR) continue;
    throw Error(Code::system, std::string("getrandom failed: ") + std::strerror(errno), kNoPeer,
                errno);
  }
}

}  // namespace tutti
