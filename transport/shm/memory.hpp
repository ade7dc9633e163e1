// The segment that the ranks of one node share: an entry for each of them, and for every ordered
// pair of them a flag that says whether they have connected, an inbox and the state of invitations.
//
// The node's lowest rank creates it (mode 0600, exclusive) as a file in /dev/shm and unlinks it as
// soon as all have mapped it. Where the file system is small the inboxes are in memory without a
// name instead (anonymous.hpp), if all ranks can open that. A rank maps the inboxes of those to
// which it connects. The segment is sparse: an inbox takes memory only once its two ranks have
// connected, and then for a page only, with its credits and the first slots for the shortest
// messages; a sender allocates any other slot before it first writes there. Nothing is touched that
// is not allocated, so a full /dev/shm is an error code, and not a bus error in the middle of a
// collective. Each rank holds a lock on its own byte of the file, which the kernel releases with
// the process; so others see its end, also from another PID namespace. Set-up regime: throws Error.
// Knows inbox shapes; knows no link and no message.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/inbox_shape.hpp"
#include "transport/link.hpp"
#include "transport/notice.hpp"
#include "transport/shm/fetches.hpp"
#include "transport/shm/mapping.hpp"
#include "transport/shm/secret.hpp"
#include "transport/shm/stores.hpp"

namespace tutti::transport::shm {

// What an inbox takes at first: a page. So many slots of Ring::line are there.
std::size_t first_bytes() noexcept;
std::uint32_t first_slots(const InboxShape& shape) noexcept;

// How large messages travel: in one copy, by the kernel, from memory to memory; or in two, through
// the segment. automatic: each message as its use demands (protocols/protocol_for.hpp) and as its
// sender measures (fetches.hpp), if the kernel permits the one copy.
enum class Copy : std::uint8_t { automatic, once, twice };
std::string_view name_of(Copy copy) noexcept;

// What the inboxes are in. automatic: a file in /dev/shm if that has room for four times what they
// can take.
enum class Memory : std::uint8_t { automatic, file, anonymous };

// What each rank of the node tells the others, in the segment.
struct alignas(kCacheLine) Member {
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> farewell;  // 1: it has called tutti_finalize
  // In which the pid is its own; 0: unknown. Ranks of different ones do not write into each other's
  // memory.
  std::atomic<std::uint64_t> pid_namespace;
  // Where the others find the secret, by which they know that the process with this pid is the one
  // that made this entry; and whether its forked children have none (secret.hpp).
  std::atomic<std::uint64_t> secret_address;
  std::atomic<std::uint64_t> secret;
  std::atomic<std::uint8_t> secret_is_own;
  std::atomic<Copy> wanted;  // by the setting
  // The kernel forbids this rank to reach another's memory; the same though all have permitted it.
  // Not bool, as not every byte is one.
  std::atomic<std::uint8_t> refused, refused_when_asked;
  Notices notices;  // that it has left
};

// The invitations of the owner of an inbox to the peer that writes it (Revocation): by number,
// what may be done to the owner's user memory. Nobody writes here unless somebody gives up or user
// memory is being written, so that their line stays where it is.
struct alignas(kCacheLine) Invitations {
  enum State : std::uint8_t { open, entered, taken_back };
  std::array<std::atomic<std::uint8_t>, kInvitations> states;
  FetchTimes fetch_times;  // of the peer
};

// How ranks wait for each other while segments are made: returns, when all ranks of the job have
// called it as often, the largest of their values. Throws Error{bootstrap_failed} if one of them
// has given up.
using Meet = std::function<std::int64_t(std::int64_t mine)>;

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
  // What ranks that are alone on their nodes do while others make segments. Throws
  // Error{bootstrap_failed}.
  static void stand_by(const Meet& meet);

  Member& member(int local_rank) noexcept { return members()[local_rank]; }
  // false: the process of this rank has ended, or runs another program now. A system call.
  bool lives(int local_rank) noexcept;
  // It has ended, but writes its core dump and so seems to live. As far as this can be seen: not
  // in another PID namespace. Some system calls.
  bool dumps_core(int local_rank) noexcept;
  // See shm::state_of().
  char state(int local_rank) noexcept;
  // Of this rank, for all others. false: there is no room for more.
  bool leave_notice(const Notice& notice) noexcept;
  // The notice of a rank with that number, counted from 0; nullopt: there are fewer.
  std::optional<Notice> notice(int local_rank, std::uint32_t number) noexcept;
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
  // What it takes `from` to read what `to` writes, by how it was stored: see Stores. The reader's
  // word, which nobody need believe.
  ReadTimes& read_times(int to, int from) noexcept {
    return *reinterpret_cast<ReadTimes*>(inbox(to, from) + kReadTimesOffset);
  }
  // The invitations of `owner` to `guest`. Behind the inbox that `guest` writes.
  Invitations& invitations(int owner, int guest) noexcept {
    return *reinterpret_cast<Invitations*>(inbox(owner, guest) + invitations_offset_);
  }
  // What was agreed, and why.
  Copy copy() const noexcept { return copy_; }
  const std::string& reason() const noexcept { return reason_; }
  // The same between this rank and that one. The same at both.
  Copy copy(int local_rank) noexcept { return same_namespace(local_rank) ? copy_ : Copy::twice; }
  // Both inboxes of one connected pair: at first, and once all rings have been written to.
  std::size_t first_bytes_per_pair() const noexcept { return 2 * first_bytes(); }
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
  // What the whole segment takes now.
  std::size_t bytes_taken() const noexcept;

 private:
  struct Header;
  Header& header() noexcept;
  Member* members() noexcept;
  std::atomic<std::uint8_t>& call_flag(int to, int from) noexcept;
  std::size_t inbox_offset(int to, int from) const noexcept {
    return first_inbox_ + (static_cast<std::size_t>(to) * size_ + from) * stride_;
  }
  void introduce(Copy wanted);
  void create(const std::string& name, Memory memory);
  void open(const std::string& name);
  void must_allow_files() const;
  bool create_file(const std::string& name);
  void settle_on_memory();
  [[noreturn]] void throw_no_room(int error) const;
  void release() noexcept;
  void agree_to_copy(const Meet& meet);
  bool same_namespace(int local_rank) noexcept;
  int next_in_namespace() noexcept;
  bool reaches(int local_rank) noexcept;

  const int rank_, size_;
  // In the line of the credits.
  static constexpr std::size_t kReadTimesOffset = 32, kMarksOffset = 48;
  static_assert(kRings * sizeof(std::uint32_t) <= kReadTimesOffset &&
                kReadTimesOffset + sizeof(ReadTimes) <= kMarksOffset &&
                kMarksOffset < InboxShape::kCreditBytes);

  // Within an inbox's place.
  const std::size_t invitations_offset_;
  std::size_t stride_ = 0, first_inbox_ = 0, bytes_ = 0;
  // In /dev/shm; and where the inboxes are.
  int file_ = -1, inboxes_file_ = -1;
  Mapping head_;                              // all before the first inbox
  std::vector<Mapping> incoming_, outgoing_;  // by peer
  Copy copy_ = Copy::twice;
  std::string reason_;
  const Secret secret_;
};

}  // namespace tutti::transport::shm
