// Reading /proc/self/maps: "begin-end rwxp offset device inode name", by address.
#include "registration/mappings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace tutti::registration {

Memory memory_at(std::uintptr_t begin, std::uintptr_t end) {
  Memory memory{false, false, pages_around(begin, end), {}};
  const PageRange wanted = memory.pages;
  std::uintptr_t seen = wanted.begin;  // everything before is fine
  std::ifstream maps("/proc/self/maps");
  for (std::string line; seen < wanted.end && std::getline(maps, line);) {
    PageRange here{};
    char sharing = 0;
    unsigned long inode = 0;
    int name = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %*3c%c %*x %*s %lu %n", &here.begin,
                    &here.end, &sharing, &inode, &name) < 4)
      break;
    if (!overlap(here, wanted)) continue;
    if (here.begin > seen) break;
    const std::string_view file = std::string_view(line).substr(static_cast<std::size_t>(name));
    const bool huge = file.starts_with("/anon_hugepage");
    if (sharing != 'p' || (inode != 0 && !huge)) {
      memory.kind = fmt::format("is shared with others or with a file ({})", file);
      return memory;
    }
    if (huge) {
      memory.huge = true;
      memory.pages.begin = std::min(memory.pages.begin, here.begin);
      memory.pages.end = std::max(memory.pages.end, here.end);
    }
    seen = here.end;
  }
  memory.reports_all = seen >= wanted.end;
  if (!memory.reports_all) memory.kind = "is not listed in /proc/self/maps";
  return memory;
}

}  // namespace tutti::registration
