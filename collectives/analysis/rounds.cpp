// Plays all ranks round by round. Pure.
#include "collectives/analysis/rounds.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace tutti::collectives {
namespace {

class Play {
 public:
  Play(World& world, int ports, Order order, const RoundObserver* observer)
      : world_(world),
        ports_(ports),
        order_(order),
        observer_(observer),
        arrived_(world.steps()),
        posted_(world.steps()),
        turn_(world.steps()),
        sent_(index(world.P())),
        got_(index(world.P())) {
    world_.reset();
    for (Rank rank = 0; rank < world_.P(); ++rank) {
      int sends = 0, receipts = 0;
      for (StepId id = 0; id < world_.schedule(rank).steps.size(); ++id) {
        const Place place{rank, id};
        const StepKind kind = world_.step(place).kind;
        if (is_message(kind))
          turn_[world_.number(place)] = kind == StepKind::send ? sends++ : receipts++;
      }
    }
  }

  int run() {
    for (int round = 0;; ++round) {
      for (Rank rank = 0; rank < world_.P(); ++rank)
        world_.take_ready(rank, [&](Place place) { serve(place); });
      if (world_.finished()) return round;
      const std::vector<Message> now = choose();
      if (now.empty()) return -1;
      if (observer_) observer_->messages(now);
      for (const Message& message : now) {
        world_.done(message.send);
        arrived_[world_.number(message.receive)] = 1;
        if (posted_[world_.number(message.receive)]) finish(message.receive);
      }
    }
  }

 private:
  // Local steps run at once, and so do receives whose message is there.
  void serve(Place place) {
    const StepKind kind = world_.step(place).kind;
    if (kind == StepKind::send)
      waiting_.push_back({place, world_.partner(place)});
    else if (!receives(kind) || arrived_[world_.number(place)])
      finish(place);
    else
      posted_[world_.number(place)] = 1;
  }

  void finish(Place place) {
    if (observer_ && world_.step(place).kind != StepKind::recv) observer_->local(place);
    world_.done(place);
  }

  // Takes the messages of one round from those that wait.
  std::vector<Message> choose() {
    std::sort(waiting_.begin(), waiting_.end(), [](const Message& a, const Message& b) {
      return std::tuple(a.send.id, a.receive.id, a.send.rank) <
             std::tuple(b.send.id, b.receive.id, b.send.rank);
    });
    std::vector<Message> now;
    std::vector<int> out(index(world_.P())), in(index(world_.P()));
    for (bool moved = true; moved;) {  // a message that goes may let an earlier one of the list go
      moved = false;
      std::vector<Message> later;
      for (const Message& message : waiting_) {
        const std::size_t from = index(message.send.rank), to = index(message.receive.rank);
        const bool port = ports_ == kAnyPorts || (out[from] < ports_ && in[to] < ports_);
        if (!port || !in_turn(message)) {
          later.push_back(message);
          continue;
        }
        ++out[from], ++in[to];
        ++sent_[from], ++got_[to];
        now.push_back(message);
        moved = order_ == Order::written;
      }
      waiting_.swap(later);
    }
    return now;
  }

  bool in_turn(const Message& message) const {
    return order_ == Order::ready ||
           (turn_[world_.number(message.send)] == sent_[index(message.send.rank)] &&
            turn_[world_.number(message.receive)] == got_[index(message.receive.rank)]);
  }

  World& world_;
  const int ports_;
  const Order order_;
  const RoundObserver* const observer_;
  std::vector<char> arrived_, posted_;  // by step: of receives
  std::vector<int> turn_;        // by step: of a send among its rank's sends, of a receive likewise
  std::vector<int> sent_, got_;  // by rank
  std::vector<Message> waiting_;  // their sends are ready
};

}  // namespace

int rounds(World& world, int ports, Order order) {
  return world.messages().ok() ? Play{world, ports, order, nullptr}.run() : -1;
}

int rounds(World& world, int ports, Order order, const RoundObserver& observer) {
  return world.messages().ok() ? Play{world, ports, order, &observer}.run() : -1;
}

int rounds(std::span<const Schedule> all_ranks, int ports, Order order) {
  World world(all_ranks);
  return rounds(world, ports, order);
}

}  // namespace tutti::collectives
