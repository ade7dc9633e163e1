// Mappings: what kind of memory lies at an address, as the kernel tells in /proc/self/maps.
//
// It matters to the watcher. The kernel reports when private anonymous memory (heap, stack, malloc)
// loses its pages, save to a guard region (MADV_GUARD_INSTALL, Linux 6.13). Pages with a file
// behind them (memfd, /dev/shm, System V segments, files) may go without a word: any process that
// has the file open can truncate it or punch a hole in it.
//
// One page with a file behind it does no harm: that in which the initialised data of a program or a
// library (.data) end and the zeroed data (.bss), such as large static arrays, begin. Truncating
// that file takes the code of the program away, too; and unmapping the page takes the pages behind
// it as well, which the kernel does report.
#pragma once

#include <string>

#include "base/pages.hpp"

namespace tutti::registration {

struct Memory {
  bool reports_all = false;  // the kernel reports each change of its pages
  bool huge = false;         // some of its pages are huge
  // The pages of the range, whole mappings where they are huge; without the last page of .data.
  PageRange pages;
  // The predicate of a sentence that says why it does not report all; empty if it does.
  std::string kind;
};

// The memory in the range, which is not empty.
Memory memory_at(std::uintptr_t begin, std::uintptr_t end);

}  // namespace tutti::registration
