// The kinds of memory at an address, and which of them the kernel reports.
#include "registration/mappings.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace tutti;
using registration::Memory;
using registration::memory_at;

namespace {

// Pages of memory, unmapped at the end.
class SomePages {
 public:
  explicit SomePages(std::size_t pages, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1)
      : bytes_(pages * page_bytes()),
        begin_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags, file, 0)) {
    REQUIRE(begin_ != MAP_FAILED);
  }
  ~SomePages() { munmap(begin_, bytes_); }
  SomePages(const SomePages&) = delete;
  SomePages& operator=(const SomePages&) = delete;
  std::uintptr_t page(std::size_t number) const {
    return reinterpret_cast<std::uintptr_t>(begin_) + number * page_bytes();
  }

 private:
  std::size_t bytes_;
  void* begin_;
};

}  // namespace

TEST_CASE("of private memory the kernel reports all, in whole pages around the range") {
  const SomePages some(4);
  const Memory memory = memory_at(some.page(1) + 5, some.page(2) + 1);
  CHECK(memory.reports_all);
  CHECK_FALSE(memory.huge);
  CHECK(memory.kind.empty());
  CHECK(memory.pages.begin == some.page(1));
  CHECK(memory.pages.end == some.page(3));
  const int here = 0;
  const auto stack = reinterpret_cast<std::uintptr_t>(&here);
  CHECK(memory_at(stack, stack + sizeof here).reports_all);
}

TEST_CASE("a range may lie in several mappings, if there is no hole between them") {
  const SomePages some(5);
  // Pages of other rights are mappings of their own.
  mprotect(reinterpret_cast<void*>(some.page(1)), page_bytes(), PROT_READ);
  CHECK(memory_at(some.page(0), some.page(5)).reports_all);
  munmap(reinterpret_cast<void*>(some.page(3)), page_bytes());
  CHECK(memory_at(some.page(0), some.page(3)).reports_all);
  for (const auto& [first, last] : {std::pair(2, 5), std::pair(3, 4), std::pair(3, 5)}) {
    INFO("pages " << first << " to " << last);
    const Memory holed = memory_at(some.page(static_cast<std::size_t>(first)),
                                   some.page(static_cast<std::size_t>(last)));
    CHECK_FALSE(holed.reports_all);
    CHECK(holed.kind == "is not listed in /proc/self/maps");
  }
}

TEST_CASE("of memory that is shared or has a file the kernel does not report all") {
  const SomePages shared(1, MAP_SHARED | MAP_ANONYMOUS);
  const Memory of_nobody = memory_at(shared.page(0), shared.page(1));
  CHECK_FALSE(of_nobody.reports_all);
  CHECK_THAT(of_nobody.kind, Catch::StartsWith("is shared with others or with a file ("));

  const int file = memfd_create("tutti-mappings", 0);
  REQUIRE(ftruncate(file, static_cast<off_t>(page_bytes())) == 0);
  for (const int flags : {MAP_SHARED, MAP_PRIVATE}) {
    const SomePages named(1, flags, file);
    const Memory memory = memory_at(named.page(0), named.page(1));
    CHECK_FALSE(memory.reports_all);
    CHECK_THAT(memory.kind, Catch::Contains("tutti-mappings"));
  }
  close(file);
}

TEST_CASE("the page where a file's data end and zeros begin does no harm") {
  // A writable part of a loaded file whose data end within a page, and which has pages behind it.
  std::uintptr_t end = 0;
  const auto find = [](dl_phdr_info* object, std::size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const auto& part = object->dlpi_phdr[i];
      const std::uintptr_t data_end = object->dlpi_addr + part.p_vaddr + part.p_filesz,
                           part_end = data_end - part.p_filesz + part.p_memsz;
      const PageRange last = pages_around(data_end - 1, data_end);
      if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0 || part.p_filesz == 0 ||
          part_end < last.end + page_bytes())
        continue;
      *static_cast<std::uintptr_t*>(found) = last.end;
      return 1;
    }
    return 0;
  };
  REQUIRE(dl_iterate_phdr(find, &end) != 0);
  const Memory with_page = memory_at(end - 1, end + 1);
  CHECK(with_page.reports_all);
  CHECK(with_page.pages.begin == end);  // that page is left out
  const Memory page_alone = memory_at(end - 1, end);
  CHECK_FALSE(page_alone.reports_all);
}
