// Sketches of trees, and of algorithms that are made of trees. Pure.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/index.hpp"
#include "collectives/algorithms/trees.hpp"
#include "models/decision/fan.hpp"
#include "models/decision/reached_in_turn.hpp"
#include "models/decision/walk.hpp"

namespace tutti::models::families {
namespace {

// How often a path has to stay on its rank so that it can go on in a tree's last round, in which
// only parts of several ranks send. A round cuts each part into `base` parts, some of which may
// have one rank more: a rank that stays keeps one of these, a rank that is new gets any other.
int stays_before_last(int P, int rounds, int base) {
  const int never = rounds;
  int size = P;                        // parts have so many ranks, or one more
  std::array<int, 2> stays{0, never};  // the fewest on a path to a part of either size
  for (; rounds > 1; --rounds) {
    const int less = size / base;
    std::array<int, 2> next{never, never};
    const auto reach = [&](int part, int after) {
      int& fewest = next[index(part - less)];
      fewest = std::min(fewest, after);
    };
    for (const int more : {0, 1}) {
      const int part = size + more, smaller = part / base, larger = part % base;
      reach(smaller, stays[index(more)]);
      reach(larger > 1 ? smaller + 1 : smaller, stays[index(more)]);
      reach(larger > 0 ? smaller + 1 : smaller, stays[index(more)] + 1);
    }
    stays = next;
    size = less;
  }
  return size > 1 ? std::min(stays[0], stays[1]) : stays[1];
}

// The last round waits until a rank that stayed has sent, but not until that has come.
void end_uneven(std::vector<Stage>& stages, int stays) {
  if (stays == 0) return;
  for (int i = 0; i < stays; ++i) stages[stages.size() - 2 - i].order = Stage::Order::open;
  stages.back().order = Stage::Order::joins;
}

// The children on other nodes of a rank that has a part of so many ranks: of the root or, if the
// nearest are kept and ranks are dealt out in turn, of any rank.
double far_children(const Topology& place, double part, int k, Keeps keeps) {
  if (place.nodes == 1) return 0;
  const double even = std::floor(part / (k + 1)), longer = part - even * (k + 1);
  double far = 0, distance = place.P - part + 1;
  for (int child = 1; child <= k && child < part; ++child) {
    const double away = keeps == Keeps::nearest ? part - child * even : distance;
    const bool beside = place.in_order ? away < place.q : place.shares_node(away);
    far += beside ? 0 : 1;
    distance += even + (child < longer ? 1 : 0);
  }
  return far;
}

// The most of all parts: if these are uneven, some have one rank less, whose first rank is
// elsewhere.
double far_of_parts(const Topology& place, double part, int k, Keeps keeps, bool uneven) {
  const double far = far_children(place, part, k, keeps);
  if (!uneven || !place.in_turn || keeps != Keeps::nearest) return far;
  return std::max(far, far_children(place, part - 1, k, keeps));
}

// In the round of this number, with parts of so many ranks, before which so many have been reached.
double senders_of_a_node(const Topology& place, Keeps keeps, double part, double reached,
                         double round, const ReachedInTurn& in_turn) {
  // Each sender is a whole number of parts away from the root.
  if (place.in_turn && keeps == Keeps::nearest) return std::min<double>(reached, place.q);
  if (keeps == Keeps::farthest && place.in_order) return std::min<double>(round, place.q);
  // A border lies in one part at most, if these fit into a node.
  if (place.in_order && part <= place.q) return 1;
  return in_turn.on_busiest(reached);
}

// The messages that leave the busiest node: its share of all, or those of its senders.
double leaving_a_node(const Topology& place, Keeps keeps, double messages, double of_senders,
                      const ReachedInTurn& in_turn) {
  if (of_senders > 0 && keeps == Keeps::farthest && in_turn.spreads())
    return ceil_div(messages * (place.nodes - 1.0) / place.nodes, place.nodes);
  return std::min(of_senders, messages);
}

// A tree begins beside its root, so that its smallest parts may cross borders, too.
double most_crossings(const Topology& place, int k, Bytewise bytewise) {
  const double rounds = std::ceil(std::log(place.nodes) / std::log(k + 1.0) - 1e-9);
  const bool more = place.q > 1 && bytewise == Bytewise::whole;
  return more ? std::min(rounds + 1, place.nodes - 1.0) : rounds;
}

// A way that leaves a node in most rounds waits for few other messages; the root, and who is next
// to it, leave it seldom, and wait for many. Either ends last. Ranks that fit into a node may lie
// across one border.
void cross_borders(SketchBuilder& sketch, std::size_t begin, double rounds_beyond_node) {
  const Topology& place = sketch.place();
  std::vector<Stage>& stages = sketch.stages();
  const std::size_t end = stages.size();
  double far = std::min(rounds_beyond_node + 1, place.nodes - 1.0);
  for (std::size_t i = begin; i < end; ++i) {
    stages[i].order = Stage::Order::open;
    Stage& hop = sketch.add(stages[i].bytes);
    hop.out = hop.in = Count::of(1, far-- > 0);
    hop.exchange = false;
    hop.busy = 0;
    hop.order = Stage::Order::beside;
  }
}

// In each round of a binomial tree a path stays on its rank, until that may send again, or goes on
// with the message. The root, which keeps the farthest ranks, stays in all rounds but the last: so
// the stages are drawn. Beside that is the path that leaves most nodes, which has to stay for a
// round before it gets past the ranks beside it.
void leave_nodes(SketchBuilder& sketch, std::size_t begin, const Walk& walk) {
  const std::size_t end = sketch.stages().size();
  for (std::size_t i = begin; i < end; ++i) {
    Stage& of_root = sketch.stages()[i];
    of_root.order = Stage::Order::open;
    of_root.stays = i + 1 < end;
    const double combined = of_root.combined;
    const int round = static_cast<int>(i - begin);
    Stage& hop = sketch.add(of_root.bytes);
    hop.stays = walk.stays_in(round);
    hop.out = hop.in = Count::of(1, walk.leaves_in(round) || hop.stays);
    hop.border = hop.out.far;
    hop.combined = combined;
    hop.exchange = false;
    hop.busy = 0;
    hop.order = Stage::Order::beside;
  }
}

}  // namespace

void star(SketchBuilder& sketch, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  const double all = place.P - 1, near = place.q - 1;
  fan(sketch, bytes, way, {near, all - near});
  sketch.meets(all);
}

// Upwards the rounds come in the other order, which changes no sum. If a rank keeps the farthest
// ranks, it sends to other nodes from its second round on, where nodes have less than half of the
// ranks. These messages leave one after another, while what has arrived is forwarded within the
// nodes: no path crosses more borders than a tree of the nodes has rounds. A path that stays in a
// round spares the crossing of that round for the last one. Paths through binomial trees are known
// better (walk.hpp).
void tree(SketchBuilder& sketch, int k, Bytes bytes, Way way, Bytewise bytewise, Keeps keeps) {
  const Topology& place = sketch.place();
  double reached = 1, peers = way == Way::down ? 1 : 0, cuts = 1;
  double crossings = most_crossings(place, k, bytewise);
  const bool apart = place.in_order && place.nodes > 1 && place.q > 1;
  const bool nearest = keeps == Keeps::nearest, walks = apart && k == 1;
  const Walk longest = walks ? longest_walk(place, nearest) : Walk{};
  const bool limited = place.in_order && !nearest && !walks;
  const std::size_t begin = sketch.stages().size();
  double beyond_node = 0;  // rounds whose parts have more ranks than a node
  ReachedInTurn in_turn(place);
  Count to;  // of the root
  int round = 0, left = collectives::rounds_to_reach(place.P, k + 1);
  const int stays = place.P > 1 ? stays_before_last(place.P, left, k + 1) : 0;
  for (double part = place.P; part > 1; ++round) {
    const double children = std::min<double>(k, part - 1), next = ceil_div(part, k + 1);
    const double messages = std::min(reached * children, place.P - reached);
    double far = far_of_parts(place, part, k, keeps, std::fmod(place.P, cuts) != 0);
    cuts *= k + 1;
    if (part > place.q) ++beyond_node;
    to.near += children - far;
    to.far += far;
    if (walks && nearest) far = longest.leaves_in(round) || longest.stays_in(round) ? 1 : 0;
    // In a binomial tree a new rank sends to the one beside it.
    const double old = walks ? round : round + 1;
    const double senders = senders_of_a_node(place, keeps, part, reached, old, in_turn);
    const bool crosses = far > 0 && (!limited || crossings > 0);
    if (crosses && (left == 1 || left > stays + 1)) --crossings;
    --left;
    // The rank keeps the largest part, and hands over the rest: the root sends each block once.
    const double all = (part - next) * static_cast<double>(bytes);
    const bool blocks = bytewise == Bytewise::blocks;
    Stage& stage = sketch.add(blocks ? static_cast<Bytes>(std::ceil(all / children)) : bytes);
    const Count many = crosses ? Count{children - far, far} : Count{children, 0};
    const Count one = Count::of(1, crosses);
    stage.out = way == Way::down ? many : one;
    stage.in = way == Way::down ? one : many;
    stage.all = Count::of(messages * place.copies, far > 0);
    stage.border = far;
    stage.leaving = leaving_a_node(place, keeps, messages, senders * far, in_turn) * place.copies;
    stage.woken = (way == Way::down ? messages : std::min(reached, messages)) * place.copies;
    stage.combined =
        sketch.is_combining() && way == Way::up ? children * static_cast<double>(stage.bytes) : 0;
    stage.exchange = false;
    stage.hands_down = way == Way::down;
    stage.stays = walks && nearest && longest.stays_in(round);
    in_turn.hand_over(static_cast<int>(children), part);
    reached += messages;
    peers += children;
    part = next;
  }
  if (walks && !nearest)
    leave_nodes(sketch, begin, longest);
  else
    end_uneven(sketch.stages(), stays);
  if (apart && bytewise == Bytewise::blocks && !nearest && k > 1 && stays == 0)
    cross_borders(sketch, begin, beyond_node);
  sketch.meets(peers);
  sketch.sends_to(way == Way::down ? to : Count::of(1, place.nodes > 1));
}

// A round of the path has messages of one length: their mean, which takes a port as long as they
// do.
void loggp_tree(SketchBuilder& sketch, Bytes block, Way way, const collectives::LogGP& times) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  const collectives::LogGPPath path = collectives::loggp_path(place.P, block, times);
  double on_path = 0, blocks = 0;
  for (const auto& hop : path.hops) {
    on_path += hop.messages;
    blocks += static_cast<double>(hop.blocks);
  }
  // The root is the busiest. Its port is occupied by messages or by bytes.
  const double busy = std::min(path.children / on_path, (place.P - 1) / blocks);
  for (const auto& hop : path.hops) {
    const auto mean = static_cast<double>(hop.blocks) / hop.messages;
    const bool near = place.nodes == 1 ||
                      (place.in_order ? hop.distance < place.q : place.shares_node(hop.distance));
    fan(sketch, static_cast<Bytes>(std::ceil(mean * static_cast<double>(block))), way,
        Count::of(hop.messages, !near));
    Stage& stage = sketch.stages().back();
    const double all = (place.P - 1) * (hop.messages / on_path);
    stage.all = Count::of(all * place.copies, !near);
    stage.woken = (way == Way::down ? all : 1) * place.copies;
    stage.busy = busy;
  }
  sketch.needs_scratch(path.largest * block);
  sketch.meets(path.children);
  sketch.sends_to(Count::of(way == Way::down ? path.children : 1, place.nodes > 1));
}

void hand_over(SketchBuilder& sketch, Bytes bytes, Way way, double messages, bool far, double all) {
  const Topology& place = sketch.place();
  Stage& stage = sketch.add(bytes);
  const bool up = way == Way::up;
  (up ? stage.in : stage.out) = Count::of(messages, far);
  stage.all = Count::of(all * place.copies, far);
  // A rank alone on its node has the port for what it sends itself.
  stage.border = far && !(up && place.q == 1) ? messages : 0;
  stage.leaving = stage.border * place.copies;
  stage.woken = all * place.copies;
  stage.combined = sketch.is_combining() && up ? messages * static_cast<double>(bytes) : 0;
  stage.exchange = false;
  sketch.sends_to(up ? Count::of(1, far) : stage.out);
}

void turn_back(SketchBuilder& sketch) {
  const Topology& place = sketch.place();
  std::vector<Stage>& stages = sketch.stages();
  const bool apart = place.in_order && place.nodes > 1 && place.q > 1;
  if (apart && !stages.empty()) stages[stages.size() - 2].others_at_borders = true;
}

}  // namespace tutti::models::families
