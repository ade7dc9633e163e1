// Reading /proc/self/maps: "begin-end rwxp offset device inode name", by address.
#include "registration/mappings.hpp"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace tutti::registration {

namespace {

// Whether the data that a file of the program gives end in the page, and go on with zeros.
bool ends_data(std::uintptr_t page) {
  const auto looks = [](dl_phdr_info* object, std::size_t, void* wanted) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      const std::uintptr_t end = object->dlpi_addr + part.p_vaddr + part.p_filesz;
      if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0 && part.p_memsz > part.p_filesz &&
          part.p_filesz > 0 &&
          pages_around(end - 1, end).begin == *static_cast<std::uintptr_t*>(wanted))
        return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(looks, &page) != 0;
}

}  // namespace

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
    if (sharing == 'p' && inode != 0 && here.end == wanted.begin + page_bytes() &&
        here.end < wanted.end && ends_data(wanted.begin)) {
      memory.pages.begin = seen = here.end;
      continue;
    }
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
