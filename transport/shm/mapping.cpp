// Maps a part of a file without touching its pages.
#include "transport/shm/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tutti::transport::shm {
namespace {

[[noreturn]] void throw_not_mapped(std::size_t bytes, int error) {
  throw Error(Code::out_of_memory,
              fmt::format("cannot map {} bytes of shared memory: {}{}", bytes, std::strerror(error),
                          error == EAGAIN ? "; this program locks its memory (mlockall), so raise "
                                            "the limit on locked memory (ulimit -l)"
                                          : ""),
              kNoPeer, error);
}

}  // namespace

// A program that called mlockall(MCL_FUTURE) has all pages of a new mapping allocated and locked,
// but of one that nobody may access. The right to access comes when it is not locked any more.
Mapping::Mapping(int file, std::size_t offset, std::size_t bytes) : bytes_(bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) throw_not_mapped(bytes, errno);
  munlock(mapped, bytes);
  madvise(mapped, bytes, MADV_DONTDUMP);  // a core dump would allocate all holes
  if (mprotect(mapped, bytes, PROT_READ | PROT_WRITE) != 0) {
    const int error = errno;
    munmap(mapped, bytes);
    throw_not_mapped(bytes, error);
  }
  begin_ = static_cast<std::byte*>(mapped);
}

Mapping::~Mapping() {
  if (begin_) munmap(begin_, bytes_);
}

}  // namespace tutti::transport::shm
