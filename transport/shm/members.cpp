// The ranks of a node: their processes, whether they live, and their agreement on a way to copy.
#include "transport/shm/members.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.hpp"
#include "transport/shm/anonymous.hpp"
#include "transport/shm/process_status.hpp"

namespace tutti::transport::shm {

std::string_view name_of(Copy copy) noexcept {
  return copy == Copy::once ? "single" : copy == Copy::twice ? "double" : "auto";
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

void Members::introduce(Copy wanted, const Secret& secret) {
  Member& me = (*this)[rank_];
  me.pid = getpid();
  me.pid_namespace = pid_namespace();
  me.secret = secret.value();
  me.secret_address = secret.address();
  me.secret_is_own = secret.is_own() ? 1 : 0;
  me.wanted = wanted;
  struct flock mine = lock_of(rank_);
  if (fcntl(file_, F_SETLK, &mine) != 0)
    throw Error(Code::system,
                fmt::format("cannot lock a byte of the shared segment: {}", std::strerror(errno)),
                kNoPeer, errno);
}

// A lock belongs to the process, not to its forked children, and goes when the process ends or
// runs another program. Ranks may be threads of one process, in tests: it never waits for itself.
bool Members::lives(int local_rank) noexcept {
  struct flock theirs = lock_of(local_rank);
  return fcntl(file_, F_GETLK, &theirs) != 0 || theirs.l_type != F_UNLCK ||
         ((*this)[local_rank].pid == getpid() && same_namespace(local_rank));
}

bool Members::dumps_core(int local_rank) noexcept {
  return same_namespace(local_rank) && shm::dumps_core((*this)[local_rank].pid);
}

char Members::state(int local_rank) noexcept {
  return same_namespace(local_rank) ? state_of((*this)[local_rank].pid) : '\0';
}

bool Members::leave_notice(const Notice& notice) noexcept {
  return (*this)[rank_].notices.add(notice);
}

std::optional<Notice> Members::notice(int local_rank, std::uint32_t number) noexcept {
  return (*this)[local_rank].notices.at(number);
}

bool Members::same_namespace(int local_rank) noexcept {
  const std::uint64_t mine = (*this)[rank_].pid_namespace;
  return mine != 0 && (*this)[local_rank].pid_namespace == mine;
}

ThreadList Members::bound_threads(int local_rank) {
  if (!same_namespace(local_rank)) return {};
  return transport::bound_threads((*this)[local_rank].pid);
}

int Members::next_in_namespace() noexcept {
  int next = rank_;
  do next = (next + 1) % size_;
  while (next != rank_ && !same_namespace(next));
  return next;
}

// The ranks of one PID namespace decide together, whatever those of others do. Yama, containers and
// different users may forbid the one copy; only a try tells for sure. Yama lets a process reach its
// descendants only, or those that permit it by prctl().
CopyAgreement Members::agree_to_copy(const Meet& meet) {
  Member& me = (*this)[rank_];
  const int next = next_in_namespace();
  me.refused = me.wanted != Copy::twice && next != rank_ && !reaches(next);
  const bool any_asks = meet(me.refused) != 0;  // on whatever node
  bool asked = false;
  for (int r = 0; r < size_; ++r) asked |= (*this)[r].refused != 0;
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
    refused += (*this)[r].refused_when_asked ? 1 : 0;
    const Copy wanted = (*this)[r].wanted;
    if (wanted > Copy::twice)
      throw Error(
          Code::transport_failed,
          fmt::format("rank {} of this node has written nonsense to the shared segment; its "
                      "memory is corrupt, or it runs another version of Tutti",
                      r));
    agreed = std::max(agreed, wanted);
  }
  if (agreed != Copy::twice && next == rank_)
    return {Copy::twice, "no other rank of this node is in this rank's PID namespace"};
  if (agreed != Copy::twice && refused != 0)
    return {Copy::twice,
            fmt::format("the kernel does not let {} of {} ranks reach another's memory "
                        "(process_vm_writev); do they run as different users, or in a container "
                        "that forbids it?",
                        refused, ranks)};
  return {agreed, fmt::format("{}{}",
                              agreed == Copy::automatic ? "the default"
                              : agreed == me.wanted     ? "as set"
                                                        : "as another rank has set",
                              asked ? ", permitted by PR_SET_PTRACER" : "")};
}

// Finds the secret there, and writes behind it. One other rank is enough: if one direction between
// two ranks is forbidden, somebody is refused, and all ranks know it.
bool Members::reaches(int local_rank) noexcept {
  Member& other = (*this)[local_rank];
  std::uint64_t word = 0;
  iovec mine{&word, sizeof word};
  iovec theirs{reinterpret_cast<void*>(other.secret_address.load()), sizeof word};
  if (process_vm_readv(other.pid, &mine, 1, &theirs, 1, 0) != sizeof word || word != other.secret)
    return false;
  theirs.iov_base = reinterpret_cast<void*>(other.secret_address.load() + sizeof word);
  return process_vm_writev(other.pid, &mine, 1, &theirs, 1, 0) == sizeof word;
}

}  // namespace tutti::transport::shm
