// Plays all ranks by rounds. Pure.
#include "collectives/analysis/rounds.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "collectives/schedule/cursor.hpp"
#include "collectives/analysis/matching.hpp"

namespace tutti::collectives {
namespace {

struct Message {
  std::size_t from, to;
  StepId send, receive;
};

class Play {
 public:
  Play(std::span<const Schedule> all, const Matching& matching, int ports, Order order)
      : all_(all),
        matching_(matching),
        ports_(ports),
        order_(order),
        arrived_(matching.partner.size()),
        posted_(matching.partner.size()),
        place_(matching.partner.size()),
        sent_(all.size()),
        got_(all.size()) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      cursors_.emplace_back(all[rank]);
      int sends = 0, receipts = 0;
      for (StepId id = 0; id < all[rank].steps.size(); ++id) {
        const StepKind kind = all[rank].steps[id].kind;
        if (is_message(kind))
          place_[matching.first[rank] + id] = kind == StepKind::send ? sends++ : receipts++;
      }
    }
  }

  int run() {
    for (int round = 0;; ++round) {
      for (std::size_t rank = 0; rank < all_.size(); ++rank) settle(rank);
      if (std::all_of(cursors_.begin(), cursors_.end(),
                      [](const Cursor& cursor) { return cursor.finished(); }))
        return round;
      const std::vector<Message> now = choose();
      if (now.empty()) return -1;
      for (const Message& message : now) {
        cursors_[message.from].done(message.send);
        arrived_[matching_.first[message.to] + message.receive] = 1;
        if (posted_[matching_.first[message.to] + message.receive])
          cursors_[message.to].done(message.receive);
      }
    }
  }

 private:
  // Everything local, and receives whose message is there.
  void settle(std::size_t rank) {
    Cursor& cursor = cursors_[rank];
    while (!cursor.ready().empty()) {
      const auto ready = cursor.ready();
      cursor.take_all();
      for (const StepId id : ready) {
        const AnyStep step = matching_.first[rank] + id;
        const StepKind kind = all_[rank].steps[id].kind;
        if (kind == StepKind::send) {
          const auto peer = static_cast<std::size_t>(all_[rank].steps[id].peer);
          waiting_.push_back({rank, peer, id, matching_.partner[step] - matching_.first[peer]});
        } else if (!receives(kind) || arrived_[step]) {
          cursor.done(id);
        } else {
          posted_[step] = 1;
        }
      }
    }
  }

  // Takes the messages of a round off those that wait.
  std::vector<Message> choose() {
    std::sort(waiting_.begin(), waiting_.end(), [](const Message& a, const Message& b) {
      return std::tuple(a.send, a.receive, a.from) < std::tuple(b.send, b.receive, b.from);
    });
    std::vector<Message> now;
    std::vector<int> out(all_.size()), in(all_.size());
    for (bool moved = true; moved;) {  // one that goes may let an earlier one of this list go
      moved = false;
      std::vector<Message> later;
      for (const Message& message : waiting_) {
        const bool port =
            ports_ == kAnyPorts || (out[message.from] < ports_ && in[message.to] < ports_);
        if (!port || !in_turn(message)) {
          later.push_back(message);
          continue;
        }
        ++out[message.from], ++in[message.to];
        ++sent_[message.from], ++got_[message.to];
        now.push_back(message);
        moved = order_ == Order::written;
      }
      waiting_.swap(later);
    }
    return now;
  }

  bool in_turn(const Message& message) const {
    return order_ == Order::ready ||
           (place_[matching_.first[message.from] + message.send] == sent_[message.from] &&
            place_[matching_.first[message.to] + message.receive] == got_[message.to]);
  }

  const std::span<const Schedule> all_;
  const Matching& matching_;
  const int ports_;
  const Order order_;
  std::vector<char> arrived_, posted_;  // of each receive
  std::vector<int>
      place_;  // of each send among its rank's sends, of each receive among its receives
  std::vector<int> sent_, got_;   // by rank
  std::vector<Message> waiting_;  // their sends are ready
  std::vector<Cursor> cursors_;
};

}  // namespace

int rounds(std::span<const Schedule> all_ranks, int ports, Order order) {
  Matching matching;
  if (!match(all_ranks, matching).ok()) return -1;
  return Play{all_ranks, matching, ports, order}.run();
}

}  // namespace tutti::collectives
