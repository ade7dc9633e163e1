// Finds the cost of a collective stage by stage, and within a stage transfer by transfer.
#include "models/tau_lop/evaluation.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "collectives/analysis/rounds.hpp"

namespace tutti::models::tau_lop {
namespace {

using collectives::Message;
using collectives::Place;
using collectives::Step;
using collectives::StepKind;

// A message of a stage.
struct Sent {
  Rank from, to;
  Bytes bytes;
  protocols::Use use;
  friend bool operator<(const Sent& a, const Sent& b) noexcept {
    return std::tie(a.from, a.to, a.bytes, a.use) < std::tie(b.from, b.to, b.bytes, b.use);
  }
};

// Sizes that share a channel, from the beginning of a step on.
Course at_once(const std::vector<Bytes>& sizes) {
  std::vector<Course> all;
  all.reserve(sizes.size());
  for (const Bytes bytes : sizes) all.push_back({{1, bytes}});
  return overlay(all);
}

// The messages of a stage on their way.
class Stage {
 public:
  Stage(const std::vector<Sent>& messages, const std::vector<int>& node, const Ways& ways)
      : node_(node), busy_(node.size(), 0) {
    for (const Sent& message : messages) {
      const int channel = node[index(message.from)] == node[index(message.to)] ? kMemory : kNetwork;
      Way way = ways(message.bytes, message.use, channel);
      const Bytes bytes = std::max(message.bytes, way.least);
      const Bytes segment = way.segment > 0 ? way.segment : std::max<Bytes>(bytes, 1);
      moving_.push_back(
          {message, channel, bytes, std::move(way.hops), segment, (bytes + segment - 1) / segment});
    }
  }

  Cost cost() {
    std::vector<Cost> overheads;
    for (const Moving& moving : moving_)
      overheads.emplace_back(Term{Kind::overhead, moving.channel, moving.message.bytes, 1});
    Cost sum = Cost::greatest(std::move(overheads));
    const bool cut = std::any_of(moving_.begin(), moving_.end(), [](const Moving& moving) {
      return moving.channel == kMemory && moving.segments > 1;
    });
    if (cut) {
      sum += steps([](const Moving& moving) { return moving.channel == kMemory; });
      sum += steps([](const Moving& moving) { return moving.channel == kNetwork; });
    } else {
      sum += steps([](const Moving&) { return true; });
    }
    return sum;
  }

 private:
  struct Moving {
    Sent message;
    int channel;
    Bytes bytes;
    std::vector<Hop> hops;
    Bytes segment;
    Bytes segments;                                                // how many
    std::vector<Bytes> done = std::vector<Bytes>(hops.size(), 0);  // segments, after each hop
    std::vector<Bytes> before{};                                   // `done` when the step began
    Bytes next(std::size_t hop) const noexcept {                   // length
      return std::min(segment, bytes - done[hop] * segment);
    }
  };

  template <class Which>
  Cost steps(Which&& which) {
    Cost sum;
    std::size_t hops = 0;
    std::vector<Moving*> left;
    for (Moving& moving : moving_)
      if (which(moving)) left.push_back(&moving), hops = std::max(hops, moving.hops.size());
    for (;;) {
      left.erase(
          std::remove_if(left.begin(), left.end(),
                         [](const Moving* some) { return some->done.back() == some->segments; }),
          left.end());
      if (left.empty()) return sum;
      sum += step(left, hops);
    }
  }

  // A rank that has something to copy out does that first.
  Cost step(const std::vector<Moving*>& left, std::size_t hops) {
    std::map<std::pair<int, int>, std::vector<Bytes>> sizes;  // by channel and node
    std::fill(busy_.begin(), busy_.end(), 0);
    for (Moving* const moving : left) moving->before = moving->done;
    for (std::size_t hop = hops; hop-- > 0;)
      for (Moving* const moving : left) {
        if (hop >= moving->hops.size() || moving->before[hop] == moving->segments) continue;
        if (hop > 0 && moving->before[hop - 1] <= moving->before[hop]) continue;
        const Bytes bytes = moving->next(hop);
        const auto [from, to] = std::tie(moving->message.from, moving->message.to);
        if (moving->hops[hop] == Hop::on_wire) {
          sizes[{kNetwork, node_[index(to)]}].push_back(bytes);
        } else {
          const Rank by = moving->hops[hop] == Hop::by_sender ? from : to;
          if (busy_[index(by)]) continue;
          busy_[index(by)] = 1;
          sizes[{kMemory, node_[index(by)]}].push_back(bytes);
        }
        ++moving->done[hop];
      }
    std::vector<Cost> costs;
    costs.reserve(sizes.size());
    for (const auto& [where, together] : sizes)
      costs.emplace_back(Kind::transfer, where.first, at_once(together));
    return Cost::greatest(std::move(costs));
  }

  const std::vector<int>& node_;
  std::vector<char> busy_;  // processes, in this step
  std::vector<Moving> moving_;
};

// Copies and combinations of each rank between two stages.
class Local {
 public:
  explicit Local(const std::vector<int>& node) : node_(node) {}

  void add(Rank rank, const Step& step) {
    if (length_of(step) == 0) return;
    const Kind kind = step.kind == StepKind::copy ? Kind::copy : Kind::combine;
    done_[{kind, rank}] += length_of(step);
  }

  Cost cost() {
    Cost sum;
    for (const Kind kind : {Kind::copy, Kind::combine}) {
      std::map<int, std::vector<Bytes>> by_node;
      for (const auto& [what, bytes] : done_)
        if (what.first == kind) by_node[node_[index(what.second)]].push_back(bytes);
      std::vector<Cost> costs;
      costs.reserve(by_node.size());
      for (const auto& [node, sizes] : by_node) costs.emplace_back(kind, kMemory, at_once(sizes));
      sum += Cost::greatest(std::move(costs));
    }
    done_.clear();
    return sum;
  }

 private:
  const std::vector<int>& node_;
  std::map<std::pair<Kind, Rank>, Bytes> done_;
};

}  // namespace

Evaluation evaluate(collectives::World& world, const std::vector<int>& node, const Ways& ways) {
  Evaluation whole;
  Local local(node);
  std::map<std::vector<Sent>, Cost> known;  // stages repeat
  const auto stage = [&](std::span<const Message> messages) {
    whole.cost += local.cost();
    std::vector<Sent> sent;
    for (const Message& message : messages) {
      const Step& step = world.step(message.send);
      sent.push_back({message.send.rank, message.receive.rank, length_of(step), step.use});
    }
    std::sort(sent.begin(), sent.end());
    const auto [place, is_new] = known.try_emplace(std::move(sent));
    if (is_new) place->second = Stage{place->first, node, ways}.cost();
    whole.cost += place->second;
  };
  whole.stages = rounds(world, 1, collectives::Order::ready,
                        {[&](Place place) { local.add(place.rank, world.step(place)); }, stage});
  whole.cost += local.cost();
  if (whole.stages < 0) throw Error(Code::internal, "a collective that never ends has no cost");
  return whole;
}

}  // namespace tutti::models::tau_lop
