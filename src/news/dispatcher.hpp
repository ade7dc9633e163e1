// Dispatcher: hands the news of all channels to the agreement that it concerns, and this rank's
// news to the members.
//
// Knows every communicator of this process by its identifier, and which identifiers are free, in
// use or were used before: what still comes for a freed one is nobody's, and news of one that this
// rank has not made yet is kept until it has. A peer that asks after a freed one hears what it
// would have heard before.
#pragma once

#include <array>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/news.hpp"
#include "src/news/agreement.hpp"
#include "src/news/connections.hpp"
#include "src/news/early_news.hpp"
#include "src/news/freed.hpp"
#include "src/news/identifiers.hpp"
#include "src/news/member_channels.hpp"

namespace tutti {

class Dispatcher final : public protocols::Listener {
 public:
  // `connections` must outlive this object; it may be under construction. `warn` takes what
  // warn() is told; null: nobody does. `lock` is held by whoever calls, and free in waits that may
  // be long; null: one thread only.
  explicit Dispatcher(Connections& connections, Log warn = {}, std::mutex* lock = nullptr)
      : connections_(connections), warn_(std::move(warn)), lock_(lock) {}

  Identifiers& identifiers() noexcept { return identifiers_; }
  bool is_free(CommunicatorId id) const noexcept { return !find(id) && !freed(id).has(id); }
  // From now on until remove(), `agreement` hears what concerns it, and at once what came before;
  // but nothing does before it has an identifier. Throws std::bad_alloc.
  void add(Agreement& agreement);
  // The members have agreed on its identifier, unless it is taken on one of them.
  void identify(Agreement& agreement, CommunicatorId id) noexcept;
  // The identifier is taken on no member: its agreement hears what came before.
  void hear_early(CommunicatorId id) noexcept {
    early_.take(id, [this](const EarlyNews::Item& item) {
      item.is_notice ? hear_notice(item.news, item.from) : hear(item.news, item.from);
    });
  }
  void remove(Agreement& agreement) noexcept;
  const std::vector<Agreement*>& agreements() const noexcept { return agreements_; }
  // Reads and sends news, and looks at what has come, though this rank waits for nothing in Tutti:
  // it may not for long, and peers may wait for slots.
  void catch_up() noexcept;
  // Warns of a mistake that no call can return any more.
  void warn(std::string_view line) const noexcept;

  // Tells a new peer what it must still hear.
  void send_old_news(protocols::Channel& channel) noexcept;
  // Tells the members: on this node all of them, elsewhere the connected ones, and the `near` ones,
  // which may wait in a call that has connected this rank to nobody yet. Waits until the news is on
  // its way, as this rank may not enter Tutti again for long: 0.3 s at most, and 5 s for
  // connections that come about. For those to whom the news is not on its way then, it leaves a
  // notice.
  enum class Reach : bool { connected, near };
  void spread(const Agreement& agreement, const protocols::News& news, Reach reach) noexcept;
  // Tells the members that the communicator has failed, and ends all use of the buffers of calls
  // that have ended.
  void spread_failure(const Agreement& agreement) noexcept;
  // The buffers of a failed call are the caller's again after it: see reclaim_buffers().
  void end_use(const Agreement& agreement) noexcept;
  // The last that is sent: failures, and news that waits for credit, for 5 s at most.
  void send_last_news() noexcept;

  // Null: there is none.
  Agreement* find(CommunicatorId id) const noexcept;

  void hear(const protocols::News& news, int from) noexcept override;
  void hear_notice(const protocols::News& news, int from) noexcept override;
  void hear_standing(const protocols::Standing& standing, int from) noexcept override;
  bool unwanted(const MessageName& name, int from) noexcept override;
  protocols::News why_unwanted(const MessageName& name, int from) noexcept override;

 private:
  protocols::Standing standing_from(protocols::Standing mine) const noexcept;
  static std::size_t kind_of(CommunicatorId id) noexcept {
    return static_cast<std::size_t>(id >= Identifiers::kUpper) +
           static_cast<std::size_t>(id >= Identifiers::kEnd);
  }
  const Freed& freed(CommunicatorId id) const noexcept { return freed_[kind_of(id)]; }
  Freed& freed(CommunicatorId id) noexcept { return freed_[kind_of(id)]; }
  void keep_early(const EarlyNews::Item& item) noexcept;
  void leave_notice(const protocols::News& news) noexcept;
  void came_after_the_end(const MessageName& name, int from) noexcept;
  MemberChannels channels_of(const Agreement& agreement) const noexcept {
    return {connections_, agreement.members()};
  }

  Connections& connections_;
  const Log warn_;
  std::mutex* const lock_;
  bool left_ = false;  // nothing is read or told any more
  std::vector<Agreement*> agreements_;
  // The freed numbers, apart for each half of those that are voted on and for the others: between
  // freed numbers of different kinds lie many that are free.
  std::array<Freed, 3> freed_{Freed{}, Freed{}, Freed{Freed::Gaps::stay}};
  Identifiers identifiers_;
  EarlyNews early_;
  // Communicators of which notices were left, which stay.
  std::array<CommunicatorId, transport::Notices::kMost> noticed_{};
  std::size_t notices_ = 0;
};

}  // namespace tutti
