// userfaultfd: opening it, watching ranges, reading events.
#include "registration/watcher.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/pages.hpp"
#include "base/thread.hpp"

namespace tutti::registration {
namespace {

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

constexpr std::uint64_t kEvents =
    UFFD_FEATURE_EVENT_UNMAP | UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_EVENT_REMOVE;

uffdio_range pages_around(const void* address, std::size_t length) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const PageRange pages = tutti::pages_around(begin, begin + length);
  return {pages.begin, pages.end - pages.begin};
}

// A descriptor with our events and the features `more`; -1, with errno, if the kernel refuses. The
// watcher handles no faults, so the kind of descriptor that needs no privilege will do.
int open_with(std::uint64_t more) {
  int fd = -1;
  for (const int flags : {0, UFFD_USER_MODE_ONLY}) {
    fd = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags));
    if (fd >= 0) break;
  }
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

}  // namespace

Watcher::Watcher(std::mutex& lock, OnChange on_change)
    : lock_(lock), on_change_(std::move(on_change)) {
  // Write-protect mode makes no faults, as nothing is ever protected. A kernel without it
  // (User-Mode Linux) has missing mode: registered memory is pinned, so no page is missing either.
  descriptor_ = open_with(UFFD_FEATURE_PAGEFAULT_FLAG_WP);
  mode_ = UFFDIO_REGISTER_MODE_WP;
  if (descriptor_ < 0) {
    descriptor_ = open_with(0);
    mode_ = UFFDIO_REGISTER_MODE_MISSING;
  }
  if (descriptor_ < 0) {
    why_not_ = std::string("the kernel refuses userfaultfd (") + std::strerror(errno) +
               "); sysctl vm.unprivileged_userfaultfd=1, or a kernel from 5.11 on, allows it";
    return;
  }
  stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = start_helper("tutti-watcher", [this] { serve(); });
}

Watcher::~Watcher() {
  if (descriptor_ < 0) return;
  stop_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_fd_, &one, sizeof one);
  thread_.join();
  close(descriptor_);  // the kernel ends all watches and wakes whoever waits
  close(stop_fd_);
}

bool Watcher::watch(const void* address, std::size_t length) noexcept {
  uffdio_register request{};
  request.range = pages_around(address, length);
  request.mode = mode_;
  return ioctl(descriptor_, UFFDIO_REGISTER, &request) == 0;
}

void Watcher::forget(const void* address, std::size_t length) noexcept {
  uffdio_range range = pages_around(address, length);
  ioctl(descriptor_, UFFDIO_UNREGISTER, &range);
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

void Watcher::read_events() noexcept {
  uffd_msg message;
  while (read(descriptor_, &message, sizeof message) == static_cast<ssize_t>(sizeof message)) {
    switch (message.event) {
      case UFFD_EVENT_UNMAP: on_change_(message.arg.remove.start, message.arg.remove.end); break;
      case UFFD_EVENT_REMOVE: {
        // The mapping stays, its pages are gone. In missing mode the program's next access would
        // wait for us, so the watch ends.
        on_change_(message.arg.remove.start, message.arg.remove.end);
        forget(reinterpret_cast<void*>(message.arg.remove.start),
               message.arg.remove.end - message.arg.remove.start);
        break;
      }
      case UFFD_EVENT_REMAP:
        on_change_(message.arg.remap.from, message.arg.remap.from + message.arg.remap.len);
        on_change_(message.arg.remap.to, message.arg.remap.to + message.arg.remap.len);
        break;
      case UFFD_EVENT_PAGEFAULT: {
        // An access between a removal and our reading of it. Once the watch has ended, the kernel
        // serves the fault as usual.
        forget(reinterpret_cast<void*>(message.arg.pagefault.address), 1);
        break;
      }
      default: break;
    }
  }
}

}  // namespace tutti::registration
