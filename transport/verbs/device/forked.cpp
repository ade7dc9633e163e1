// Closes and unmaps devices in a child, by what is allowed there after a fork of several threads.
#include "transport/verbs/device/forked.hpp"

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tutti::transport::verbs {
namespace {

// A line of /proc/self/maps: begin-end, four other fields, and what is mapped.
void unmap_if_device(const char* line) noexcept {
  if (!std::strstr(line, " /dev/infiniband/uverbs")) return;
  char* next = nullptr;
  const std::uintptr_t begin = std::strtoull(line, &next, 16);
  if (*next != '-') return;
  const std::uintptr_t end = std::strtoull(next + 1, nullptr, 16);
  if (begin < end) munmap(reinterpret_cast<void*>(begin), end - begin);
}

// The kernel goes on behind the last line it has told, whatever was unmapped before.
void unmap_devices() noexcept {
  const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return;
  char text[8192];
  std::size_t have = 0;
  for (ssize_t got; (got = read(maps, text + have, sizeof text - have)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    have += got < 0 ? 0 : static_cast<std::size_t>(got);
    char *line = text, *const known_end = text + have;
    while (char* const end = static_cast<char*>(
               std::memchr(line, '\n', static_cast<std::size_t>(known_end - line)))) {
      *end = '\0';
      unmap_if_device(line);
      line = end + 1;
    }
    have = static_cast<std::size_t>(known_end - line);
    if (have == sizeof text) have = 0;  // longer than any path
    std::memmove(text, line, have);
  }
  close(maps);
}

}  // namespace

void release_in_child(const ibv_context& context) noexcept {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || dup3(nothing, context.cmd_fd, O_CLOEXEC) < 0) close(context.cmd_fd);
  if (nothing >= 0) close(nothing);
  unmap_devices();
}

}  // namespace tutti::transport::verbs
