// A lock of flock(2) is of the open file, also for others in this process, and for other PID
// namespaces.
#include "transport/named_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace tutti::transport {
namespace {

constexpr const char* kFolder = "/dev/shm";

bool is_ours(const char* name) noexcept {
  for (const std::string_view prefix : {kSegmentName, kBeaconName})
    if (std::string_view(name).starts_with(prefix.substr(1))) return true;
  return false;
}

bool has_name(int file) noexcept {
  struct stat status {};
  return fstat(file, &status) == 0 && status.st_nlink > 0;
}

bool is_own(int file) noexcept {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

// A process that removes leftovers may lock the file first and unlink it: then another is made.
int create_named(const std::string& name) noexcept {
  for (bool again = false;; again = true, sched_yield()) {
    const int file = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST && again) continue;
    if (file < 0) return -1;
    const bool lost = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!lost && has_name(file)) return file;
    close(file);
  }
}

void remove_leftovers() noexcept {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(kFolder), closedir);
  if (!folder) return;
  while (const dirent* const entry = readdir(folder.get())) {
    if (!is_ours(entry->d_name)) continue;
    const int file =
        openat(dirfd(folder.get()), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (is_own(file) && flock(file, LOCK_EX | LOCK_NB) == 0 && has_name(file))
      unlinkat(dirfd(folder.get()), entry->d_name, 0);
    close(file);
  }
}

}  // namespace tutti::transport
