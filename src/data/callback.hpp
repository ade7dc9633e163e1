// Functions of the program that Tutti calls in the middle of its work: the operation of a
// reduction, the function that takes the log. They may not call Tutti back, which would wait for
// itself.
#pragma once

#include <atomic>

namespace tutti {

// While it lives, this thread runs such a function.
class Callback {
 public:
  Callback() noexcept {
    under_way_.fetch_add(1, std::memory_order_relaxed);
    ++depth_;
  }
  ~Callback() {
    --depth_;
    under_way_.fetch_sub(1, std::memory_order_relaxed);
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  // Costs next to nothing where no thread runs one.
  static bool runs_on_this_thread() noexcept {
    return under_way_.load(std::memory_order_relaxed) != 0 && depth_ != 0;
  }

 private:
  static inline std::atomic<int> under_way_{0};
  static inline thread_local int depth_ = 0;
};

}  // namespace tutti
