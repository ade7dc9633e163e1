// Which memory of this process is watched, as the kernel tells in /proc/self/smaps.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

inline constexpr std::size_t kPage = 4096;

// How many of these pages a userfaultfd watches, for missing pages (um) or for writes (uw).
inline std::size_t watched_pages(const void* address, std::size_t count) {
  const auto first = reinterpret_cast<std::uintptr_t>(address), last = first + count * kPage;
  std::uintptr_t begin = 0, end = 0, b = 0, e = 0;
  std::size_t watched = 0;
  std::ifstream mappings("/proc/self/smaps");
  for (std::string line; std::getline(mappings, line);) {
    if (!line.starts_with("VmFlags:")) {
      if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &b, &e) == 2) {
        begin = b;
        end = e;
      }
    } else if (line.find(" um") != std::string::npos || line.find(" uw") != std::string::npos) {
      const std::uintptr_t from = std::max(begin, first), to = std::min(end, last);
      if (from < to) watched += (to - from) / kPage;
    }
  }
  return watched;
}
