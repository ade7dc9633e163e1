// Registers memory, and says what is missing when that fails.
#include "transport/verbs/device/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/pages.hpp"

namespace tutti::transport::verbs {

void FreePages::operator()(std::byte* memory) const noexcept { munmap(memory, bytes); }

Pages own_pages(std::size_t bytes, const char* what) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(Code::out_of_memory, fmt::format("no memory for the {} bytes of {}", bytes, what),
                kNoPeer, errno);
  return {static_cast<std::byte*>(memory), FreePages{bytes}};
}

namespace {

// Asks the kernel for nothing else: to write back what is not dirty.
bool all_mapped(const void* address, std::size_t length) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const PageRange pages = pages_around(begin, begin + length);
  return msync(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, MS_ASYNC) == 0 ||
         errno != ENOMEM;
}

}  // namespace

MemoryRegion register_memory(const Device& device, void* address, std::size_t length, int access) {
  MemoryRegion region(ibv_reg_mr(device.pd(), address, length, access));
  if (region) return region;
  const int error = errno;
  // For pages that are not there the device says EFAULT; but where libibverbs marks them first,
  // the kernel says ENOMEM.
  if (error == EFAULT || error == EINVAL || (error == ENOMEM && !all_mapped(address, length)))
    throw Error(
        Code::bad_buffer,
        fmt::format(
            "the {} bytes at {} cannot be registered: not all of them are mapped, or not writable",
            length, fmt::ptr(address)),
        kNoPeer, error);
  errno = error;
  throw_no_memory("registering memory", length);
}

void throw_no_memory(const char* what, std::size_t bytes) {
  const int error = errno;
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool limited = limit.rlim_cur != RLIM_INFINITY;
  const auto now = limited ? fmt::format("{} bytes", limit.rlim_cur) : std::string("unlimited");
  if (limited && (error == ENOMEM || error == EAGAIN || error == EPERM))
    throw Error(Code::locked_memory,
                fmt::format("{} failed: RLIMIT_MEMLOCK is {}, and {} more bytes are needed; raise "
                            "it (ulimit -l unlimited, or /etc/security/limits.conf)",
                            what, now, bytes != 0 ? std::to_string(bytes) : "some"),
                kNoPeer, error);
  throw Error(error == ENOMEM ? Code::out_of_memory : Code::transport_failed,
              fmt::format("{} failed: {} (for {} bytes; RLIMIT_MEMLOCK is {})", what,
                          std::strerror(error), bytes, now),
              kNoPeer, error);
}

namespace {

// Lets a forked child have the memory again that libibverbs has just marked MADV_DONTFORK. It marks
// whatever is registered once anybody, as an MPI does, has called ibv_fork_init(), even where the
// kernel needs no marks; a child whose stack was in use as a buffer would not live to call exec.
void share_with_children(void* address, std::size_t length) noexcept {
  static const bool needs_no_marks = ibv_is_fork_initialized() == IBV_FORK_UNNEEDED;
  if (!needs_no_marks) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const PageRange pages = pages_around(begin, begin + length);
  // The kernel takes huge pages whole only, and libibverbs has marked whole ones.
  constexpr std::uintptr_t kLargestPage = std::uintptr_t{1} << 30;
  for (std::uintptr_t page = page_bytes(); page <= kLargestPage; page *= 2) {
    const std::uintptr_t first = pages.begin / page * page, end = round_up(pages.end, page);
    if (madvise(reinterpret_cast<void*>(first), end - first, MADV_DOFORK) == 0 || errno != EINVAL)
      return;
  }
}

MemoryRegion register_user_memory(const Device& device, void* address, std::size_t length,
                                  bool writable) {
  if (writable)
    return register_memory(
        device, address, length,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING);
  // A source is pinned as if Tutti wrote to it. Pinned for reading only, untouched memory would be
  // the kernel's common page of zeros, and what the program writes later would go to another page.
  // Memory that may not be written (constants) is pinned for reading. mprotect() may let it change
  // later: the kernel's umem code makes private pages the process's own before it pins them, so the
  // change happens to the pinned ones.
  try {
    return register_memory(device, address, length, IBV_ACCESS_LOCAL_WRITE);
  } catch (const Error& error) {
    if (error.code != Code::bad_buffer) throw;
    return register_memory(device, address, length, 0);
  }
}

}  // namespace

Registration DeviceRegistrar::add(void* address, std::size_t length, bool writable) {
  auto regions = std::make_unique<Regions>();
  Registration registration;
  for (std::size_t rail = 0; rail < devices_.size(); ++rail) {
    MemoryRegion& region = (*regions)[rail];
    region = register_user_memory(*devices_[rail], address, length, writable);
    registration.local_keys[rail] = region->lkey;
    registration.remote_keys[rail] = region->rkey;
  }
  share_with_children(address, length);
  registration.handle = regions.release();
  return registration;
}

void DeviceRegistrar::remove(const Registration& registration) noexcept {
  delete static_cast<Regions*>(registration.handle);
}

}  // namespace tutti::transport::verbs
