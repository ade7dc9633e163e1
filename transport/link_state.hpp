// LinkState: whether a link can be used, and why not. The first failure stays; later ones are its
// consequences.
//
// May be read and changed by any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace tutti::transport {

enum class State : std::uint8_t { connecting, ready, failed, closed /* the peer has left */ };

class LinkState {
 public:
  State now() const noexcept { return state_.load(std::memory_order_acquire); }
  friend bool operator==(const LinkState& link, State state) noexcept {
    return link.now() == state;
  }
  bool failed() const noexcept { return now() == State::failed; }
  // Valid once failed().
  Code code() const noexcept { return code_; }
  const char* text() const noexcept { return text_; }
  Fault fault() const noexcept { return fault_; }

  // Nothing happens in another state than `from`.
  void change(State from, State to) noexcept {
    state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }
  // false: it has failed before.
  bool fail(Code code, const char* text, Fault fault) noexcept {
    if (failing_.exchange(true)) return false;
    code_ = code;
    fault_ = fault;
    const std::size_t length = std::min(std::strlen(text), kTextBytes - 1);
    std::memcpy(text_, text, length);
    state_.store(State::failed, std::memory_order_release);
    return true;
  }
  static constexpr std::size_t kTextBytes = 256;  // longer texts are cut

 private:
  std::atomic<State> state_{State::connecting};
  std::atomic<bool> failing_{false};
  Code code_ = Code::success;
  Fault fault_ = Fault::of_peer;
  char text_[kTextBytes] = {};
};

}  // namespace tutti::transport
