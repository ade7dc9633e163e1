// The segment that the ranks of one node share: an entry for each of them (members.hpp), and for
// every ordered pair of them a flag that says whether they have connected, an inbox and the state
// of invitations.
//
// The node's lowest rank creates it (mode 0600, exclusive) as a file in /dev/shm and unlinks it as
// soon as all have mapped it. Where the file system is small the inboxes are in memory without a
// name instead (anonymous.hpp), if all ranks can open that. A rank maps the inboxes of those to
// which it connects. The segment is sparse: an inbox takes memory only once its two ranks have
// connected, and then for a page only, with its credits and the first slots for the shortest
// messages; a sender allocates any other slot before it first writes there. Nothing is touched that
// is not allocated, so a full /dev/shm is an error code, and not a bus error in the middle of a
// collective. Set-up regime: throws Error. Knows inbox shapes; knows no link and no message.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/inbox_shape.hpp"
#include "transport/shm/board.hpp"
#include "transport/shm/fetches.hpp"
#include "transport/shm/mapping.hpp"
#include "transport/shm/members.hpp"
#include "transport/shm/stores.hpp"

namespace tutti::transport::shm {

// The size of an inbox at first, a page; and the number of slots of Ring::line in it.
std::size_t first_bytes() noexcept;
std::uint32_t first_slots(const InboxShape& shape) noexcept;

// The memory of the inboxes. automatic: a file in /dev/shm if that has room for four times as much
// as they can take.
enum class Memory : std::uint8_t { automatic, file, anonymous };

// The invitations of the owner of an inbox to the peer that writes it (Revocation): by number,
// what may be done to the owner's user memory. Nobody writes here unless somebody gives up or user
// memory is being written, so that their line stays where it is.
struct alignas(kCacheLine) Invitations {
  enum State : std::uint8_t { open, entered, revoked };
  std::array<std::atomic<std::uint8_t>, kInvitations> states;
  FetchTimes fetch_times;  // of the peer
};

class Segment {
 public:
  // Creates the segment `name` for `local_size` ranks (local rank 0, whose `memory` counts) or
  // opens it (the others), and agrees with those of its PID namespace on how to copy: `copy`, if
  // the kernel permits it and all want the same; twice before once before automatic. Collective
  // over the job: a rank that has no segment must stand_by(). Throws Error{system | out_of_memory |
  // bootstrap_failed}.
  Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
          Copy copy, const Meet& meet, Memory memory = Memory::automatic);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  // The part of ranks that are alone on their nodes while others make segments. Throws
  // Error{bootstrap_failed}.
  static void stand_by(const Meet& meet);

  Members& members() noexcept { return members_; }
  // The ranks leave results for each other there.
  Board board() noexcept;
  // Whether `from` has connected to `to`, so that it may have written to the inbox there.
  void note_call(int to, int from) noexcept { call_flag(to, from) = 1; }
  bool has_called(int to, int from) noexcept { return call_flag(to, from) != 0; }
  // The inbox that `from` writes and `to` reads, one of which is this rank, after connect().
  std::byte* inbox(int to, int from) noexcept {
    return (to == rank_ ? incoming_[static_cast<std::size_t>(from)]
                        : outgoing_[static_cast<std::size_t>(to)])
        .begin();
  }
  // Maps the two inboxes of this rank and a peer, and allocates what they need at first. May be
  // called again. Throws Error{out_of_memory}.
  void connect(int peer);
  // Allocates a part of an inbox; may be called again. Data path, once for each part. Returns an
  // errno; 0: done.
  int allocate(int to, int from, std::size_t offset, std::size_t bytes) noexcept;
  int allocate_invitations(int owner, int guest) noexcept {
    return allocate(owner, guest, invitations_offset_, sizeof(Invitations));
  }
  // Marks of the sender in the inbox: by bits, the rings that it has written to; and whether its
  // end of the connection has failed, with the Code from bit kWhy on.
  static constexpr std::uint32_t kBrokenOff = 1u << 31, kWhy = 16, kMostWhy = 0xff;
  std::uint32_t& marks(int to, int from) noexcept {
    return *reinterpret_cast<std::uint32_t*>(inbox(to, from) + kMarksOffset);
  }
  // Time that `from` measured for reading data of `to`, by kind of store: see StorePolicy. Written
  // by the reader: a hint, not trusted.
  ReadTimes& read_times(int to, int from) noexcept {
    return *reinterpret_cast<ReadTimes*>(inbox(to, from) + kReadTimesOffset);
  }
  // The invitations of `owner` to `guest`. Behind the inbox that `guest` writes.
  Invitations& invitations(int owner, int guest) noexcept {
    return *reinterpret_cast<Invitations*>(inbox(owner, guest) + invitations_offset_);
  }
  // The agreed way to copy, and the reason.
  Copy copy() const noexcept { return agreed_.copy; }
  const std::string& reason() const noexcept { return agreed_.reason; }
  // Copy mode for this peer; both ends compute the same value.
  Copy copy(int local_rank) noexcept {
    return members_.same_namespace(local_rank) ? agreed_.copy : Copy::twice;
  }
  // Both inboxes of one connected pair, once all rings have been written to.
  std::size_t most_bytes_per_pair() const noexcept { return 2 * stride_; }
  // If each rank writes to all rings of each other one, that takes at most a quarter of what was
  // free in /dev/shm at the start.
  bool has_room() noexcept;
  // Not a file in /dev/shm.
  bool anonymous() const noexcept { return inboxes_file_ != file_; }
  // How an error says that an allocation has failed: before the number of bytes, and at its end.
  struct NoRoom {
    const char *what, *advice;
  };
  NoRoom no_room() const noexcept;
  // The memory that the whole segment takes now.
  std::size_t bytes_taken() const noexcept;

 private:
  struct Header;
  Header& header() noexcept;
  std::atomic<std::uint8_t>& call_flag(int to, int from) noexcept;
  std::size_t inbox_offset(int to, int from) const noexcept {
    return first_inbox_ + (static_cast<std::size_t>(to) * size_ + from) * stride_;
  }
  Member* first_member() noexcept;
  void create(const std::string& name, Memory memory);
  void open(const std::string& name);
  void must_allow_files() const;
  bool create_file(const std::string& name);
  void settle_on_memory();
  [[noreturn]] void throw_no_room(int error) const;
  void release() noexcept;

  const int rank_, size_;
  // In the line of the credits.
  static constexpr std::size_t kReadTimesOffset = 32, kMarksOffset = 48;
  static_assert(kRings * sizeof(std::uint32_t) <= kReadTimesOffset &&
                kReadTimesOffset + sizeof(ReadTimes) <= kMarksOffset &&
                kMarksOffset < InboxShape::kCreditBytes);

  // Within an inbox's place.
  const std::size_t invitations_offset_;
  std::size_t stride_ = 0;
  // The file has the head, then the board, then the inboxes.
  std::size_t head_bytes_ = 0, first_inbox_ = 0, bytes_ = 0;
  // In /dev/shm; and where the inboxes are.
  int file_ = -1, inboxes_file_ = -1;
  Mapping head_;
  std::vector<Mapping> incoming_, outgoing_;  // by peer
  Members members_;
  CopyAgreement agreed_;
  const Secret secret_;
};

}  // namespace tutti::transport::shm
