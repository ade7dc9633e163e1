// Whether the limit on locked memory, RLIMIT_MEMLOCK, is enough for what ranks register. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/types.hpp"

namespace tutti::tools {

// Memory that one rank locks, and its limit.
struct LockedMemory {
  std::optional<Bytes> limit{};  // of this process; nothing: none
  bool has_device = false;       // an RDMA device is on this host: only for these memory is locked
  bool is_exempt = false;        // the process may lock more than its limit (CAP_IPC_LOCK)
  int ranks = 1;                 // of a job that fills this host
  Bytes connections = 0;         // of one of its ranks to all others, over RDMA, at most
  Bytes buffers = 0;             // of one rank, that may stay registered
};

// "8 MiB: too little. …", and what to do. Throws std::bad_alloc.
std::string judge(const LockedMemory& memory);

}  // namespace tutti::tools
