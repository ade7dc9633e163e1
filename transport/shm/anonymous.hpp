// Memory without a name (memfd), which the processes of one user share by the number of the owner's
// descriptor. No size of /dev/shm limits it. Set-up regime.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport::shm {

// The PID namespace of this process; 0: unknown.
std::uint64_t pid_namespace() noexcept;

// Where others find it, while its owner holds it open. Plain: it lies in shared memory.
struct AnonymousMemory {
  std::int32_t pid = 0;  // 0: there is none
  std::int32_t file = -1;
  std::uint64_t pid_namespace = 0;
  std::uint64_t device = 0, inode = 0;
};

// Makes `bytes` bytes, none of them allocated. Returns a descriptor; -1: the kernel has none.
int make_anonymous(std::size_t bytes, AnonymousMemory& memory) noexcept;
// Returns a descriptor, or -1 if this process may not open it, or cannot find it: it opens nothing
// else. Its owner's number may be a stranger's in another PID namespace.
int open_anonymous(const AnonymousMemory& memory) noexcept;

}  // namespace tutti::transport::shm
