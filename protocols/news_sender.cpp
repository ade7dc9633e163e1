// Queues news until there is credit to send it.
#include "protocols/news_sender.hpp"

#include <algorithm>

namespace tutti::protocols {

void NewsSender::announce(const News& news) noexcept {
  if (count_ == news_.size()) return;  // full: the peer still gets the earlier ones
  news_[count_++] = news;
  send();
}

// News that a failed link cannot carry is dropped.
void NewsSender::send_pending() noexcept {
  std::size_t sent = 0;
  while (sent < count_ && put_control(rings_, ControlKind::news, news_[sent]) != Answer::again)
    ++sent;
  std::copy(news_.begin() + sent, news_.begin() + count_, news_.begin());
  count_ -= sent;
}

}  // namespace tutti::protocols
