// A number that means nothing, whatever codes are added.
#pragma once

#include "base/error.hpp"

namespace tutti::tests {

// The first one after the codes that mean something.
inline int no_code() {
  int number = 0;
  while (text_of(static_cast<Code>(number))) ++number;
  return number;
}

}  // namespace tutti::tests
