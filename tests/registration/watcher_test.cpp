// The watcher: what the kernel says of memory that is unmapped, moved or given back.
#include "registration/watcher.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <vector>

#include "tests/registration/watched.hpp"

using tutti::PageRange;
using tutti::registration::Watcher;

namespace {

std::byte* map_memory(std::size_t count, int flags = MAP_PRIVATE | MAP_ANONYMOUS, int file = -1) {
  void* const memory = mmap(nullptr, count * kPage, PROT_READ | PROT_WRITE, flags, file, 0);
  REQUIRE(memory != MAP_FAILED);
  return static_cast<std::byte*>(memory);
}

// Remembers what is gone. The watcher's thread must not allocate meanwhile: there is room, made
// before that thread starts.
struct WatcherFixture {
  WatcherFixture() {
    INFO(watcher.why_not());
    REQUIRE(watcher.works());
  }
  // Whether the page at that address was reported.
  bool was_reported(const std::byte* page) {
    const std::lock_guard guard(lock);
    watcher.catch_up();
    const auto address = reinterpret_cast<std::uintptr_t>(page);
    bool found = false;
    for (const PageRange& range : gone) found |= range.begin <= address && address < range.end;
    return found;
  }
  auto watch(const void* memory, std::size_t bytes) {
    return watcher.watch(memory, bytes, why_not);
  }
  std::string why_not;
  std::mutex lock;
  std::vector<PageRange> gone = with_room();
  Watcher watcher{lock, [this](const PageRange& pages) { gone.push_back(pages); }};

 private:
  static std::vector<PageRange> with_room() {
    std::vector<PageRange> ranges;
    ranges.reserve(100);
    return ranges;
  }
};

}  // namespace

TEST_CASE("pages that are unmapped are reported before munmap returns", "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(4);
  REQUIRE(f.watch(memory, 4 * kPage));
  munmap(memory + kPage, kPage);
  CHECK(f.was_reported(memory + kPage));
  CHECK_FALSE(f.was_reported(memory));
  CHECK_FALSE(f.was_reported(memory + 2 * kPage));
  munmap(memory, 4 * kPage);
  CHECK(f.was_reported(memory));
  CHECK(f.was_reported(memory + 3 * kPage));
}

TEST_CASE("pages that are given back or moved are reported", "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(4);
  REQUIRE(f.watch(memory, 4 * kPage));
  madvise(memory, kPage, MADV_DONTNEED);
  CHECK(f.was_reported(memory));
  CHECK_FALSE(f.was_reported(memory + 3 * kPage));
  memory[0] = std::byte{1};  // nobody waits for the watcher

  std::byte* const place = map_memory(1);
  // Not by mremap(): UCX, which an MPI may bring, replaces it by one that loses the last argument.
  REQUIRE(syscall(SYS_mremap, memory + 3 * kPage, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED,
                  place) == reinterpret_cast<long>(place));
  CHECK(f.was_reported(memory + 3 * kPage));
  munmap(place, kPage);
  munmap(memory, 3 * kPage);
}

TEST_CASE("whole pages are watched, whatever part of them is asked for", "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(3);
  REQUIRE(f.watch(memory + kPage - 1, 2));
  munmap(memory + 2 * kPage, kPage);
  CHECK_FALSE(f.was_reported(memory + 2 * kPage));
  munmap(memory, kPage);
  CHECK(f.was_reported(memory));
  munmap(memory + kPage, kPage);
  CHECK(f.was_reported(memory + kPage));
}

TEST_CASE("what is not watched, or was forgotten, is not reported", "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(2);
  std::byte* const other = map_memory(2);
  const auto pages = f.watch(memory, 2 * kPage);
  REQUIRE(pages);
  f.watcher.forget(*pages);
  munmap(memory, 2 * kPage);
  munmap(other, 2 * kPage);
  CHECK_FALSE(f.was_reported(memory));
  CHECK_FALSE(f.was_reported(other));
}

TEST_CASE("the watch ends where parts of the memory were replaced by what cannot be watched",
          "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(16);
  const auto pages = f.watch(memory, 16 * kPage);
  REQUIRE(pages);
  const int file = open("/proc/self/exe", O_RDONLY);
  for (const int page : {3, 9, 10})
    REQUIRE(mmap(memory + page * kPage, kPage, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) ==
            memory + page * kPage);
  munmap(memory + 13 * kPage, kPage);
  f.watcher.forget(*pages);
  CHECK(watched_pages(memory, 16) == 0);
  munmap(memory, 16 * kPage);
  close(file);
}

TEST_CASE("memory that the kernel cannot watch is refused", "[watcher]") {
  WatcherFixture f;
  CHECK_FALSE(f.watch(reinterpret_cast<void*>(kPage), kPage));
  CHECK(f.why_not.find("is not listed") != std::string::npos);
}

TEST_CASE("memory that mremap made longer is not watched after the end", "[watcher]") {
  auto f = std::make_unique<WatcherFixture>();
  std::byte* memory = map_memory(4);
  const auto pages = f->watch(memory, kPage);
  REQUIRE(pages);
  const auto grow_to = [&](std::byte* place, int flags) {
    REQUIRE(syscall(SYS_mremap, memory, kPage, 2 * kPage, flags, place) ==
            reinterpret_cast<long>(place));
  };
  SECTION("in place") {
    munmap(memory + kPage, 3 * kPage);
    grow_to(memory, 0);
  }
  SECTION("moved") {
    std::byte* const place = map_memory(2);
    grow_to(place, MREMAP_MAYMOVE | MREMAP_FIXED);
    CHECK(f->was_reported(memory));
    munmap(memory + kPage, 3 * kPage);
    memory = place;
  }
  f->watcher.forget(*pages);
  CHECK(watched_pages(memory, 2) == 1);

  // It keeps the descriptor, because no fork handler runs, and reads no events.
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    sleep(60);
    _exit(0);
  }
  f.reset();
  CHECK(watched_pages(memory, 2) == 0);
  munmap(memory, 2 * kPage);
  const bool lives = waitpid(child, nullptr, WNOHANG) == 0;
  CHECK(lives);  // munmap() has not waited for its end
  if (!lives) return;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("the end of a watcher leaves the watch of another", "[watcher]") {
  WatcherFixture f;
  std::byte* const memory = map_memory(2);
  REQUIRE(f.watch(memory, 2 * kPage));
  std::byte* const others = map_memory(2);
  {
    WatcherFixture other;
    REQUIRE(other.watch(others, 2 * kPage));
  }
  CHECK(watched_pages(others, 2) == 0);
  CHECK(watched_pages(memory, 2) == 2);
  munmap(others, 2 * kPage);
  munmap(memory, 2 * kPage);
  CHECK(f.was_reported(memory));
}

TEST_CASE("a watcher that gets one descriptor of two does not work, and keeps none", "[watcher]") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int first_free = dup(STDERR_FILENO);
  REQUIRE(first_free >= 0);
  close(first_free);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(first_free) + 1;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &tight) == 0);
  bool works = true;
  std::string why_not;
  alarm(10);  // a watcher that can be told nothing would never end
  {
    std::mutex lock;
    const Watcher watcher(lock, [](const PageRange&) {});
    works = watcher.works();
    why_not = watcher.why_not();
  }
  alarm(0);
  const int free_again = dup(STDERR_FILENO);
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(works);
  CHECK(why_not.find("eventfd failed: ") == 0);
  CHECK(free_again == first_free);
  close(free_again);
}
