// A process's state as the kernel tells it, in /proc/PID/status.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace tutti::transport::shm {

// Whether it has ended but for its core dump, which may take long (core(5)). Until that is written
// it keeps all that it had, locks of files too. `process`: in this PID namespace. false also if the
// kernel does not tell. Some system calls.
bool dumps_core(pid_t process) noexcept;
bool says_dumping(std::string_view status) noexcept;  // Linux 4.15

// The letter of its first thread's state: R runs, S and D sleep, T is stopped, t is traced, Z has
// ended. 0: unknown.
char state_of(pid_t process) noexcept;
char state_in(std::string_view status) noexcept;

}  // namespace tutti::transport::shm
