// Notices that a peer has left for ranks to which it cannot connect, as far as they have come here,
// by datagrams. The rank's thread looks for the next one; the handshake's thread asks the peer.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "transport/notice.hpp"

namespace tutti::transport::verbs {

class NoticesOfPeer {
 public:
  // --- for the rank's thread

  void look() noexcept { looks_ = true; }
  // One after the other, each once.
  std::optional<Notice> next() noexcept {
    const auto next = left_.at(read_);
    if (next) ++read_;
    return next;
  }

  // --- for the handshake's thread

  // The number of the notice for which this end looks, if it was not taken since look().
  std::optional<std::uint32_t> take_look() noexcept {
    return looks_.exchange(false) ? std::optional(left_.size.load()) : std::nullopt;
  }
  // The peer has left this one. A notice that comes twice is ignored.
  void take(std::uint32_t number, const Notice& notice) noexcept {
    if (number == left_.size) left_.add(notice);
  }

 private:
  Notices left_{};
  std::uint32_t read_ = 0;
  std::atomic<bool> looks_{false};
};

}  // namespace tutti::transport::verbs
