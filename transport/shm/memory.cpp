// Creating, opening and unlinking the node's segment; finding the faster way to copy.
#include "transport/shm/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/pages.hpp"
#include "base/random.hpp"

namespace tutti::transport::shm {

using Clock = std::chrono::steady_clock;

namespace {
constexpr std::size_t kProbeBytes = 256 * 1024, kProbePiece = 16 * 1024;
constexpr int kProbes = 5;
}  // namespace

struct Segment::Header {
  std::atomic<std::uint32_t> attached;  // ranks that have mapped it
  std::atomic<std::uint32_t> tried;     // ranks that have tried a direct write
  std::atomic<std::uint32_t> measured;  // ranks that have waited for the measurement
};

Segment::Header& Segment::header() noexcept { return *reinterpret_cast<Header*>(base_); }
Member* Segment::members() noexcept { return reinterpret_cast<Member*>(base_ + kCacheLine); }

Segment::Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape,
                 Copy copy, std::chrono::milliseconds patience)
    : rank_(local_rank),
      size_(local_size),
      stride_(round_up_to_pages(shape.bytes())),
      first_inbox_(
          round_up_to_pages(kCacheLine + sizeof(Member) * static_cast<std::size_t>(local_size))),
      bytes_(first_inbox_ + stride_ * static_cast<std::size_t>(local_size) *
                                static_cast<std::size_t>(local_size)) {
  const auto deadline = Clock::now() + patience;
  try {
    open(name, deadline);
    introduce();
    wait_for_all(header().attached, deadline, "mapping the shared segment");
    if (rank_ == 0) shm_unlink(name.c_str());
    choose_copy(copy, deadline);
    probe_.reset();
  } catch (...) {
    if (rank_ == 0) shm_unlink(name.c_str());
    if (base_) munmap(base_, bytes_);
    if (file_ >= 0) close(file_);
    throw;
  }
}

Segment::~Segment() {
  munmap(base_, bytes_);
  close(file_);
}

void Segment::open(const std::string& name, Clock::time_point deadline) {
  if (rank_ == 0) {
    file_ = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (file_ < 0)
      throw Error(
          Code::system,
          fmt::format("cannot create shared memory {}: {}; is /dev/shm mounted and writable?", name,
                      std::strerror(errno)),
          kNoPeer, errno);
    // The header is allocated before the size is set: a rank that sees the size may touch it.
    const int no_room = posix_fallocate(file_, 0, static_cast<off_t>(first_inbox_));
    if (no_room != 0 || ftruncate(file_, static_cast<off_t>(bytes_)) != 0)
      throw Error(
          Code::out_of_memory,
          fmt::format("/dev/shm has no room for {} bytes; enlarge it (mount -o remount,size=…)",
                      first_inbox_),
          kNoPeer, no_room ? no_room : errno);
  } else {
    struct stat status {};
    while (file_ < 0 ||
           (fstat(file_, &status) == 0 && status.st_size < static_cast<off_t>(bytes_))) {
      if (file_ < 0) file_ = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
      if (file_ < 0 && errno != ENOENT)
        throw Error(Code::system,
                    fmt::format("cannot open shared memory {}: {}", name, std::strerror(errno)),
                    kNoPeer, errno);
      if (Clock::now() > deadline)
        throw Error(Code::bootstrap_failed,
                    "the first rank of this node did not create the shared segment in time; see "
                    "its error");
      sched_yield();
    }
  }
  void* mapped =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped == MAP_FAILED)
    throw Error(
        Code::out_of_memory,
        fmt::format("cannot map {} bytes of shared memory: {}", bytes_, std::strerror(errno)),
        kNoPeer, errno);
  base_ = static_cast<std::byte*>(mapped);
}

void Segment::wait_for_all(std::atomic<std::uint32_t>& counter, Clock::time_point deadline,
                           const char* what) {
  counter.fetch_add(1);
  while (counter.load() < static_cast<std::uint32_t>(size_)) {
    if (Clock::now() > deadline)
      throw Error(Code::bootstrap_failed, fmt::format("only {} of the {} ranks of this node got as "
                                                      "far as {} in time; see the others' errors",
                                                      counter.load(), size_, what));
    sched_yield();
  }
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

std::uint64_t pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

}  // namespace

void Segment::introduce() {
  Member& me = member(rank_);
  me.pid = getpid();
  me.pid_namespace = pid_namespace();
  me.secret = random_number();
  probe_ = std::make_unique_for_overwrite<std::byte[]>(kCacheLine + kProbeBytes);
  std::memcpy(probe_.get(), &me.secret, sizeof me.secret);
  me.probe_address = reinterpret_cast<std::uint64_t>(probe_.get());
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

// The ranks of one PID namespace decide together, whatever those of others do.
void Segment::choose_copy(Copy copy, Clock::time_point deadline) {
  const int next = next_in_namespace();
  const std::byte word{1};
  if (copy == Copy::twice || next == rank_ || !knows_secret(next) ||
      !write_directly(next, &word, 1))
    member(rank_).refuses = 1;
  wait_for_all(header().tried, deadline, "trying direct writes");
  int first = rank_;
  direct_ = true;
  for (int r = size_; r-- > 0;) {
    if (!same_namespace(r) && r != rank_) continue;
    first = r;
    direct_ = direct_ && member(r).refuses == 0;
  }
  if (direct_ && first == rank_ && copy == Copy::automatic && !one_copy_pays(next))
    member(rank_).slower = 1;
  wait_for_all(header().measured, deadline, "choosing how to copy");
  direct_ = direct_ && member(first).slower == 0;
}

bool Segment::knows_secret(int local_rank) noexcept {
  Member& other = member(local_rank);
  std::uint64_t secret = 0;
  iovec local{&secret, sizeof secret};
  iovec remote{reinterpret_cast<void*>(other.probe_address.load()), sizeof secret};
  return process_vm_readv(other.pid, &local, 1, &remote, 1, 0) == sizeof secret &&
         secret == other.secret;
}

// Yama, containers and different users may forbid it; only a try tells for sure.
bool Segment::write_directly(int local_rank, const std::byte* source, std::size_t bytes) noexcept {
  Member& other = member(local_rank);
  iovec local{const_cast<std::byte*>(source), bytes};
  iovec remote{reinterpret_cast<void*>(other.probe_address.load() + kCacheLine), bytes};
  return process_vm_writev(other.pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

// Before its one copy the kernel looks up the peer's pages; on many a machine two copies within the
// cache take less time. The fastest of several tries counts, as other ranks may run on the same
// core. Both copies are made here, one after the other; ranks with a core each overlap them.
bool Segment::one_copy_pays(int local_rank) {
  const auto source = std::make_unique<std::byte[]>(kProbeBytes),
             target = std::make_unique<std::byte[]>(kProbeBytes),
             between = std::make_unique<std::byte[]>(kProbeBytes);
  auto once = Clock::duration::max(), twice = once;
  for (int i = 0; i < kProbes; ++i) {
    auto begin = Clock::now();
    if (!write_directly(local_rank, source.get(), kProbeBytes)) return false;
    once = std::min(once, Clock::now() - begin);
    begin = Clock::now();
    for (std::size_t at = 0; at < kProbeBytes; at += kProbePiece) {
      std::memcpy(between.get() + at, source.get() + at, kProbePiece);
      std::memcpy(target.get() + at, between.get() + at, kProbePiece);
      asm volatile("" : : "r"(target.get()) : "memory");  // keeps the copy, which nobody reads
    }
    twice = std::min(twice, Clock::now() - begin);
  }
  return once < twice;
}

void Segment::allocate_pair(int a, int b) {
  for (const std::size_t offset : {inbox_offset(a, b), inbox_offset(b, a)}) {
    const int failed =
        posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(stride_));
    if (failed != 0)
      throw Error(Code::out_of_memory,
                  fmt::format("/dev/shm has no room for {} bytes of another connection; enlarge it "
                              "(mount -o remount,size=…)",
                              stride_),
                  kNoPeer, failed);
  }
}

}  // namespace tutti::transport::shm
