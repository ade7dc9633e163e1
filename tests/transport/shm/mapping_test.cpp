// Mapping a part of a sparse file without allocating it.
#include "transport/shm/mapping.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/pages.hpp"

using namespace tutti;
using transport::shm::Mapping;

namespace {

// A file of holes, without a name.
class Holes {
 public:
  explicit Holes(std::size_t bytes) : file_(memfd_create("tutti-holes", 0)) {
    REQUIRE(ftruncate(file_, static_cast<off_t>(bytes)) == 0);
  }
  ~Holes() { close(file_); }
  Holes(const Holes&) = delete;
  Holes& operator=(const Holes&) = delete;
  int file() const { return file_; }
  std::size_t allocated() const {
    struct stat facts {};
    fstat(file_, &facts);
    return static_cast<std::size_t>(facts.st_blocks) * 512;
  }

 private:
  int file_;
};

}  // namespace

TEST_CASE("a mapping allocates nothing until it is touched", "[shm]") {
  const std::size_t bytes = 1024 * page_bytes();
  const Holes holes(bytes);
  const Mapping mapping(holes.file(), 0, bytes);
  CHECK(holes.allocated() == 0);
  mapping.begin()[5 * page_bytes()] = std::byte{1};
  CHECK(holes.allocated() > 0);
  CHECK(holes.allocated() < bytes / 2);
}

TEST_CASE("mappings of one file show each other's bytes, from their offsets on", "[shm]") {
  const Holes holes(4 * page_bytes());
  const Mapping all(holes.file(), 0, 4 * page_bytes()),
      end(holes.file(), 3 * page_bytes(), page_bytes());
  end.begin()[9] = std::byte{42};
  CHECK(all.begin()[3 * page_bytes() + 9] == std::byte{42});
}

TEST_CASE("a mapping that has moved is unmapped once, by the new one", "[shm]") {
  CHECK(Mapping().begin() == nullptr);
  const Holes holes(page_bytes());
  Mapping first(holes.file(), 0, page_bytes());
  std::byte* const where = first.begin();
  {
    Mapping second(std::move(first));
    CHECK(second.begin() == where);
    Mapping third;
    third = std::move(second);
    CHECK(third.begin() == where);
    *where = std::byte{1};
  }
  // Nothing is mapped there any more.
  CHECK(msync(where, page_bytes(), MS_ASYNC) != 0);
}

TEST_CASE("what cannot be mapped is an error that says how much it is", "[shm]") {
  for (const auto& [file, offset] :
       {std::pair(-1, std::size_t{0}), std::pair(STDIN_FILENO, std::size_t{1})}) {
    try {
      const Mapping mapping(file, offset, 12345);
      FAIL("it is mapped");
    } catch (const Error& error) {
      CHECK(error.code == Code::out_of_memory);
      CHECK(error.system_errno != 0);
      CHECK_THAT(error.message, Catch::Contains("12345 bytes"));
    }
  }
}
