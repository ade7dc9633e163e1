// NewsSender: what this rank tells one peer of calls and communicators (news.hpp).
//
// Promises: news that was announced is sent in order, as credits allow; of more than 32 that wait,
// the later ones are dropped. Leaves to the caller: to call send() now and then.
#pragma once

#include <array>
#include <cstddef>

#include "protocols/control_ring.hpp"
#include "protocols/news.hpp"

namespace tutti::protocols {

class NewsSender {
 public:
  // The rings must outlive this object.
  explicit NewsSender(Rings& rings) noexcept : rings_(rings) {}

  // Tells the peer; kept while there is no credit.
  void announce(const News& news) noexcept;
  // Tells the peer if there is plenty of credit, else not at all: the caller repeats it.
  void mention(const News& news) noexcept { mention(ControlKind::news, news); }
  void mention(const Standing& standing) noexcept { mention(ControlKind::standing, standing); }
  // Sends what waits.
  void send() noexcept {
    if (pending()) send_pending();
  }
  bool pending() const noexcept { return count_ != 0; }

 private:
  static_assert(sizeof(News) <= kCacheLine - sizeof(transport::Trailer));  // the slots of the ring
  // Leaves half of the credits to announcements.
  template <class Body>
  void mention(ControlKind kind, const Body& body) noexcept {
    if (count_ == 0 && rings_.half_free(transport::Ring::control)) put_control(rings_, kind, body);
  }
  void send_pending() noexcept;

  Rings& rings_;
  std::array<News, 32> news_{};  // announced, without credit yet; the oldest first
  std::size_t count_ = 0;
};

}  // namespace tutti::protocols
