// Opens memory without a name through /proc, by its owner's process and descriptor.
#include "transport/shm/anonymous.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tutti::transport::shm {
namespace {

// Kernels from 6.3 on write a line to their log if nobody says whether it may be executed; those
// before do not know the word.
int create() noexcept {
  constexpr unsigned kNoExecution = 8;  // MFD_NOEXEC_SEAL
  const int file = memfd_create("tutti", MFD_CLOEXEC | kNoExecution);
  return file < 0 && errno == EINVAL ? memfd_create("tutti", MFD_CLOEXEC) : file;
}

bool is(const struct stat& status, const AnonymousMemory& memory) noexcept {
  return status.st_dev == memory.device && status.st_ino == memory.inode;
}

}  // namespace

std::uint64_t pid_namespace() noexcept {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

int make_anonymous(std::size_t bytes, AnonymousMemory& memory) noexcept {
  const int file = create();
  if (file < 0) return -1;
  struct stat status {};
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0 || fchmod(file, 0600) != 0 ||
      fstat(file, &status) != 0) {
    close(file);
    return -1;
  }
  memory = {getpid(), file, pid_namespace(), status.st_dev, status.st_ino};
  return file;
}

int open_anonymous(const AnonymousMemory& memory) noexcept {
  if (memory.pid_namespace == 0 || memory.pid_namespace != pid_namespace()) return -1;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", memory.pid, memory.file);
  struct stat status {};
  if (stat(path, &status) != 0 || !is(status, memory)) return -1;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file >= 0 && fstat(file, &status) == 0 && is(status, memory)) return file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace tutti::transport::shm
