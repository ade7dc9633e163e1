// Mappings: what kind of memory lies at an address, as the kernel tells in /proc/self/maps.
//
// It matters to the watcher. The kernel reports when private anonymous memory (heap, stack, malloc)
// loses its pages, save to a guard region (MADV_GUARD_INSTALL, Linux 6.13). Of memory with a file
// behind it (memfd, /dev/shm, System V segments, files) pages may go without a word: a file can be
// cut off or get a hole by any process that has it open.
//
// One page with a file behind it does no harm: that in which the initialised data of a program or a
// library end (.data), and what is zero at first begins (.bss), such as large static arrays. Who
// cuts that file off takes the code of the program away, too; and who unmaps the page, the pages
// behind it as well, which the kernel does report.
#pragma once

#include <string>

#include "base/pages.hpp"

namespace tutti::registration {

struct Memory {
  bool reports_all = false;  // the kernel reports each change of its pages
  bool huge = false;         // some of its pages are huge
  // Those that hold the range, whole mappings where they are huge; without the last page of .data.
  PageRange pages;
  // What it is, as part of a sentence, if it does not report all.
  std::string kind;
};

// What lies in the range, which is not empty.
Memory memory_at(std::uintptr_t begin, std::uintptr_t end);

}  // namespace tutti::registration
