// Meeting places for the ranks of a segment: threads, or processes that were forked after it was
// made. And the shape of inboxes as jobs have them.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "transport/shm/memory.hpp"

namespace tutti::tests {

// For a segment whose rank is alone.
inline const transport::shm::Meet kMeetAlone = [](std::int64_t mine) { return mine; };
inline constexpr transport::InboxShape kLargeShape{
    {{{128, 64}, {1088, 64}, {16448, 16}, {64, 16}, {64, 16}}}};

class SharedMeeting {
 public:
  explicit SharedMeeting(int ranks)
      : shared_(*::new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared_.barrier, &attributes, static_cast<unsigned>(ranks));
  }
  ~SharedMeeting() { munmap(&shared_, sizeof shared_); }
  SharedMeeting(const SharedMeeting&) = delete;
  SharedMeeting& operator=(const SharedMeeting&) = delete;

  // To be given as a transport::shm::Meet, by std::ref.
  std::int64_t operator()(std::int64_t mine) const {
    for (std::int64_t known = shared_.largest; known < mine;)
      if (shared_.largest.compare_exchange_weak(known, mine)) break;
    wait();
    const std::int64_t largest = shared_.largest;
    if (wait()) shared_.largest = 0;
    wait();
    return largest;
  }

 private:
  struct Shared {
    pthread_barrier_t barrier;
    std::atomic<std::int64_t> largest{0};
  };
  bool wait() const {
    return pthread_barrier_wait(&shared_.barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  }

  Shared& shared_;
};

}  // namespace tutti::tests
