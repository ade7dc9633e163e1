// Creating, opening and unlinking the node's segment; allocating parts of it.
#include "transport/shm/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "base/pages.hpp"
#include "transport/named_file.hpp"
#include "transport/shm/anonymous.hpp"

namespace tutti::transport::shm {

struct Segment::Header {
  std::atomic<std::uint32_t> shut_out;  // 1: a rank cannot open `memory`
  std::uint32_t has_room;
  AnonymousMemory memory;  // the first rank's, if there is any
  BoardState board;
};

namespace {

// Returns an errno; 0: done. Not posix_fallocate(): where the file system cannot allocate, it
// writes to each block instead, also to slots that a peer is just writing to.
int allocate_range(int file, std::size_t offset, std::size_t bytes) noexcept {
  while (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return errno;  // it gives up on a signal
  return 0;
}

// Allocates by writing zeros, in a file that nobody else has.
int allocate_by_writing(int file, std::size_t bytes) noexcept {
  constexpr char kZeros[4096]{};
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t written =
        pwrite(file, kZeros, std::min(sizeof kZeros, bytes - done), static_cast<off_t>(done));
    if (written < 0 && errno != EINTR) return errno;
    done += written < 0 ? 0 : static_cast<std::size_t>(written);
  }
  return 0;
}

// Room left in the file's file system. A file system without a limit has no blocks.
std::uint64_t free_bytes(int file) noexcept {
  struct statvfs status {};
  if (fstatvfs(file, &status) != 0) return 0;
  if (status.f_blocks == 0) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace

std::size_t first_bytes() noexcept { return round_up_to_pages(1); }

std::uint32_t first_slots(const InboxShape& shape) noexcept {
  const std::size_t room = first_bytes() - shape.ring_offset(Ring::line);
  const RingShape& line = shape[Ring::line];
  return static_cast<std::uint32_t>(std::min<std::size_t>(room / line.slot_bytes, line.slots));
}

Segment::Header& Segment::header() noexcept { return *reinterpret_cast<Header*>(head_.begin()); }
Member* Segment::first_member() noexcept {
  return reinterpret_cast<Member*>(head_.begin() + kCacheLine);
}
std::atomic<std::uint8_t>& Segment::call_flag(int to, int from) noexcept {
  auto* const flags = reinterpret_cast<std::atomic<std::uint8_t>*>(first_member() + size_);
  return flags[static_cast<std::size_t>(to) * static_cast<std::size_t>(size_) +
               static_cast<std::size_t>(from)];
}

Segment::Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
                 Copy copy, const Meet& meet, Memory memory)
    : rank_(local_rank),
      size_(local_size),
      invitations_offset_(round_up(shape.bytes(), kCacheLine)),
      stride_(round_up_to_pages(invitations_offset_ + sizeof(Invitations))),
      head_bytes_(
          round_up_to_pages(kCacheLine + (sizeof(Member) + static_cast<std::size_t>(local_size)) *
                                             static_cast<std::size_t>(local_size))),
      first_inbox_(head_bytes_ + Board::kBytes),
      bytes_(first_inbox_ +
             stride_ * static_cast<std::size_t>(local_size) * static_cast<std::size_t>(local_size)),
      incoming_(static_cast<std::size_t>(local_size)),
      outgoing_(static_cast<std::size_t>(local_size)) {
  static_assert(sizeof(Header) <= kCacheLine);
  try {
    must_allow_files();
    if (rank_ == 0) create(name, memory);
    meet(0);
    if (rank_ != 0) open(name);
    members_ = Members(first_member(), size_, rank_, file_);
    members_.introduce(copy, secret_);
    meet(0);
    if (rank_ == 0) shm_unlink(name.c_str());
    settle_on_memory();
    agreed_ = members_.agree_to_copy(meet);
  } catch (...) {
    if (rank_ == 0 && file_ >= 0) shm_unlink(name.c_str());
    release();
    throw;
  }
}

void Segment::stand_by(const Meet& meet) {
  meet(0);
  meet(0);
  if (meet(0) == 0) return;
  meet(0);
  meet(0);
}

Segment::~Segment() { release(); }

void Segment::release() noexcept {
  if (inboxes_file_ >= 0 && inboxes_file_ != file_) close(inboxes_file_);
  if (file_ >= 0) close(file_);
}

Board Segment::board() noexcept { return {header().board, members_, rank_, file_, head_bytes_}; }

bool Segment::has_room() noexcept { return header().has_room != 0; }

void Segment::create(const std::string& name, Memory memory) {
  const bool allocates = create_file(name);
  head_ = Mapping(file_, 0, head_bytes_);
  const bool has_room = allocates && bytes_ <= free_bytes(file_) / 4;
  header().has_room = has_room ? 1 : 0;
  if (memory == Memory::anonymous || (memory == Memory::automatic && !has_room))
    inboxes_file_ = make_anonymous(bytes_, header().memory);
  if (ftruncate(file_, static_cast<off_t>(bytes_)) != 0) throw_no_room(errno);
}

void Segment::open(const std::string& name) {
  file_ = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (file_ < 0)
    throw Error(Code::system,
                fmt::format("cannot open shared memory {}: {}; do all ranks of this node see one "
                            "/dev/shm (containers: --ipc=host)?",
                            name, std::strerror(errno)),
                kNoPeer, errno);
  head_ = Mapping(file_, 0, head_bytes_);
  if (header().memory.pid != 0 && (inboxes_file_ = open_anonymous(header().memory)) < 0)
    header().shut_out = 1;
}

// To make or allocate a longer file would end the process by a signal.
void Segment::must_allow_files() const {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < bytes_)
    throw Error(Code::system,
                fmt::format("the ranks of this node share a sparse file of {} bytes, and the limit "
                            "on the size of files is {} bytes; raise it (ulimit -f unlimited)",
                            bytes_, most.rlim_cur),
                kNoPeer, EFBIG);
}

// Whether parts of the file can be allocated before they are touched, as in a tmpfs, but not in a
// ramfs.
bool Segment::create_file(const std::string& name) {
  file_ = create_named(name);
  if (file_ < 0)
    throw Error(Code::system,
                fmt::format("cannot create shared memory {}: {}; is /dev/shm mounted and writable?",
                            name, std::strerror(errno)),
                kNoPeer, errno);
  int error = allocate_range(file_, 0, head_bytes_);
  const bool allocates = error != EOPNOTSUPP;
  if (!allocates) error = allocate_by_writing(file_, head_bytes_);
  if (error != 0) throw_no_room(error);
  return allocates;
}

void Segment::throw_no_room(int error) const {
  if (error != ENOSPC && error != ENOMEM)
    throw Error(
        Code::system,
        fmt::format("cannot allocate {} bytes in /dev/shm: {}", head_bytes_, std::strerror(error)),
        kNoPeer, error);
  throw Error(Code::out_of_memory,
              fmt::format("/dev/shm has no room for {} bytes; enlarge it (mount -o remount,size=…)",
                          head_bytes_),
              kNoPeer, error);
}

// The inboxes are anonymous if all can open that memory.
void Segment::settle_on_memory() {
  if (header().memory.pid != 0 && header().shut_out == 0) return;
  if (inboxes_file_ >= 0) close(inboxes_file_);
  inboxes_file_ = file_;
}

void Segment::connect(int peer) {
  const auto map = [&](Mapping& mapping, int to, int from) {
    const std::size_t offset = inbox_offset(to, from);
    const int failed = allocate_range(inboxes_file_, offset, first_bytes());
    if (failed == EOPNOTSUPP)
      throw Error(Code::unsupported,
                  "the file system at /dev/shm cannot allocate memory before it is used; mount a "
                  "tmpfs there",
                  kNoPeer, failed);
    if (failed != 0)
      throw Error(Code::out_of_memory,
                  fmt::format("{} {} bytes of another connection{}", no_room().what, first_bytes(),
                              no_room().advice),
                  kNoPeer, failed);
    if (!mapping.begin()) mapping = Mapping(inboxes_file_, offset, stride_);
  };
  map(incoming_[static_cast<std::size_t>(peer)], rank_, peer);
  if (peer != rank_) map(outgoing_[static_cast<std::size_t>(peer)], peer, rank_);
}

std::size_t Segment::bytes_taken() const noexcept {
  constexpr std::size_t kBlock = 512;  // of stat(2)
  std::size_t bytes = 0;
  struct stat status {};
  if (fstat(file_, &status) == 0) bytes += static_cast<std::size_t>(status.st_blocks) * kBlock;
  if (anonymous() && fstat(inboxes_file_, &status) == 0)
    bytes += static_cast<std::size_t>(status.st_blocks) * kBlock;
  return bytes;
}

Segment::NoRoom Segment::no_room() const noexcept {
  if (anonymous()) return {"there is no memory for", ""};
  return {"/dev/shm has no room for", "; enlarge it (mount -o remount,size=…)"};
}

int Segment::allocate(int to, int from, std::size_t offset, std::size_t bytes) noexcept {
  return allocate_range(inboxes_file_, inbox_offset(to, from) + offset, bytes);
}

}  // namespace tutti::transport::shm
