// EarlyNews: what members have said of communicators that this rank has not made yet: that they
// have failed, or that a call was refused. A member says it once, and may compute from then on.
//
// Promises: bounded memory, and no loss that does not show. Notices, which may be of others'
// communicators, are bounded by themselves: each peer leaves 16 at most (transport/notice.hpp).
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "protocols/news.hpp"

namespace tutti {

class EarlyNews {
 public:
  struct Item {
    protocols::News news;
    int from;  // rank of MPI_COMM_WORLD
    bool is_notice = false;
  };
  static constexpr std::size_t kMost = 4096;  // beside notices

  // false: there is no room, or no memory. An item that would change nothing is left out.
  bool keep(const Item& item) noexcept;
  // The failure of that communicator, as a member has told it. Null: it is not known to have
  // failed.
  const protocols::News* failure_of(CommunicatorId id) const noexcept;
  // The communicator is here: takes out what was said of it, in the order in which it came.
  template <class Visit>
  void take(CommunicatorId id, Visit&& visit) noexcept {
    std::erase_if(items_, [&](const Item& item) {
      if (item.news.communicator != id) return false;
      visit(item);
      return true;
    });
  }

 private:
  bool knows(const Item& item) const noexcept;
  bool knows_refusal(const Item& item) const noexcept;
  bool is_full() const noexcept;

  std::vector<Item> items_;
};

}  // namespace tutti
