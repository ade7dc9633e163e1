// Opens userfaultfd, watches ranges, and reads the kernel's events.
#include "registration/watcher.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "registration/mappings.hpp"

namespace tutti::registration {
namespace {

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

constexpr std::uint64_t kEvents =
    UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE;

uffdio_range range_of(const PageRange& pages) { return {pages.begin, pages.end - pages.begin}; }

// Before 4.18 nobody can tell whether an event is on its way: see catch_up().
bool kernel_is_too_old() {
  utsname name{};
  int major = 0, minor = 0;
  return uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
         (major < 4 || (major == 4 && minor < 18));
}

// A descriptor with our events and the features `more`; -1, with errno, if the kernel refuses.
// `unprivileged`: of the kind that needs no privilege, and where faults within the kernel (a system
// call that writes to a buffer) are not ours to serve.
int open_with(std::uint64_t more, bool unprivileged) {
  const int flags = O_CLOEXEC | O_NONBLOCK | (unprivileged ? UFFD_USER_MODE_ONLY : 0);
  const int fd = static_cast<int>(syscall(SYS_userfaultfd, flags));
  if (fd < 0) return -1;
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kEvents | more;
  if (ioctl(fd, UFFDIO_API, &api) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// Whether any userfaultfd, not only this one, watches the page. The kernel refuses to fill a page
// that is not watched (ENOENT); one that is watched it would fill, but cannot read the source.
bool is_watched(int descriptor, std::uintptr_t page, const void* unreadable) {
  uffdio_copy request{};
  request.dst = page;
  request.src = reinterpret_cast<std::uintptr_t>(unreadable);
  request.len = page_bytes();
  return ioctl(descriptor, UFFDIO_COPY, &request) != 0 && errno != ENOENT;
}

}  // namespace

Watcher::Watcher(std::mutex& lock, OnChange on_change, bool write_protect)
    : lock_(lock), on_change_(std::move(on_change)) {
  open(write_protect);
  if (descriptor_ < 0) return;
  try {
    stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (const int error = errno; stop_fd_ < 0)
      throw Error(Code::system, std::string("eventfd failed: ") + std::strerror(error), kNoPeer,
                  error);
    fork_handler_.emplace(close_in_child, this);
    thread_ = HelperThread("tutti-watcher", [this] { serve(); });
  } catch (const Error& error) {
    close_descriptors();
    why_not_ = error.message;
  } catch (...) {
    close_descriptors();
    throw;
  }
}

// A forked child has the descriptor, too, so that closing it would not end the watch: the parent's
// next munmap would wait for a reader for as long as the child lives.
void Watcher::close_in_child(void* watcher) noexcept {
  close(std::exchange(static_cast<Watcher*>(watcher)->descriptor_, -1));
}

void Watcher::close_descriptors() noexcept {
  for (int* const descriptor : {&descriptor_, &stop_fd_})
    if (*descriptor >= 0) close(std::exchange(*descriptor, -1));
}

void Watcher::open(bool write_protect) {
  if (kernel_is_too_old()) {
    why_not_ = "the kernel is older than 4.18";
    return;
  }
  mode_ = UFFDIO_REGISTER_MODE_WP;
  for (const bool unprivileged : {false, true})
    if (write_protect && descriptor_ < 0)
      descriptor_ = open_with(UFFD_FEATURE_PAGEFAULT_FLAG_WP, unprivileged);
  if (descriptor_ >= 0) return;
  mode_ = UFFDIO_REGISTER_MODE_MISSING;
  descriptor_ = open_with(0, false);
  if (descriptor_ < 0)
    why_not_ = std::string("the kernel refuses userfaultfd (") + std::strerror(errno) +
               "). In a container, let the seccomp profile allow userfaultfd; elsewhere, use Linux "
               "5.11 or later, or set sysctl vm.unprivileged_userfaultfd=1";
}

Watcher::~Watcher() {
  if (descriptor_ < 0) return;
  // While events are still read: fclose() may unmap what is watched.
  forget_all();
  {
    const std::lock_guard guard(lock_);
    catch_up();  // another thread may have been unmapping: it waits until its event is read
  }
  stop_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_fd_, &one, sizeof one);
  thread_.join();
  fork_handler_.reset();
  close_descriptors();
}

std::optional<PageRange> Watcher::watch(const void* address, std::size_t length,
                                        std::string& why_not) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  Memory memory = memory_at(begin, begin + length);
  if (memory.reports_all) {
    uffdio_register request{};
    request.range = range_of(memory.pages);
    request.mode = mode_;
    // In missing mode no huge pages: the watch over one that is waited for could not be ended
    // alone.
    const bool possible = !memory.huge || mode_ == UFFDIO_REGISTER_MODE_WP;
    if (possible && ioctl(descriptor_, UFFDIO_REGISTER, &request) == 0) return memory.pages;
    memory.kind = memory.huge ? "has huge pages, which kernels before 5.19 do not watch"
                              : "is of a kind that this kernel does not watch";
  }
  why_not = std::move(memory.kind);
  return std::nullopt;
}

bool Watcher::unregister(const PageRange& pages) noexcept {
  uffdio_range range = range_of(pages);
  return ioctl(descriptor_, UFFDIO_UNREGISTER, &range) == 0;
}

// The kernel refuses a range as a whole if there is nothing in it, if something in it cannot be
// watched, or if it cuts a huge page. Then it is halved, at the address of the most trailing zeros,
// down to single pages.
void Watcher::forget(const PageRange& pages) noexcept {
  if (unregister(pages)) return;
  const std::uintptr_t last = pages.end - 1;
  const std::uintptr_t block = std::bit_floor(pages.begin ^ last);
  if (block < page_bytes()) return;
  const std::uintptr_t middle = last & ~(block - 1);
  forget({pages.begin, middle});
  forget({middle, pages.end});
}

// The kernel does not list what a userfaultfd watches, so each mapping is tried. UNREGISTER alone
// will not do: before Linux 6.17 it also ends the watch of another userfaultfd (of the MPI, say).
// REGISTER tells whose a watched mapping is: EBUSY if another's, no effect if ours.
void Watcher::forget_all() noexcept {
  std::FILE* const mappings = std::fopen("/proc/self/maps", "re");
  if (!mappings) return;
  void* const unreadable =
      mmap(nullptr, page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  PageRange here{};
  while (unreadable != MAP_FAILED &&
         std::fscanf(mappings, "%" SCNxPTR "-%" SCNxPTR "%*[^\n]", &here.begin, &here.end) == 2) {
    if (!is_watched(descriptor_, here.begin, unreadable)) continue;
    uffdio_register request{};
    request.range = range_of(here);
    request.mode = mode_;
    if (ioctl(descriptor_, UFFDIO_REGISTER, &request) == 0) unregister(here);
  }
  if (unreadable != MAP_FAILED) munmap(unreadable, page_bytes());
  std::fclose(mappings);
}

void Watcher::serve() noexcept {
  while (!stop_) {
    pollfd fds[] = {{descriptor_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    ::poll(fds, 2, -1);
    if (fds[0].revents == 0) continue;
    const std::lock_guard guard(lock_);
    read_events();
  }
}

// While a range is unmapped and its event not read, the kernel refuses any request to fill pages,
// with EAGAIN and before it looks at the request (Linux, fs/userfaultfd.c: mmap_changing). This
// request is for no bytes and has no other effect.
void Watcher::catch_up() noexcept {
  if (descriptor_ < 0) return;
  for (;;) {
    read_events();
    uffdio_zeropage none{};
    if (ioctl(descriptor_, UFFDIO_ZEROPAGE, &none) == 0 || errno != EAGAIN) return;
    sched_yield();
  }
}

void Watcher::lost(const PageRange& pages) noexcept {
  on_change_(pages);
  forget(pages);
}

void Watcher::read_events() noexcept {
  reading_ = true;  // before the first event is read
  uffd_msg message;
  while (read(descriptor_, &message, sizeof message) == static_cast<ssize_t>(sizeof message)) {
    switch (message.event) {
      case UFFD_EVENT_UNMAP: on_change_({message.arg.remove.start, message.arg.remove.end}); break;
      case UFFD_EVENT_REMOVE:  // the mapping stays, its pages are gone
        lost({message.arg.remove.start, message.arg.remove.end});
        break;
      case UFFD_EVENT_REMAP: {  // the watch moves along, and stays as well (MREMAP_DONTUNMAP)
        const auto& moved = message.arg.remap;
        const PageRange from{moved.from, moved.from + moved.len};
        on_change_(from);
        unregister(from);  // fails if it is unmapped, as it mostly is
        lost({moved.to, moved.to + moved.len});
        break;
      }
      case UFFD_EVENT_PAGEFAULT: {  // in missing mode
        const auto address = static_cast<std::uintptr_t>(message.arg.pagefault.address);
        lost(pages_around(address, address + 1));
        break;
      }
      default: break;
    }
  }
  reading_ = false;
}

}  // namespace tutti::registration
