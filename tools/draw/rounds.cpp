// Sorts messages into rounds, and counts these.
#include "tools/draw/rounds.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/analysis/world.hpp"

namespace tutti::tools {
namespace {

using collectives::Place;
using collectives::StepId;
using collectives::StepKind;
using collectives::World;

class Rounds {
 public:
  explicit Rounds(std::span<const collectives::Schedule> schedules)
      : world_(schedules),
        after_(world_.steps()),
        sent_(world_.steps(), -1),
        waits_(world_.steps()),
        last_(world_.pairs(), -1) {
    for (Rank rank = 0; rank < world_.P(); ++rank) take(rank);
    while (!due_.empty()) {
      auto next = due_.extract(due_.begin());
      std::vector<Place>& sends = next.mapped();
      std::sort(sends.begin(), sends.end(),
                [](Place a, Place b) { return std::tie(a.rank, a.id) < std::tie(b.rank, b.id); });
      for (const Place place : sends) send(place, next.key());
    }
  }
  std::map<int, std::vector<RoundMessage>> messages;  // by round, from 0

 private:
  int& after(Place place) { return after_[world_.number(place)]; }  // rounds before the step

  void take(Rank rank) {
    world_.take_ready(rank, [&](Place place) { serve(place); });
  }
  void serve(Place place) {
    const auto& step = world_.step(place);
    if (step.kind == StepKind::send) {
      due_[after(place)].push_back(place);
    } else if (!collectives::receives(step.kind)) {
      done(place, after(place));
    } else if (const int sent = sent_[world_.number(world_.partner(place))]; sent >= 0) {
      done(place, std::max(after(place), sent + 1));
    } else {
      waits_[world_.number(place)] = true;
    }
  }
  void send(Place place, int round) {
    int& last = last_[world_.pair(place)];
    if (last == round) {
      due_[round + 1].push_back(place);
      return;
    }
    last = round;
    const Place receive = world_.partner(place);
    sent_[world_.number(place)] = round;
    messages[round].push_back({place.rank, receive.rank, length_of(world_.step(place))});
    done(place, round);
    take(place.rank);
    if (!waits_[world_.number(receive)]) return;
    done(receive, std::max(after(receive), round + 1));
    take(receive.rank);
  }
  void done(Place place, int rounds) {
    for (const StepId next : world_.schedule(place.rank).successors_of(place.id)) {
      int& later = after({place.rank, next});
      later = std::max(later, rounds);
    }
    world_.done(place);
  }

  World world_;
  std::vector<int> after_, sent_;          // by step; −1: not yet
  std::vector<bool> waits_;                // receives
  std::vector<int> last_;                  // the round of the last message, by pair of ranks
  std::map<int, std::vector<Place>> due_;  // sends by the round in which they may go
};

}  // namespace

std::vector<RoundColumn> rounds_of(std::span<const collectives::Schedule> schedules) {
  Rounds rounds{schedules};
  std::vector<RoundColumn> all;
  for (auto& [round, messages] : rounds.messages) {
    std::sort(messages.begin(), messages.end(), [](const RoundMessage& a, const RoundMessage& b) {
      return std::tie(a.from, a.to, a.bytes) < std::tie(b.from, b.to, b.bytes);
    });
    RoundColumn column{round + 1, round + 1, {}, messages[0].bytes, messages[0].bytes};
    for (const RoundMessage& message : messages) {
      column.least = std::min(column.least, message.bytes);
      column.most = std::max(column.most, message.bytes);
    }
    column.messages = std::move(messages);
    all.push_back(std::move(column));
  }
  return all;
}

void join_alike(std::vector<RoundColumn>& columns) {
  std::vector<RoundColumn> all;
  for (RoundColumn& column : columns) {
    const bool alike =
        !all.empty() &&
        std::equal(column.messages.begin(), column.messages.end(), all.back().messages.begin(),
                   all.back().messages.end(), [](const RoundMessage& a, const RoundMessage& b) {
                     return a.from == b.from && a.to == b.to;
                   });
    if (!alike) {
      all.push_back(std::move(column));
      continue;
    }
    all.back().last = column.last;
    all.back().least = std::min(all.back().least, column.least);
    all.back().most = std::max(all.back().most, column.most);
  }
  columns = std::move(all);
}

}  // namespace tutti::tools
