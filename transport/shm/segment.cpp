// Creating, opening, meeting in and unlinking the node's segment.
#include "transport/shm/segment.hpp"

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

namespace tutti::transport::shm {

using Clock = std::chrono::steady_clock;

namespace {
constexpr std::uint64_t kProbeMark = 0x7574746974757474ull;
std::size_t page_rounded(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
}  // namespace

struct Segment::Header {
  std::atomic<std::uint32_t> attached;  // ranks that have mapped it
  std::atomic<std::uint32_t> tried;     // ranks that have tried a direct write
  std::atomic<std::uint32_t> refused;   // of those, the ones to whom the kernel said no
};

Segment::Header& Segment::header() noexcept { return *reinterpret_cast<Header*>(base_); }
Member* Segment::members() noexcept { return reinterpret_cast<Member*>(base_ + kCacheLine); }

Segment::Segment(const std::string& name, int local_rank, int local_size, const InboxShape& shape, bool allow_direct,
                 std::chrono::milliseconds patience)
    : rank_(local_rank),
      size_(local_size),
      stride_(page_rounded(shape.bytes())),
      first_inbox_(page_rounded(kCacheLine + sizeof(Member) * static_cast<std::size_t>(local_size))),
      bytes_(first_inbox_ + stride_ * static_cast<std::size_t>(local_size) * static_cast<std::size_t>(local_size)) {
  const auto deadline = Clock::now() + patience;
  try {
    open(name, deadline);
    Member& me = member(rank_);
    me.pid = getpid();
    me.probe_address = reinterpret_cast<std::uint64_t>(&probe_word_);
    meet(header().attached, deadline, "map the shared segment");
    if (rank_ == 0) shm_unlink(name.c_str());
    if (!allow_direct || !try_direct_write((rank_ + 1) % size_)) header().refused.fetch_add(1);
    meet(header().tried, deadline, "try direct writes");
    direct_ = header().refused.load() == 0;
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
      throw Error(Code::system,
                  fmt::format("cannot create shared memory {}: {}; is /dev/shm mounted and writable?", name, std::strerror(errno)), kNoPeer,
                  errno);
    // The head is allocated before the size is set: a rank that sees the size may touch it.
    const int no_room = posix_fallocate(file_, 0, static_cast<off_t>(first_inbox_));
    if (no_room != 0 || ftruncate(file_, static_cast<off_t>(bytes_)) != 0)
      throw Error(Code::out_of_memory, fmt::format("/dev/shm has no room for {} bytes; enlarge it (mount -o remount,size=…)", first_inbox_),
                  kNoPeer, no_room ? no_room : errno);
  } else {
    struct stat status {};
    while (file_ < 0 || (fstat(file_, &status) == 0 && status.st_size < static_cast<off_t>(bytes_))) {
      if (file_ < 0) file_ = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
      if (file_ < 0 && errno != ENOENT)
        throw Error(Code::system, fmt::format("cannot open shared memory {}: {}", name, std::strerror(errno)), kNoPeer, errno);
      if (Clock::now() > deadline)
        throw Error(Code::bootstrap_failed, "the first rank of this node did not create the shared segment in time; look at its error");
      sched_yield();
    }
  }
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (mapped == MAP_FAILED)
    throw Error(Code::out_of_memory, fmt::format("cannot map {} bytes of shared memory: {}", bytes_, std::strerror(errno)), kNoPeer, errno);
  base_ = static_cast<std::byte*>(mapped);
}

void Segment::meet(std::atomic<std::uint32_t>& counter, Clock::time_point deadline, const char* what) {
  counter.fetch_add(1);
  while (counter.load() < static_cast<std::uint32_t>(size_)) {
    if (Clock::now() > deadline)
      throw Error(Code::bootstrap_failed,
                  fmt::format("only {} of the {} ranks of this node came to {}; look at the others' errors", counter.load(), size_, what));
    sched_yield();
  }
}

// Yama, containers and different users may forbid it; trying is the only sure way to know.
bool Segment::try_direct_write(int local_rank) {
  Member& other = member(local_rank);
  std::uint64_t mark = kProbeMark;
  iovec local{&mark, sizeof mark};
  iovec remote{reinterpret_cast<void*>(other.probe_address.load()), sizeof mark};
  return process_vm_writev(other.pid, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof mark);
}

void Segment::allocate_pair(int a, int b) {
  for (const std::size_t offset : {inbox_offset(a, b), inbox_offset(b, a)}) {
    const int failed = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(stride_));
    if (failed != 0)
      throw Error(
          Code::out_of_memory,
          fmt::format("/dev/shm has no room for the {} bytes of one more connection; enlarge it (mount -o remount,size=…)", stride_),
          kNoPeer, failed);
  }
}

}  // namespace tutti::transport::shm
