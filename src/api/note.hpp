// The mark of a file that holds Tutti, which stripping leaves in place: an ELF note (elf(5))
// without content, whose name says enough. A program has it if it is linked to a static Tutti.
#pragma once

#include <array>
#include <cstdint>

namespace tutti {

struct Note {
  std::uint32_t name_size = 6, content_size = 0, type = 1;
  std::array<char, 8> name{"Tutti"};  // filled up to a multiple of four bytes
};

}  // namespace tutti
