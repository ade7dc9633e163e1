// The segment that the ranks of one node share: an entry for each of them, and an inbox for every
// ordered pair of them.
//
// The node's lowest rank creates it (mode 0600, exclusive) and unlinks it as soon as all have
// mapped it. It is sparse: an inbox takes memory only once its two ranks have connected. Then all
// of it is allocated, so that a full /dev/shm is an error code, and not a bus error in the middle
// of a collective. Each rank holds a lock on its own byte of the file, which the kernel releases
// with the process; so others see its end, also from another PID namespace. Set-up regime: throws
// Error. Knows inbox shapes; knows no link and no message.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "transport/inbox.hpp"

namespace tutti::transport::shm {

// How large messages travel: in one copy, by the kernel, from memory to memory; or in two, through
// the segment. automatic: one copy if the kernel permits it and if it is faster on this machine.
enum class Copy : std::uint8_t { automatic, once, twice };

// What each rank of the node tells the others, in the segment.
struct alignas(kCacheLine) Member {
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> farewell;  // 1: it has called tutti_finalize
  // In which the pid is its own; 0: unknown. Ranks of different ones do not write into each other's
  // memory.
  std::atomic<std::uint64_t> pid_namespace;
  // Where the others, at start-up, find the secret, and may write behind it: the process with this
  // pid is the one that made this entry.
  std::atomic<std::uint64_t> probe_address;
  std::atomic<std::uint64_t> secret;
  std::atomic<std::uint32_t> refuses;  // 1: one copy is forbidden, by the kernel or the setting
  std::atomic<std::uint32_t> slower;   // 1: it takes longer than two; of a namespace's first rank
};

class Segment {
 public:
  // Creates the segment `name` for `local_size` ranks (local rank 0) or opens it (the others),
  // waits for all of them, at most for `patience`, and finds out with them whether to write into
  // each other's memory. Throws Error{system | out_of_memory | bootstrap_failed}.
  Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
          Copy copy, std::chrono::milliseconds patience);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Member& member(int local_rank) noexcept { return members()[local_rank]; }
  // false: the process of this rank has ended, or runs another program now.
  bool lives(int local_rank) noexcept;
  // The inbox that `from` writes and `to` reads.
  std::byte* inbox(int to, int from) noexcept { return base_ + inbox_offset(to, from); }
  // Allocates the memory of the pair's two inboxes. May be called again. Throws
  // Error{out_of_memory}.
  void allocate_pair(int a, int b);
  // This rank and some others write into each other's memory.
  bool direct() const noexcept { return direct_; }
  // This rank and that one do. The same at both.
  bool direct(int local_rank) noexcept { return direct_ && same_namespace(local_rank); }
  // Both inboxes of one connected pair.
  std::size_t bytes_per_pair() const noexcept { return 2 * stride_; }

 private:
  struct Header;
  Header& header() noexcept;
  Member* members() noexcept;
  std::size_t inbox_offset(int to, int from) const noexcept {
    return first_inbox_ + (static_cast<std::size_t>(to) * size_ + from) * stride_;
  }
  void introduce();
  void open(const std::string& name, std::chrono::steady_clock::time_point deadline);
  void wait_for_all(std::atomic<std::uint32_t>& counter,
                    std::chrono::steady_clock::time_point deadline, const char* what);
  void choose_copy(Copy copy, std::chrono::steady_clock::time_point deadline);
  bool same_namespace(int local_rank) noexcept;
  int next_in_namespace() noexcept;
  bool knows_secret(int local_rank) noexcept;
  bool write_directly(int local_rank, const std::byte* source, std::size_t bytes) noexcept;
  bool one_copy_pays(int local_rank);

  const int rank_, size_;
  std::size_t stride_ = 0, first_inbox_ = 0, bytes_ = 0;
  int file_ = -1;
  std::byte* base_ = nullptr;
  bool direct_ = false;
  std::unique_ptr<std::byte[]> probe_;  // what probe_address points to, at start-up
};

}  // namespace tutti::transport::shm
