// One loop over the events in the order of time. All events of one moment are taken before any rank
// decides what it does next, so that the decision does not depend on their order.
#include "models/simulation/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "models/simulation/chance.hpp"
#include "models/simulation/critical_path.hpp"
#include "models/simulation/event_queue.hpp"
#include "models/simulation/level_costs.hpp"
#include "models/simulation/player.hpp"

namespace tutti::models {
namespace {

using collectives::Cursor;
using collectives::kNoStep;
using collectives::Schedule;
using collectives::Step;
using collectives::StepId;
using collectives::StepKind;

constexpr double kTinyPart = 1e-12;  // part of a time by which equal ones may differ

class Simulation {
 public:
  Simulation(int P, const Platform& platform, const SimulationOptions& setting)
      : platform_(platform),
        setting_(setting),
        costs_(platform),
        players_(index(P)),
        alike_(platform.copy_per_byte == 0),
        chance_(setting.seed) {
    const int nodes =
        setting.node.empty() ? P : 1 + *std::max_element(setting.node.begin(), setting.node.end());
    result_.nodes.resize(index(nodes));
    result_.finished.resize(index(P));
    for (const Level level : kLevels)
      out_[level].assign(index(shared(level) ? nodes : P),
                         Port{level == kBetween ? platform.adapters : 1}),
          in_[level] = out_[level];
  }

  Result run(const std::function<Schedule(Rank)>& schedule_of) {
    for (Rank rank = 0; rank < P(); ++rank) {
      prepare(rank, schedule_of(rank));
      const double late = setting_.late > 0 ? setting_.late * chance_.uniform() : 0;
      events_.push({late, Event::enter, rank, 0});
    }
    while (!events_.empty()) {
      const double now = events_.top().time;
      for (; !events_.empty() && events_.top().time == now; ++result_.events) {
        const Event event = events_.top();
        events_.pop();
        happen(event);
      }
      for (const Rank rank : touched_) decide(rank, now);
      touched_.clear();
    }
    for (Rank rank = 0; rank < P(); ++rank)
      if (player(rank).cursor) never_finishes(rank);
    result_.time = *std::max_element(result_.finished.begin(), result_.finished.end());
    result_.scripts = alike_.scripts();
    if (setting_.record) result_.critical_path = critical_path(result_.bars);
    return std::move(result_);
  }

 private:
  // Nothing will happen any more.
  void never_finishes(Rank rank) {
    if (!setting_.may_block)
      throw Error(Code::internal, fmt::format("rank {} never finishes its schedule", rank));
    const auto& marks = player(rank).marks;
    for (StepId id = 0; id < marks.size(); ++id) {
      const Step& some = step(rank, id);
      if (!(marks[id] & kPosted) || !collectives::is_message(some.kind)) continue;
      const bool waits =
          collectives::receives(some.kind)
              ? !(marks[id] & kArrived)
              : waits_for_receiver(level(rank, peer(rank, some)), some) && !(marks[id] & kNoticed);
      if (waits) result_.blocked.push_back({rank, peer(rank, some), id});
    }
  }

  int P() const noexcept { return static_cast<int>(players_.size()); }
  Player& player(Rank rank) noexcept { return players_[index(rank)]; }
  int node(Rank rank) const noexcept {
    return setting_.node.empty() ? rank : setting_.node[index(rank)];
  }
  int socket(Rank rank) const noexcept {
    return setting_.socket.empty() ? 0 : setting_.socket[index(rank)];
  }
  Level level(Rank a, Rank b) const noexcept {
    if (!platform_.within || node(a) != node(b)) return kBetween;
    return platform_.between_sockets && socket(a) != socket(b) ? kAcross : kWithin;
  }
  bool shared(Level level) const noexcept { return level == kBetween && platform_.shared_ports; }
  Port& port(std::vector<Port> (&ports)[3], Level level, Rank rank) noexcept {
    return ports[level][index(shared(level) ? node(rank) : rank)];
  }
  const Step& step(Rank rank, StepId id) noexcept {
    return player(rank).script->schedule.steps[id];
  }
  Rank peer(Rank rank, const Step& step) noexcept {
    return player(rank).script->peer_of(rank, step);
  }
  double stretched(double time) noexcept {
    return setting_.noise > 0 ? time * (1 + setting_.noise * chance_.exponential()) : time;
  }
  bool waits_for_receiver(Level level, const Step& message) const noexcept {
    using protocols::Protocol;
    const Bytes bytes = length_of(message);
    if (bytes > rendezvous_above(costs_.model(level))) return true;
    if (!setting_.limits) return false;
    const Protocol protocol = protocols::protocol_for(bytes, message.use, *setting_.limits);
    return protocol == Protocol::rendezvous || protocols::may_be_fetched(protocol);
  }

  void prepare(Rank rank, Schedule schedule) {
    Player& mine = player(rank);
    mine.script = alike_.script_of(std::move(schedule));
    mine.cursor = std::make_unique<Cursor>(mine.script->shape);
    mine.marks.resize(mine.script->schedule.steps.size());
    if (setting_.record) arrivals_.emplace_back(mine.marks.size());
    if (!costs_.asks_for_destinations()) return;
    std::array<Bytes, 3> destinations{};
    mine.script->each_destination(rank, [&](Rank to) { ++destinations[level(rank, to)]; });
    costs_.add_next_rank(destinations);
  }

  void touch(Rank rank) {
    if (std::exchange(player(rank).touched, true)) return;
    touched_.push_back(rank);
  }

  void happen(const Event& event) {
    const Rank rank = event.rank;
    const StepId id = event.step();
    switch (event.kind()) {
      case Event::enter: player(rank).free = event.time; [[fallthrough]];
      case Event::wake: return touch(rank);
      case Event::done: player(rank).cursor->done(id); return touch(rank);
      case Event::reaches: return reaches(rank, id, event.time);
      case Event::passed: return passed(rank, id, event.time);
      case Event::notice:
        player(rank).marks[id] |= kNoticed;
        send_if_possible(rank, id);
        return touch(rank);
    }
  }

  // The message is at the receiver's port, or what the receiver may begin with.
  void reaches(Rank rank, StepId id, double now) {
    const Step& mine = step(rank, id);
    const Level at = level(rank, peer(rank, mine));
    const Costs costs = costs_.of(at, length_of(mine));
    Port& in = port(in_, at, rank);
    const double earlier = costs_.head_start(at, mine), soonest = now + earlier - costs.spacing;
    double end = now;
    if (costs.ahead > 0) {  // a burst, of messages of one length
      const double begin = std::max(soonest, in.turn - costs.ahead);
      in.take(begin, costs.spacing);
      if (begin > soonest) end = begin + costs.spacing - earlier;
    } else if (const double passed = in.let_pass(soonest, costs.spacing);
               passed - (soonest + costs.spacing) > kTinyPart * passed) {
      end = passed - earlier;
    }
    if (end > now)
      events_.push({end, Event::passed, rank, id});
    else
      passed(rank, id, now);
  }

  void passed(Rank rank, StepId id, double now) {
    Player& mine = player(rank);
    mine.marks[id] |= kArrived;
    if (setting_.record) arrivals_[index(rank)][id].time = now;
    if (mine.marks[id] & kPosted) mine.work.push(id);
    touch(rank);
  }

  // Both its turn in the schedule and, if need be, the receiver's notice have come.
  void send_if_possible(Rank rank, StepId id) {
    Player& mine = player(rank);
    if (!(mine.marks[id] & kPosted)) return;
    const Step& send = step(rank, id);
    const Level to = level(rank, peer(rank, send));
    if (waits_for_receiver(to, send) && !(mine.marks[id] & kNoticed)) return;
    mine.sends[to].push(id);
  }

  void post(Rank rank, StepId id) {
    Player& mine = player(rank);
    const Step& some = step(rank, id);
    mine.marks[id] |= kPosted;
    if (some.kind == StepKind::send) return send_if_possible(rank, id);
    if (some.kind == StepKind::copy && some.source.length == 0) return mine.cursor->done(id);
    if (!receives(some.kind)) return mine.work.push(id);
    if (mine.marks[id] & kArrived) return mine.work.push(id);
    if (waits_for_receiver(level(rank, peer(rank, some)), some)) mine.notices.push(id);
  }

  // The rank starts what it can start now.
  void decide(Rank rank, double now) {
    Player& mine = player(rank);
    mine.touched = false;
    if (mine.wake <= now) mine.wake = kNotDue;
    while (mine.cursor) {
      while (!mine.cursor->ready().empty()) {
        const auto ready = mine.cursor->ready();
        mine.cursor->take_all();
        for (const StepId id : ready) post(rank, id);
      }
      if (mine.cursor->finished()) return finish(rank, now);
      if (now < mine.free || !start_one(rank, now)) return wake_if_needed(rank, now);
    }
  }

  // The first step, in the order of the schedule, that can start.
  bool start_one(Rank rank, double now) {
    Player& mine = player(rank);
    StepId first = kNoStep;
    StepQueue* from = nullptr;
    const auto consider = [&](StepQueue& waiting) {
      if (waiting.empty() || waiting.front() >= first) return;
      first = waiting.front();
      from = &waiting;
    };
    consider(mine.notices);
    consider(mine.work);
    for (const Level to : kLevels)
      if (!mine.sends[to].empty() && now >= opens(rank, to)) consider(mine.sends[to]);
    if (!from) return false;
    from->pop();
    if (from == &mine.notices)
      send_notice(rank, first, now);
    else if (from == &mine.work)
      work(rank, first, now);
    else
      send(rank, first, now);
    return true;
  }

  double opens(Rank rank, Level to) noexcept {
    const Bytes bytes = length_of(step(rank, player(rank).sends[to].front()));
    return port(out_, to, rank).turn - costs_.out(to, rank, bytes).ahead;
  }

  void wake_if_needed(Rank rank, double now) {
    Player& mine = player(rank);
    double due = kNotDue;
    if (!mine.work.empty() || !mine.notices.empty()) due = now;
    for (const Level to : kLevels)
      if (!mine.sends[to].empty()) due = std::min(due, std::max(now, opens(rank, to)));
    due = std::max(due, mine.free);
    if (due >= mine.wake || due == kNotDue) return;
    mine.wake = due;
    events_.push({due, Event::wake, rank, 0});
  }

  // A step ends; in the same moment if it takes no time.
  void end(Rank rank, StepId id, double now, double when) {
    if (when > now)
      events_.push({when, Event::done, rank, id});
    else
      player(rank).cursor->done(id);
  }

  void send(Rank rank, StepId id, double now) {
    Player& mine = player(rank);
    const Step& send = step(rank, id);
    const Rank to = peer(rank, send);
    const Bytes bytes = length_of(send);
    const Level over = level(rank, to);
    const Costs costs = costs_.out(over, rank, bytes);
    Port& out = port(out_, over, rank);
    const bool first = now > out.turn && now > mine.sent;
    const double busy = now + stretched(first ? costs.send : costs.send_next);
    const std::int64_t behind = now == out.turn - costs.ahead ? out.holder : kNoBar;
    out.take(now, costs.gap,
             setting_.record ? static_cast<std::int64_t>(result_.bars.size()) : kNoBar);
    mine.free = mine.sent = busy;
    const StepId receive = player(to).script->receive(to, rank, send.ordinal);
    if (receive == kNoStep || length_of(step(to, receive)) != bytes)
      throw Error(Code::internal,
                  fmt::format("rank {} sends {} bytes to rank {}, which does not expect them", rank,
                              bytes, to));
    count(rank, to, bytes);
    const double held = busy + costs.held - costs.send;
    if (setting_.record) {
      arrivals_[index(to)][receive].from = static_cast<std::int64_t>(result_.bars.size());
      result_.bars.push_back(
          {rank, to, id, send.kind, bytes, now, busy, held, out.turn, 0, kNoBar, behind});
    }
    const double whole = busy + stretched(costs.flight);
    events_.push({whole - costs_.head_start(over, step(to, receive)), Event::reaches, to, receive});
    end(rank, id, now, held);
  }

  // Receives, combines, copies.
  void work(Rank rank, StepId id, double now) {
    Player& mine = player(rank);
    const Step& some = step(rank, id);
    const auto bytes = static_cast<double>(length_of(some));
    double time = some.kind == StepKind::copy ? platform_.copy_per_byte * bytes : 0;
    if (some.kind == StepKind::reduce || some.kind == StepKind::recv_reduce)
      time = platform_.reduce_per_byte * bytes;
    if (some.kind == StepKind::reduce && bytes == 0 && setting_.computing)
      time = setting_.computing(rank, id);
    if (receives(some.kind)) {
      const Costs costs = costs_.of(level(rank, peer(rank, some)), length_of(some));
      time += now == mine.received ? costs.receive_next : costs.receive;
    }
    const double busy = now + stretched(time);
    if (receives(some.kind)) mine.received = busy;
    mine.free = busy;
    if (setting_.record) {
      const auto [arrived, from] = arrivals_[index(rank)][id];
      result_.bars.push_back({rank, receives(some.kind) ? peer(rank, some) : -1, id, some.kind,
                              length_of(some), now, busy, busy, busy, arrived, from});
    }
    end(rank, id, now, busy);
  }

  void send_notice(Rank rank, StepId id, double now) {
    Player& mine = player(rank);
    const Step& receive = step(rank, id);
    const Rank from = peer(rank, receive);
    const Costs costs = costs_.of(level(rank, from), 0);
    mine.free = now + stretched(costs.send);
    const StepId send = player(from).script->send(from, rank, receive.ordinal);
    if (send == kNoStep)
      throw Error(Code::internal,
                  fmt::format("rank {} waits for a message that rank {} never sends", rank, from));
    events_.push({mine.free + stretched(costs.flight), Event::notice, from, send});
  }

  void finish(Rank rank, double now) {
    Player& mine = player(rank);
    result_.finished[index(rank)] = now;
    mine.cursor.reset();
    mine.marks = {};
  }

  void count(Rank from, Rank to, Bytes bytes) {
    const auto add = [bytes](Traffic& traffic) { ++traffic.messages, traffic.bytes += bytes; };
    const int a = node(from), b = node(to);
    add(a == b ? result_.within : result_.between);
    if (a == b && socket(from) != socket(to)) add(result_.between_sockets);
    if (a == b) return;
    add(result_.nodes[index(a)].sent);
    add(result_.nodes[index(b)].received);
    if (setting_.links) add(result_.links[{a, b}]);
  }

  const Platform& platform_;
  const SimulationOptions& setting_;
  LevelCosts costs_;
  std::vector<Player> players_;
  std::vector<Port> out_[3], in_[3];  // by level; of a rank, or of a node
  ScriptCache alike_;
  Chance chance_;
  EventQueue events_;
  std::vector<Rank> touched_;  // something has happened to them at this moment
  struct Arrival {
    double time = 0;
    std::int64_t from = -1;  // the sender's bar
  };
  std::vector<std::vector<Arrival>> arrivals_;  // by rank and step, if recorded
  Result result_;
};

}  // namespace

Result simulate(int P, const std::function<Schedule(Rank)>& schedule_of, const Platform& platform,
                const SimulationOptions& setting) {
  return Simulation{P, platform, setting}.run(schedule_of);
}

}  // namespace tutti::models
