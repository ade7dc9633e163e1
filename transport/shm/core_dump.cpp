// A line of /proc/PID/status.
#include "transport/shm/core_dump.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace tutti::transport::shm {

bool dumps_core(pid_t process) noexcept {
  char path[32], text[4096];
  std::snprintf(path, sizeof path, "/proc/%d/status", process);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t bytes = read(file, text, sizeof text);
  close(file);
  return bytes > 0 && says_dumping({text, static_cast<std::size_t>(bytes)});
}

// The first line is the program's name, which has no line ends.
bool says_dumping(std::string_view status) noexcept {
  return status.find("\nCoreDumping:\t1\n") != std::string_view::npos;
}

}  // namespace tutti::transport::shm
