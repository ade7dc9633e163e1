// Whether a process has ended but for its core dump, which may take long (core(5)). Until that is
// written it keeps all that it had, locks of files too.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace tutti::transport::shm {

// Of this PID namespace. false also if the kernel does not tell. Some system calls.
bool dumps_core(pid_t process) noexcept;
// What /proc/PID/status says (Linux 4.15).
bool says_dumping(std::string_view status) noexcept;

}  // namespace tutti::transport::shm
