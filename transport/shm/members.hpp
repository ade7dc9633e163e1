// Members: the ranks of one node, by what each tells the others in the segment (memory.hpp), and by
// what the kernel says of their processes.
//
// Each rank holds a lock on its own byte of the segment's file, which the kernel releases with the
// process; so others see its end, also from another PID namespace.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "transport/notice.hpp"
#include "transport/processors.hpp"
#include "transport/shm/secret.hpp"

namespace tutti::transport::shm {

// How large messages travel: in one copy, by the kernel, from memory to memory; or in two, through
// the segment. automatic: each message as its use demands (protocols/protocol_for.hpp) and as its
// sender measures (fetches.hpp), if the kernel permits the one copy.
enum class Copy : std::uint8_t { automatic, once, twice };
std::string_view name_of(Copy copy) noexcept;

// A rank's data for the others of its node, in the segment.
struct alignas(kCacheLine) Member {
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> disconnected;  // 1: it has called tutti_finalize
  // Inode of the rank's PID namespace, or 0 if unknown. Ranks in different namespaces never access
  // each other's memory.
  std::atomic<std::uint64_t> pid_namespace;
  // Where the others find the secret, by which they know that the process with this pid is the one
  // that made this entry; and whether its forked children have none (secret.hpp).
  std::atomic<std::uint64_t> secret_address;
  std::atomic<std::uint64_t> secret;
  std::atomic<std::uint8_t> secret_is_own;
  std::atomic<Copy> wanted;  // by the setting
  // The kernel denied this rank access to a peer's memory: at first, and again after all ranks had
  // allowed it (PR_SET_PTRACER). Not bool, because a peer could store an invalid one.
  std::atomic<std::uint8_t> refused, refused_when_asked;
  Notices notices;  // that it has left
};

// How ranks wait for each other while segments are made: returns, when all ranks of the job have
// called it as often, the largest of their values. Throws Error{bootstrap_failed} if one of them
// has given up.
using Meet = std::function<std::int64_t(std::int64_t mine)>;

// How ranks copy, and why so.
struct CopyAgreement {
  Copy copy = Copy::twice;
  std::string reason;
};

class Members {
 public:
  Members() = default;
  // `first`: the entries, by local rank. `file`: the segment's. Both outlive this.
  Members(Member* first, int size, int local_rank, int file) noexcept
      : first_(first), size_(size), rank_(local_rank), file_(file) {}

  // --- set-up

  // Writes this rank's entry. Throws Error{system}.
  void introduce(Copy wanted, const Secret& secret);
  // Collective over the job, once all have introduced themselves. Throws Error{transport_failed},
  // and as `meet`.
  CopyAgreement agree_to_copy(const Meet& meet);

  // --- afterwards

  Member& operator[](int local_rank) noexcept { return first_[local_rank]; }
  int size() const noexcept { return size_; }
  bool same_namespace(int local_rank) noexcept;
  // The threads that its process may run on; empty if the process has ended, or is in another PID
  // namespace. Throws bad_alloc.
  ThreadList bound_threads(int local_rank);
  // false: the process of this rank has ended, or runs another program now. A system call.
  bool lives(int local_rank) noexcept;
  // It has ended, but writes its core dump and so seems to live. As far as this can be seen: not
  // in another PID namespace. Some system calls.
  bool dumps_core(int local_rank) noexcept;
  // See shm::state_of().
  char state(int local_rank) noexcept;
  // Leaves a notice of this rank for all others. false: there is no room for more.
  bool leave_notice(const Notice& notice) noexcept;
  // The notice of a rank with that number, counted from 0; nullopt: there are fewer.
  std::optional<Notice> notice(int local_rank, std::uint32_t number) noexcept;

 private:
  int next_in_namespace() noexcept;
  bool reaches(int local_rank) noexcept;

  Member* first_ = nullptr;
  int size_ = 0, rank_ = 0, file_ = -1;
};

}  // namespace tutti::transport::shm
