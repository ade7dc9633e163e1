// Creating, opening and unlinking the node's segment; agreeing on how to copy. Long, as it is one
// start-up in the order in which it happens.
#include "transport/shm/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <utility>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "base/pages.hpp"
#include "transport/named_file.hpp"
#include "transport/shm/anonymous.hpp"
#include "transport/shm/process_status.hpp"

namespace tutti::transport::shm {

struct Segment::Header {
  std::atomic<std::uint32_t> shut_out;  // 1: a rank cannot open `memory`
  std::uint32_t has_room;
  AnonymousMemory memory;  // the first rank's, if there is any
};

namespace {

// Returns an errno; 0: done. Not posix_fallocate(): where the file system cannot allocate, it
// writes to each block instead, also to slots that a peer is just writing to.
int allocate_range(int file, std::size_t offset, std::size_t bytes) noexcept {
  while (fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return errno;  // it gives up on a signal
  return 0;
}

// The same for a file that nobody else has.
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

// Of the file's file system. One without a limit has no blocks.
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

std::string_view name_of(Copy copy) noexcept {
  return copy == Copy::once ? "single" : copy == Copy::twice ? "double" : "auto";
}

Segment::Header& Segment::header() noexcept { return *reinterpret_cast<Header*>(head_.begin()); }
Member* Segment::members() noexcept {
  return reinterpret_cast<Member*>(head_.begin() + kCacheLine);
}
std::atomic<std::uint8_t>& Segment::call_flag(int to, int from) noexcept {
  auto* const flags = reinterpret_cast<std::atomic<std::uint8_t>*>(members() + size_);
  return flags[static_cast<std::size_t>(to) * static_cast<std::size_t>(size_) +
               static_cast<std::size_t>(from)];
}

Segment::Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
                 Copy copy, const Meet& meet, Memory memory)
    : rank_(local_rank),
      size_(local_size),
      invitations_offset_(round_up(shape.bytes(), kCacheLine)),
      stride_(round_up_to_pages(invitations_offset_ + sizeof(Invitations))),
      first_inbox_(
          round_up_to_pages(kCacheLine + (sizeof(Member) + static_cast<std::size_t>(local_size)) *
                                             static_cast<std::size_t>(local_size))),
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
    introduce(copy);
    meet(0);
    if (rank_ == 0) shm_unlink(name.c_str());
    settle_on_memory();
    agree_to_copy(meet);
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

bool Segment::has_room() noexcept { return header().has_room != 0; }

void Segment::create(const std::string& name, Memory memory) {
  const bool allocates = create_file(name);
  head_ = Mapping(file_, 0, first_inbox_);
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
                fmt::format("cannot open shared memory {}: {}", name, std::strerror(errno)),
                kNoPeer, errno);
  head_ = Mapping(file_, 0, first_inbox_);
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
  int error = allocate_range(file_, 0, first_inbox_);
  const bool allocates = error != EOPNOTSUPP;
  if (!allocates) error = allocate_by_writing(file_, first_inbox_);
  if (error != 0) throw_no_room(error);
  return allocates;
}

void Segment::throw_no_room(int error) const {
  if (error != ENOSPC && error != ENOMEM)
    throw Error(
        Code::system,
        fmt::format("cannot allocate {} bytes in /dev/shm: {}", first_inbox_, std::strerror(error)),
        kNoPeer, error);
  throw Error(Code::out_of_memory,
              fmt::format("/dev/shm has no room for {} bytes; enlarge it (mount -o remount,size=…)",
                          first_inbox_),
              kNoPeer, error);
}

// The inboxes are anonymous if all can open that memory.
void Segment::settle_on_memory() {
  if (header().memory.pid != 0 && header().shut_out == 0) return;
  if (inboxes_file_ >= 0) close(inboxes_file_);
  inboxes_file_ = file_;
}

namespace {

// The byte of the file that a rank locks.
struct flock lock_of(int local_rank) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = local_rank;
  lock.l_len = 1;
  return lock;
}

}  // namespace

void Segment::introduce(Copy wanted) {
  Member& me = member(rank_);
  me.pid = getpid();
  me.pid_namespace = pid_namespace();
  me.secret = secret_.value();
  me.secret_address = secret_.address();
  me.secret_is_own = secret_.is_own() ? 1 : 0;
  me.wanted = wanted;
  struct flock mine = lock_of(rank_);
  if (fcntl(file_, F_SETLK, &mine) != 0)
    throw Error(Code::system,
                fmt::format("cannot lock a byte of the shared segment: {}", std::strerror(errno)),
                kNoPeer, errno);
}

// A lock belongs to the process, not to its forked children, and goes when the process ends or
// runs another program. Ranks may be threads of one process, in tests: it never waits for itself.
bool Segment::lives(int local_rank) noexcept {
  struct flock theirs = lock_of(local_rank);
  return fcntl(file_, F_GETLK, &theirs) != 0 || theirs.l_type != F_UNLCK ||
         (member(local_rank).pid == getpid() && same_namespace(local_rank));
}

bool Segment::dumps_core(int local_rank) noexcept {
  return same_namespace(local_rank) && shm::dumps_core(member(local_rank).pid);
}

char Segment::state(int local_rank) noexcept {
  return same_namespace(local_rank) ? state_of(member(local_rank).pid) : '\0';
}

bool Segment::leave_notice(const Notice& notice) noexcept {
  return member(rank_).notices.add(notice);
}

std::optional<Notice> Segment::notice(int local_rank, std::uint32_t number) noexcept {
  return member(local_rank).notices.at(number);
}

bool Segment::same_namespace(int local_rank) noexcept {
  const std::uint64_t mine = member(rank_).pid_namespace;
  return mine != 0 && member(local_rank).pid_namespace == mine;
}

int Segment::next_in_namespace() noexcept {
  int next = rank_;
  do next = (next + 1) % size_;
  while (next != rank_ && !same_namespace(next));
  return next;
}

// The ranks of one PID namespace decide together, whatever those of others do. Yama, containers and
// different users may forbid the one copy; only a try tells for sure. Yama lets a process reach its
// descendants only, or those that permit it by prctl().
void Segment::agree_to_copy(const Meet& meet) {
  Member& me = member(rank_);
  const int next = next_in_namespace();
  me.refused = me.wanted != Copy::twice && next != rank_ && !reaches(next);
  const bool any_asks = meet(me.refused) != 0;  // on whatever node
  bool asked = false;
  for (int r = 0; r < size_; ++r) asked |= member(r).refused != 0;
  if (any_asks) {
    if (asked) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    meet(0);
    me.refused_when_asked = me.refused && !reaches(next);
    meet(0);
  }
  Copy agreed = Copy::automatic;
  int refused = 0, ranks = 0;
  for (int r = 0; r < size_; ++r) {
    if (!same_namespace(r) && r != rank_) continue;
    ++ranks;
    refused += member(r).refused_when_asked ? 1 : 0;
    const Copy wanted = member(r).wanted;
    if (wanted > Copy::twice)
      throw Error(
          Code::transport_failed,
          fmt::format("rank {} of this node has written nonsense to the shared segment; its "
                      "memory is corrupt, or it runs another version of Tutti",
                      r));
    agreed = std::max(agreed, wanted);
  }
  if (agreed != Copy::twice && next == rank_) {
    reason_ = "no other rank of this node is in this rank's PID namespace";
  } else if (agreed != Copy::twice && refused != 0) {
    reason_ = fmt::format(
        "the kernel does not let {} of {} ranks reach another's memory (process_vm_writev); do "
        "they "
        "run as different users, or in a container that forbids it?",
        refused, ranks);
  } else {
    copy_ = agreed;
    reason_ = fmt::format("{}{}", agreed == me.wanted ? "as set" : "as another rank has set",
                          asked ? ", permitted by PR_SET_PTRACER" : "");
  }
}

// Finds the secret there, and writes behind it. One other rank is enough: if one direction between
// two ranks is forbidden, somebody is refused, and all ranks know it.
bool Segment::reaches(int local_rank) noexcept {
  Member& other = member(local_rank);
  std::uint64_t word = 0;
  iovec mine{&word, sizeof word};
  iovec theirs{reinterpret_cast<void*>(other.secret_address.load()), sizeof word};
  if (process_vm_readv(other.pid, &mine, 1, &theirs, 1, 0) != sizeof word || word != other.secret)
    return false;
  theirs.iov_base = reinterpret_cast<void*>(other.secret_address.load() + sizeof word);
  return process_vm_writev(other.pid, &mine, 1, &theirs, 1, 0) == sizeof word;
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
