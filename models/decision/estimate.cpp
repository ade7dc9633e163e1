// Adds the rounds up. The rules are those of models/platform/costs.hpp, for whole rounds instead of
// messages. Pure.
#include "models/decision/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "models/decision/occupied.hpp"
#include "models/decision/paths.hpp"

namespace tutti::models {
namespace {

using collectives::Facts;

struct Wire {
  Costs costs;
  double time = 0;   // of one message
  double ahead = 0;  // of the sending port

  Wire() = default;
  Wire(const Model& model, Bytes bytes, double gap_factor) noexcept
      : costs(costs_of(model, bytes)), ahead(costs.ahead) {
    if (gap_factor != 1) {
      const Costs scaled = with_gap(model, costs, gap_factor);
      costs.gap = scaled.gap;
      ahead = scaled.ahead;
    }
    time = costs.send + costs.flight + costs.receive;
    if (bytes <= rendezvous_above(model)) return;
    const Costs notice = costs_of(model, 0);
    time += notice.send + notice.flight;
  }
  // The receiver takes pieces while the sender makes the next ones.
  void in_pieces(const Model& model, Bytes bytes, Bytes piece) noexcept {
    if (piece <= 0 || bytes <= piece) return;
    const double last = costs_of(model, piece).receive;
    time -= std::max(0.0, std::min(costs.send, costs.receive) - last);
  }
};

// How long the last of some messages waits for the others.
double queue(double messages, double each, double ahead) noexcept {
  return std::max(0.0, (messages - 1) * each - ahead);
}

// Factors on the gaps of the ports of the rank that sends to most others, by how many these are.
Count gap_factors(const Sketch& sketch, const Platform& platform) noexcept {
  const auto factor = [](const std::optional<Curve>& table, double ranks) {
    return table ? (*table)(static_cast<Bytes>(ranks)) : 1;
  };
  const Count& to = sketch.destinations;
  return {factor(platform.gap_by_destinations.within, to.near),
          factor(platform.gap_by_destinations.between,
                 platform.within ? to.far : sketch.most_destinations)};
}

// One round: what the rank on the critical path and the ports make of it, and the cores.
class Round {
 public:
  Round(const Stage& stage, const Platform& platform, const Cores& cores, const Count& gap_factors,
        double apart_before = 0) noexcept
      : stage_(stage),
        platform_(platform),
        out_(stage.out),
        in_(stage.in),
        all_(stage.all),
        apart_before_(apart_before) {
    if (!platform.within) {  // one kind of message
      for (Count* const count : {&out_, &in_, &all_}) *count = {0, count->both()};
    }
    if (all_.near + out_.near + in_.near > 0 || stage.stays) {
      const Model& within = platform.within ? *platform.within : platform.between;
      near_ = {within, stage.bytes, gap_factors.near};
      near_.in_pieces(within, stage.bytes, platform.piece);
    }
    if (all_.far + out_.far + in_.far + stage.leaving > 0)
      far_ = {platform.between, stage.bytes, gap_factors.far};
    far_gap_ = far_.costs.gap / platform.adapters;
    far_spacing_ = far_.costs.spacing / platform.adapters;
    first = wire().time;
    queue_at_node_ = far_queue(stage_.leaving, far_.costs.gap, 0);
    if (stage.others > 0) {
      gap_of_others_ = costs_of(platform.between, stage.of_others).gap;
      queue_at_node_ = std::max(queue_at_node_, far_queue(stage.others, gap_of_others_, 0));
    }
    occupy();
    add_up(cores);
    if (!stage.stays) return;
    time = std::max(occupied.most(), near_.time);  // or the path goes on within the node
    first = std::min(first, time);
    compute = std::min(compute, time - first);
  }

  double time = 0;      // on the critical path
  double first = 0;     // of it: one message,
  double compute = 0;   // and combining and copying
  double work = 0;      // of all cores
  double passing = 0;   // the node's port, by one segment, in all such rounds
  double arriving = 0;  // from when a message has left a port, until the rank has it
  double sent = 0;      // until others may be sent, if some of them need not have come
  double apart = 0;     // how far the ranks of a node have got apart at its port
  Occupied occupied;

 private:
  // The wire of the last message to come.
  const Wire& wire() const noexcept { return out_.far + in_.far > 0 ? far_ : near_; }
  double on_wires(const Count& count, double Costs::*member) const noexcept {
    return count.near * near_.costs.*member + count.far * far_.costs.*member;
  }

  void occupy() noexcept {
    combining_ = stage_.combined * platform_.reduce_per_byte;
    copying_ = stage_.copied * platform_.copy_per_byte;
    sending_ = on_wires(out_, &Costs::send_next);
    receiving_ = on_wires(in_, &Costs::receive_next);
    border_ = out_.both() > 0 ? std::max({stage_.border, out_.far, in_.far}) : stage_.border;
    const double taking = receiving_ + combining_ + copying_;
    const double one = std::max(sending_, taking);
    const double of_others = stage_.hands_down ? sending_
                             : stage_.exchange ? sending_ + taking
                                               : one;
    const double of_leader = stage_.one_side ? std::min(one, of_others) : of_others;
    const double of_child = stage_.hands_down ? taking : 0;
    occupied = {{of_leader, of_child},
                {of_others, of_child},
                out_.near * near_.costs.gap,
                in_.near * near_.costs.spacing,
                border_ * far_gap_,
                in_.far * far_spacing_,
                platform_.shared_ports
                    ? std::max(stage_.leaving * far_gap_,
                               stage_.others * gap_of_others_ / platform_.adapters)
                    : 0};
    passing = platform_.shared_ports ? stage_.passing * far_gap_ : 0;
  }

  // Several adapters pass as many messages at a time.
  double far_queue(double messages, double each, double ahead) const noexcept {
    const double turns =
        platform_.adapters > 1 ? std::ceil(messages / platform_.adapters) : messages;
    return queue(turns, each, ahead);
  }
  // The part of combining that waits for the last message.
  double last_part() const noexcept {
    return stage_.combines_last ? 1 : 1 / std::max(1.0, in_.both());
  }
  // The time that combining the last message adds to its arrival.
  double last_combined() const noexcept {
    const double one = combining_ * last_part();
    if (stage_.combines_last) return one;
    if (in_.far > 0 || platform_.piece <= 0 || stage_.bytes <= platform_.piece) return one;
    const double of_piece =
        one * static_cast<double>(platform_.piece) / static_cast<double>(stage_.bytes);
    return std::max(one - wire().costs.gap, of_piece);  // while it comes
  }

  // How long the last rank of a node waits for its port, and how much longer than that works a
  // round takes. In rounds that repeat, the ranks come to the port one after another: they are
  // apart by their messages, or, if the port is never idle, by the time that one is on its way.
  std::pair<double, double> wait_for_node() noexcept {
    if (!platform_.shared_ports || stage_.staggered) return {0, 0};
    if (!stage_.repeats) return {queue_at_node_, 0};
    const double firsts = stage_.leaving / std::max(1.0, out_.far);  // one of each rank
    const double queue = std::min(queue_at_node_, far_queue(firsts, far_.costs.gap, 0));
    apart = std::min(queue, std::max(0.0, far_.time + compute - far_.costs.gap));
    const double more = std::max(0.0, apart - apart_before_) / std::max(1.0, stage_.rounds);
    return {more + queue_at_node_ - queue, more};
  }

  // The cost of a message beside another one that has its bytes.
  double start_of_another() const noexcept {
    const bool far = out_.far + in_.far > 0 || !platform_.within;
    const Costs costs = costs_of(far ? platform_.between : *platform_.within, 0);
    return std::max({costs.send_next, costs.gap, costs.spacing, costs.receive_next});
  }

  // A rank sends all messages, and receives while the last one to it is on its way: as many as have
  // been sent before, less those that it has received while its port had to wait.
  double hidden(double sends, double receives) const noexcept {
    if (stage_.by_rank) return 0;
    const Costs& costs = wire().costs;
    const double before = (out_.both() - 1) * std::max(0.0, costs.gap - costs.send_next);
    return std::clamp(costs.flight - before, 0.0, std::min(sends, receives));
  }

  void add_up(const Cores& cores) noexcept {
    const Costs& costs = wire().costs;
    compute = last_combined() + copying_;
    const auto [waiting, beside_port] = wait_for_node();
    const double waits = std::max({queue(out_.near, near_.costs.gap, wire().ahead),
                                   queue(in_.near, near_.costs.spacing, costs.ahead),
                                   far_queue(border_, far_.costs.gap, wire().ahead),
                                   far_queue(in_.far, far_.costs.spacing, costs.ahead), waiting});
    const double sends = std::max(0.0, sending_ - costs.send_next);
    const double receives = std::max(0.0, receiving_ - costs.receive_next);
    const double both =
        stage_.exchange ? sends + receives - hidden(sends, receives) : std::max(sends, receives);
    const double others = both + combining_ - combining_ * last_part();
    arriving = std::max(0.0, first + compute - costs.gap);
    // A rank that sends takes no pieces meanwhile.
    const double both_ways =
        stage_.exchange && !stage_.relays ? sending_ + receiving_ + combining_ + copying_ : 0;
    const double one = std::max(
        {first + compute + std::max(waits, others), occupied.ports() + beside_port, both_ways});
    time = one + (stage_.parted ? start_of_another() : 0);
    sent = occupied.most();
    if (stage_.needed > 0)
      sent = std::max(sent, first + compute + queue(stage_.needed, costs.spacing, costs.ahead));
    const double packets = cores.per_message + static_cast<double>(stage_.bytes) * cores.per_byte;
    const double receivers =
        all_.both() > 0 ? std::max(1.0, all_.both() / std::max(1.0, in_.both())) : 0;
    // Within a node there is no adapter: who keeps a port busy is a core.
    const double within = std::max(near_.costs.send, near_.costs.gap) +
                          std::max(near_.costs.receive, near_.costs.spacing);
    work = all_.near * within + all_.far * (far_.costs.send + far_.costs.receive + packets) +
           receivers * (combining_ + copying_);
  }

  const Stage& stage_;
  const Platform& platform_;
  Count out_, in_, all_;
  double apart_before_ = 0;   // in the round before
  double queue_at_node_ = 0;  // the wait of the last message, if all ranks begin at once
  double gap_of_others_ = 0;  // messages from another node
  Wire near_, far_;
  double far_gap_ = 0, far_spacing_ = 0;  // of one message, the adapters taken together
  double combining_ = 0, copying_ = 0, sending_ = 0, receiving_ = 0, border_ = 0;
};

// Ranks that share a core take turns, and each dependent step waits for one. A rank waits for half
// of the others on its core, or, if all wait in the same round, for all.
double turns(double woken, const Facts& facts, double cores) noexcept {
  if (!facts.oversubscribed || woken <= 0) return 0;
  return std::max({1.0, facts.P / cores / 2, woken / cores});
}

// Until the last message of the busiest port has come. If ranks of one node send in all rounds,
// that waits for no segment.
struct Port {
  double each = 0, arriving = 0, last = 0;
  void add(const Round& round, const Stage& stage) noexcept {
    each += round.passing;
    arriving = std::max(arriving, round.arriving);
    // The ports of other ranks than those on the critical path.
    if (stage.rounds > 0 && stage.busy > stage.rounds)
      last = std::max(last, stage.busy * round.occupied.ports() + round.arriving);
  }
  double until_end(double segments) const noexcept {
    return std::max(segments * each + arriving, last);
  }
};

// In `times` rounds, not all of which follow each other. The first one of two paths counts.
void count_messages(Estimate& sum, const Stage& stage, double times) noexcept {
  if (stage.order == Stage::Order::beside) return;
  const double near = times * std::max(stage.out.near, stage.in.near);
  const double far = times * std::max(stage.out.far, stage.in.far);
  const auto bytes = static_cast<double>(stage.bytes);
  sum.messages.near += near;
  sum.messages.far += far;
  sum.bytes.near += near * bytes;
  sum.bytes.far += far * bytes;
}

// In all rounds of those on the critical path. The first one of two paths counts.
double leaving_bytes(const Stage& stage) noexcept {
  if (stage.order == Stage::Order::beside || stage.rounds == 0) return 0;
  const double rounds = std::max(stage.rounds, stage.busy);
  return rounds * stage.leaving * static_cast<double>(stage.bytes);
}

// The mean time of further segments' rounds, whose messages are counted.
double step_of(const Sketch& sketch, double segments, const Platform& platform,
               const Count& gap_factors, Estimate& sum) noexcept {
  double step = 0;
  const auto steps = static_cast<double>(sketch.step.size());
  for (const Stage& stage : sketch.step) {
    const Round round{stage, platform, platform.cores.value_or(Cores{}), gap_factors};
    step += round.occupied.most() / steps;
    count_messages(sum, stage, (segments - 1) / steps);
  }
  return step;
}

// The budget may give a connection any size, so the sum is kept from overflow.
Bytes memory_of(const Sketch& sketch, const Budget& budget) noexcept {
  constexpr Bytes kMost = Bytes{1} << 62;
  const int peers = sketch.peers;
  const Bytes connections =
      budget.connection > kMost / std::max(1, peers) ? kMost : peers * budget.connection;
  return std::min(kMost, sketch.scratch) + connections;
}

}  // namespace

Estimate estimate(const Sketch& sketch, double segments, const Platform& platform,
                  const Facts& facts) noexcept {
  Estimate sum;
  const bool scarce = facts.oversubscribed || facts.software_wire;
  const double cores = facts.cores > 0 ? facts.cores : facts.P;
  const Cores costs = platform.cores.value_or(Cores{});
  const Budget budget = platform.budget.value_or(Budget{});
  Paths paths;
  Occupied occupied;  // by a segment, since stages begin that wait for all segments of others
  double before = 0;  // until then
  Port port;
  double turn = 0;   // the longest wait for one
  double apart = 0;  // how far the ranks of a node have got apart at its port
  const bool in_step = !sketch.step.empty() && segments > 1;
  const Count gaps = gap_factors(sketch, platform);
  for (const Stage& stage : sketch.stages) {
    const Round round{stage, platform, costs, gaps, apart};
    if (stage.leaving > 0) apart = round.apart;
    const double shared = scarce ? std::max(0.0, round.work / cores - round.time) : 0;
    // Results that depend on all ranks have to wait until each has begun.
    const bool all_begin = &stage == &sketch.stages.front() && !sketch.one_way;
    const double wakes = costs.wake * turns(all_begin ? facts.P : stage.woken, facts, cores);
    const double begun = all_begin ? wakes : 0;  // even an open round waits for that
    paths.add(
        stage,
        {round.time + shared + wakes,
         {.start_up = round.first, .compute = round.compute, .cores = shared, .wakes = wakes}},
        {round.sent + shared + begun, {.cores = shared, .wakes = begun}});
    turn = std::max(turn, wakes);
    sum.work += stage.share * stage.rounds * round.work;
    if (stage.after_all) before += std::exchange(occupied, {}).most();
    occupied.add(round.occupied, stage, stage.others_at_borders && platform.within);
    port.add(round, stage);
    if (stage.all.both() > 0) sum.rounds += stage.rounds;
    const double more = std::max(0.0, segments * stage.share - 1);
    sum.leaving += (1 + more) * leaving_bytes(stage);
    count_messages(sum, stage, stage.rounds + (in_step ? 0 : more * stage.busy));
  }
  sum.latency = paths.whole().time;
  Estimate::Parts& parts = sum.parts = paths.whole().parts;
  const double busy =
      in_step ? step_of(sketch, segments, platform, gaps, sum) : before + occupied.most();
  const double each = std::max(busy, scarce ? sum.work / cores : 0);
  // Ranks that forward take a turn for each further segment. In calls in a row they forward many in
  // one turn.
  const double further = in_step || sum.rounds <= 1 ? 0 : (segments - 1) * turn;
  sum.latency = std::max(sum.latency, each) + (segments - 1) * each + further;
  sum.latency = std::max(sum.latency, port.until_end(segments));
  sum.interval = sketch.one_way ? segments * std::max(each, port.each) : sum.latency;
  parts.wakes += further;
  sum.work *= segments;
  parts.queueing =
      std::max(0.0, sum.latency - parts.start_up - parts.compute - parts.cores - parts.wakes);
  const double calls = std::max(1.0, budget.calls);
  sum.peers = sketch.peers;
  sum.set_up = sum.peers * budget.connect / std::max(1.0, budget.uses);
  sum.time = (sum.latency + (calls - 1) * sum.interval) / calls + sum.set_up;
  sum.memory = memory_of(sketch, budget);
  return sum;
}

Estimate detailed(const Sketch& sketch, double segments, const Platform& platform,
                  const Facts& facts) {
  Estimate whole = estimate(sketch, segments, platform, facts);
  const double start_up = estimate(without_bytes(sketch), 1, platform, facts).parts.start_up;
  whole.parts.bytes = std::max(0.0, whole.parts.start_up - start_up);
  whole.parts.start_up -= whole.parts.bytes;
  return whole;
}

std::string_view reason_of(const Estimate& estimate) noexcept {
  const Estimate::Parts& parts = estimate.parts;
  const std::array<std::pair<double, std::string_view>, 6> all{{
      {parts.start_up, "the least time by the model; most of it goes into the start of messages"},
      {parts.bytes, "the least time by the model; most of it goes into bytes"},
      {parts.compute, "the least time by the model; most of it goes into combining and copying"},
      {parts.queueing, "the least time by the model; most of it is waiting for a port"},
      {parts.cores, "the least time by the model; most of it is work of cores that ranks share"},
      {parts.wakes, "the least time by the model; most of it is waiting for a turn on a core"},
  }};
  constexpr double kRounding = 1e-6;  // us; rounding leaves less
  const auto& [time, reason] = *std::max_element(all.begin(), all.end());
  return time < kRounding ? "the least memory, then the fewest rounds; none of them takes time"
                          : reason;
}

}  // namespace tutti::models
