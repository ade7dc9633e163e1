// The segment that the ranks of one node share: who is there, and one inbox for every ordered pair
// of them.
//
// Made by the node's lowest rank (mode 0600, exclusive), unlinked as soon as all have mapped it. It
// is sparse: an inbox takes memory only once its pair has connected, and then it is allocated
// outright, so that a full /dev/shm is an error code and not a bus error in the middle of a
// collective. Set-up regime: throws Error. Knows inbox shapes; knows no link and no message.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "transport/inbox.hpp"

namespace tutti::transport::shm {

// How large messages travel: by one copy of the kernel's from memory to memory, or by two through
// the segment. automatic: once where the kernel permits it and it is the faster of the two on this
// machine.
enum class Copy : std::uint8_t { automatic, once, twice };

// What each rank of the node says of itself, in the segment.
struct alignas(kCacheLine) Member {
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> farewell;  // 1: it called tutti_finalize
  std::atomic<std::uint64_t>
      probe_address;  // of memory that others may overwrite to try direct writes, at start-up
};

class Segment {
 public:
  // Creates (local_rank 0) or opens the segment `name` for `local_size` ranks, waits at most
  // `patience` for all of them, and finds out together whether they shall write into each other's
  // memory.
  Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
          Copy copy, std::chrono::milliseconds patience);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  Member& member(int local_rank) noexcept { return members()[local_rank]; }
  // What `from` writes and `to` reads.
  std::byte* inbox(int to, int from) noexcept { return base_ + inbox_offset(to, from); }
  // Gives the pair's two inboxes memory. Idempotent. Throws Error{out_of_memory}.
  void allocate_pair(int a, int b);
  bool direct() const noexcept { return direct_; }
  // Of one connected pair: both inboxes.
  std::size_t bytes_per_pair() const noexcept { return 2 * stride_; }

 private:
  struct Header;
  Header& header() noexcept;
  Member* members() noexcept;
  std::size_t inbox_offset(int to, int from) const noexcept {
    return first_inbox_ + (static_cast<std::size_t>(to) * size_ + from) * stride_;
  }
  void open(const std::string& name, std::chrono::steady_clock::time_point deadline);
  void meet(std::atomic<std::uint32_t>& counter, std::chrono::steady_clock::time_point deadline,
            const char* what);
  bool write_directly(int local_rank, const std::byte* source, std::size_t bytes) noexcept;
  bool one_copy_pays(int local_rank);

  const int rank_, size_;
  std::size_t stride_ = 0, first_inbox_ = 0, bytes_ = 0;
  int file_ = -1;
  std::byte* base_ = nullptr;
  bool direct_ = false;
  std::unique_ptr<std::byte[]> probe_;  // where the others try, at start-up
};

}  // namespace tutti::transport::shm
