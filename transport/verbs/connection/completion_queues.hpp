// The completion queues of a rank's connections. A queue has room for everything that the queue
// pairs on it can have under way, so it never overflows. It grows with them; where the device
// cannot grow a queue, or not as far, the next connections get a further one.
//
// room_for() and take() belong to set-up, and may run in another thread than poll(), which is data
// path.
#pragma once

#include <array>
#include <atomic>

#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

class CompletionQueues {
 public:
  // The first queue has so many entries beyond those for queue pairs. Throws as room_for().
  explicit CompletionQueues(const Device& device, int reserved = 0);

  // The queue for one more queue pair, which can have so many completions under way. Throws
  // Error{locked_memory | out_of_memory | transport_failed}.
  ibv_cq* room_for(int completions);
  // The queue pair was made for which room_for() was called.
  void take(int completions) noexcept {
    queues_[size() - 1].used += completions;
    used_ += completions;
  }

  ibv_cq* first() const noexcept { return queues_[0].queue.get(); }

  // Calls take(completion) for each that has come; whether there was one.
  template <class Take>
  bool poll(Take&& take) noexcept {
    bool any = false;
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) any |= poll(queues_[i].queue.get(), take);
    return any;
  }

  std::size_t size() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  struct Queue {
    CompletionQueue queue;
    int room = 0, used = 0;
  };
  // A further queue is at least as large as all before it, where the device allows that.
  static constexpr std::size_t kMost = 256;

  bool grow(Queue& queue, int completions) noexcept;
  void add(int room);
  template <class Take>
  static bool poll(ibv_cq* queue, Take& take) noexcept {
    constexpr int kAtOnce = 16;
    ibv_wc completions[kAtOnce];
    for (bool any = false;; any = true) {
      const int count = ibv_poll_cq(queue, kAtOnce, completions);
      for (int i = 0; i < count; ++i) take(completions[i]);
      if (count < kAtOnce) return any || count > 0;
    }
  }

  const Device& device_;
  std::array<Queue, kMost> queues_;
  std::atomic<std::size_t> count_{0};
  int used_ = 0;  // of all queues
};

}  // namespace tutti::transport::verbs
