// Lets one rank leave a result, for which the others wait, but not for ever.
#include "transport/shm/board.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/running_clock.hpp"

namespace tutti::transport::shm {

bool Board::come_first() noexcept {
  std::uint32_t nobody = 0;
  return state_.finder.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank_) + 1);
}

// True: a result is there. Finding out takes milliseconds; a rank that was stopped meanwhile may
// take for ever.
bool Board::wait() noexcept {
  using namespace std::chrono_literals;
  const auto deadline = RunningClock::now() + 2s;
  for (;;) {
    if (state_.bytes != 0) return true;
    const std::uint32_t finder = state_.finder;
    if (finder == 0 || finder > static_cast<std::uint32_t>(members_.size()) ||
        !members_.lives(static_cast<int>(finder) - 1) || RunningClock::now() > deadline)
      return false;
    std::this_thread::sleep_for(100us);
  }
}

// Writes by a system call, not through memory: a full /dev/shm is an error then, and no signal.
bool Board::leave(const Words& words) noexcept {
  if (words.empty() || words.size() > kBytes) return false;
  if (pwrite(file_, words.data(), words.size(), static_cast<off_t>(offset_)) !=
      static_cast<ssize_t>(words.size()))
    return false;
  state_.bytes = static_cast<std::uint32_t>(words.size());
  return true;
}

Board::Words Board::look() const {
  Words words(std::min<std::size_t>(state_.bytes, kBytes));
  const ssize_t got = pread(file_, words.data(), words.size(), static_cast<off_t>(offset_));
  words.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return words;
}

Board::Words Board::ask(const std::function<Words()>& find_out) {
  if (!come_first()) return wait() ? look() : Words{};
  Words words;
  try {
    words = find_out();
  } catch (...) {
    state_.finder = 0;
    throw;
  }
  if (!leave(words)) state_.finder = 0;  // the next one is first
  return words;
}

}  // namespace tutti::transport::shm
