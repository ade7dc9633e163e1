// The registration cache where the world is unusual: forked children, kernels that tell less,
// memory that is shared, huge, or not to be watched at all.
#include <fcntl.h>
#include <link.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include "tests/registration/cache_fixture.hpp"
#include "tests/registration/forbid.hpp"

using namespace cache_fixture;

namespace {

// A child that lives until the parent says the word, and at most for a minute.
class Child {
 public:
  explicit Child(bool by_system_call) {
    REQUIRE(pipe(pipe_) == 0);
    id_ = by_system_call ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) : fork();
    if (id_ != 0) return;
    alarm(60);
    char word;
    _exit(read(pipe_[0], &word, 1) == 1 ? 0 : 1);
  }
  // Whether it was still there.
  bool end() {
    int status = 0;
    const bool told = write(pipe_[1], "", 1) == 1;
    waitpid(id_, &status, 0);
    for (const int end : pipe_) close(end);
    return told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  int pipe_[2];
  pid_t id_;
};

}  // namespace

TEST_CASE("a child that was forked and goes on does not hold the parent up", "[registration]") {
  auto f = std::make_unique<Fixture>();
  std::byte* memory = map_pages(8);
  f->hit(memory, 6 * kPage);
  f->hit(memory + 2 * kPage, 6 * kPage);
  Child child(GENERATE(false, true));
  munmap(memory + 3 * kPage, kPage);
  f.reset();
  munmap(memory, 8 * kPage);  // would wait for a reader, if memory were still watched
  CHECK(child.end());
}

TEST_CASE("memory that nobody touched before, where the kernel tells of missing pages only",
          "[registration]") {
  CacheOptions options;
  options.write_protect = GENERATE(true, false);
  Fixture f(options);
  INFO(f.warnings);
  REQUIRE(f.cache.caches());
  f.registrar.touches = true;
  const auto map_untouched = [](void* at) {
    return static_cast<std::byte*>(mmap(at, 8 * kPage, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0));
  };
  std::byte* memory = map_untouched(nullptr);
  CHECK_FALSE(f.hit(memory, 8 * kPage));
  f.hit(memory, 8 * kPage);  // may be a hit, or become one now that the pages are there
  CHECK(f.hit(memory, 8 * kPage));
  REQUIRE(munmap(memory + 7 * kPage, kPage) == 0);
  REQUIRE(munmap(memory, 7 * kPage) == 0);
  REQUIRE(map_untouched(memory) == memory);
  CHECK_FALSE(f.hit(memory, 8 * kPage));
  munmap(memory, 8 * kPage);
}

TEST_CASE("memory of which pages can go without a word is never kept", "[registration]") {
  Fixture f;
  const auto bytes = static_cast<off_t>(8 * kPage);
  const int file = memfd_create("tutti-test", MFD_CLOEXEC);
  REQUIRE(ftruncate(file, bytes) == 0);
  const auto map_file = [&](int flags) {
    void* memory = mmap(nullptr, 8 * kPage, PROT_READ | PROT_WRITE, flags, file, 0);
    REQUIRE(memory != MAP_FAILED);
    std::memset(memory, 1, 8 * kPage);
    return static_cast<std::byte*>(memory);
  };
  std::byte* memory = nullptr;
  SECTION("cut off and grown again") {
    memory = map_file(GENERATE(MAP_SHARED, MAP_PRIVATE));
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE((ftruncate(file, 0) == 0 && ftruncate(file, bytes) == 0));
  }
  SECTION("a hole in the file") {
    memory = map_file(MAP_SHARED);
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, bytes) == 0);
  }
  SECTION("given back through another mapping") {
    memory = map_file(MAP_SHARED);
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    std::byte* other = map_file(MAP_SHARED);
    REQUIRE(madvise(other, 8 * kPage, MADV_REMOVE) == 0);
    munmap(other, 8 * kPage);
  }
  SECTION("a SysV segment, given back through another mapping") {
    const int id = shmget(IPC_PRIVATE, 8 * kPage, IPC_CREAT | 0600);
    memory = static_cast<std::byte*>(shmat(id, nullptr, 0));
    void* other = shmat(id, nullptr, 0);
    shmctl(id, IPC_RMID, nullptr);
    memory[0] = std::byte{1};
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE(madvise(other, 8 * kPage, MADV_REMOVE) == 0);
    shmdt(other);
  }
  SECTION("a part of the buffer only") {
    memory = map_pages(16);
    REQUIRE(mmap(memory + 4 * kPage, 8 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 file, 0) == memory + 4 * kPage);
    CHECK_FALSE(f.hit(memory, 8 * kPage));
    REQUIRE((ftruncate(file, 0) == 0 && ftruncate(file, bytes) == 0));
  }
  memory[0] = std::byte{1};
  CHECK_FALSE(f.hit(memory, 8 * kPage));
  CHECK(f.cache.statistics().regions == 0);
  CHECK(f.warnings.find("is shared with others or with a file") != std::string::npos);
  CHECK(f.warnings.find('\n') == f.warnings.size() - 1);  // one warning, however often
  munmap(memory, 8 * kPage);
  close(file);
}

// Large static arrays begin wherever the initialised data end.
TEST_CASE("an array that begins in the last page of .data stays registered", "[registration]") {
  static std::byte zeros[16 * kPage];  // .bss has at least these bytes
  static std::byte data[2 * kPage] = {std::byte{1}};
  std::memset(zeros, 2, sizeof zeros);
  data[1] = zeros[1];
  CHECK(data[1] == zeros[2]);
  struct Data {
    std::uintptr_t begin = 0, end = 0;  // of what the file of this program gives
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* result) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& part = program->dlpi_phdr[i];
          const std::uintptr_t begin = program->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && part.p_memsz >= part.p_filesz + sizeof zeros)
            *static_cast<Data*>(result) = {begin, begin + part.p_filesz};
        }
        return 1;  // the first one is the program itself
      },
      &found);
  REQUIRE(found.end != 0);
  REQUIRE(found.end % kPage != 0);
  Fixture f;
  auto* const array = reinterpret_cast<std::byte*>(found.end);
  CHECK_FALSE(f.hit(array, 8 * kPage));
  CHECK(f.hit(array, 8 * kPage));
  CHECK(f.warnings.empty());
  // Pages behind are watched.
  const auto at = tutti::pages_around(found.end, found.end + 1).end;
  CHECK(watched_pages(reinterpret_cast<void*>(at), 7) == 7);
  // A buffer that begins earlier has more pages with a file behind them.
  CHECK_FALSE(f.hit(array - kPage, 8 * kPage));
  CHECK_FALSE(f.hit(array - kPage, 8 * kPage));
  CHECK_FALSE(f.warnings.empty());
}

TEST_CASE("memory that cannot be registered does not use up the warning", "[registration]") {
  Fixture f;
  std::byte* memory = map_pages(8);
  munmap(memory + 4 * kPage, 4 * kPage);
  CHECK_THROWS_AS(f.cache.acquire(memory, 8 * kPage, true), tutti::Error);
  CHECK(f.warnings.empty());
  REQUIRE(mmap(memory, 4 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
               -1, 0) == memory);
  CHECK_FALSE(f.hit(memory, 4 * kPage));
  CHECK(f.warnings.find("is shared with others") != std::string::npos);
  munmap(memory, 4 * kPage);
}

TEST_CASE("huge pages are kept, and watched", "[registration][not-in-guest]") {
  Fixture f;
  constexpr std::size_t kHuge = 2 << 20;
  // Nobody touches them, so none has to be there.
  const auto map_huge = [](void* at) {
    void* memory = mmap(
        at, 2 * kHuge, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
    REQUIRE(memory != MAP_FAILED);
    return static_cast<std::byte*>(memory);
  };
  std::byte* const memory = map_huge(nullptr);
  CHECK_FALSE(f.hit(memory + 100, 3 * kPage));
  CHECK(f.hit(memory + 100, 3 * kPage));
  CHECK_FALSE(f.hit(memory + kHuge - 100, 200));
  SECTION("unmapped") {
    REQUIRE(munmap(memory, 2 * kHuge) == 0);
    map_huge(memory);
  }
  SECTION("mapped over") { map_huge(memory); }
  SECTION("given back") { REQUIRE(madvise(memory, kHuge, MADV_DONTNEED) == 0); }
  CHECK_FALSE(f.hit(memory + 100, 3 * kPage));
  CHECK_FALSE(f.hit(memory + kHuge - 100, 200));
  CHECK(f.hit(memory + 100, 3 * kPage));
  munmap(memory, 2 * kHuge);
}

TEST_CASE("where userfaultfd is forbidden nothing is kept, and a warning says what to do",
          "[registration][not-in-guest]") {
  // The filter of a container, on one thread and those that it starts.
  std::thread contained([] {
    REQUIRE(forbid_userfaultfd());
    Fixture f;
    CHECK_FALSE(f.cache.caches());
    std::byte* memory = map_pages(4);
    CHECK_FALSE(f.hit(memory, kPage));
    CHECK_FALSE(f.hit(memory, kPage));
    CHECK(f.registrar.live() == 0);
    CHECK(f.warnings.find("seccomp profile") != std::string::npos);
    CHECK(f.warnings.find('\n') == f.warnings.size() - 1);
    munmap(memory, 4 * kPage);
  });
  contained.join();
}
