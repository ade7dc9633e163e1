// Reads the lines of /proc/PID/status.
#include "transport/shm/process_status.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace tutti::transport::shm {
namespace {

struct Status {
  explicit Status(pid_t process) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d/status", process);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    bytes = read(file, buffer, sizeof buffer);
    close(file);
  }
  std::string_view text() const noexcept {
    return {buffer, bytes > 0 ? static_cast<std::size_t>(bytes) : 0};
  }
  char buffer[4096];
  ssize_t bytes = 0;
};

}  // namespace

bool dumps_core(pid_t process) noexcept { return says_dumping(Status(process).text()); }

// The first line is the program's name, which has no line ends.
bool says_dumping(std::string_view status) noexcept {
  return status.find("\nCoreDumping:\t1\n") != std::string_view::npos;
}

char state_of(pid_t process) noexcept { return state_in(Status(process).text()); }

char state_in(std::string_view status) noexcept {
  constexpr std::string_view kName = "\nState:\t";
  const auto place = status.find(kName);
  return place == std::string_view::npos || place + kName.size() >= status.size()
             ? '\0'
             : status[place + kName.size()];
}

}  // namespace tutti::transport::shm
