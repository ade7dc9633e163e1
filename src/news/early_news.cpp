// Keeps what members have said too early, each thing once.
#include "src/news/early_news.hpp"

#include <algorithm>
#include <new>

namespace tutti {

using protocols::News;

bool EarlyNews::keep(const Item& item) noexcept {
  const bool tells = item.news.kind == News::Kind::failed || item.news.kind == News::Kind::refused;
  if (!tells || knows(item)) return true;
  if (is_full() && !item.is_notice) return knows_refusal(item);
  try {
    items_.push_back(item);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

// A notice does not count: it may be about another communicator that has the same number.
const News* EarlyNews::failure_of(CommunicatorId id) const noexcept {
  const auto found = std::ranges::find_if(items_, [&](const Item& known) {
    return known.news.communicator == id && known.news.kind == News::Kind::failed &&
           !known.is_notice;
  });
  return found != items_.end() ? &found->news : nullptr;
}

// Once a communicator's failure is known, nothing else about it matters.
bool EarlyNews::knows(const Item& item) const noexcept {
  return failure_of(item.news.communicator) || std::ranges::any_of(items_, [&](const Item& known) {
           return known.from == item.from && known.news == item.news && !known.is_notice;
         });
}

// Whether this refusal may be dropped: one that is known already makes the communicator fail here.
// If this rank refuses that call, too, the member says it again when it is waited for.
bool EarlyNews::knows_refusal(const Item& item) const noexcept {
  return item.news.kind == News::Kind::refused &&
         std::ranges::any_of(items_, [&](const Item& known) {
           return known.news.communicator == item.news.communicator &&
                  (known.from == item.from || known.news.call == item.news.call);
         });
}

bool EarlyNews::is_full() const noexcept {
  const auto notices =
      std::ranges::count_if(items_, [](const Item& item) { return item.is_notice; });
  return items_.size() - static_cast<std::size_t>(notices) >= kMost;
}

}  // namespace tutti
