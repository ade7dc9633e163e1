// The families. Pure.
#include "models/decision/sketch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tutti::models {
namespace {

double ceil_div(double a, double b) { return std::ceil(a / b); }

// `count` messages, near or far.
Count counted(double count, bool far) { return far ? Count{0, count} : Count{count, 0}; }

}  // namespace

Stage& Sketch::add(Bytes bytes) {
  stages_.push_back({});
  stages_.back().bytes = bytes;
  return stages_.back();
}

void Sketch::meets(double peers) {
  peers_ = std::max(peers_, static_cast<int>(std::min<double>(peers, place_.P - 1)));
}

bool Sketch::within_node(double ranks) const noexcept {
  if (place_.nodes == 1) return true;
  return place_.in_order && ranks <= place_.q && std::fmod(place_.q, ranks) == 0;
}

bool Sketch::shares_node(double distance) const noexcept {
  return place_.nodes == 1 || (place_.in_turn && std::fmod(distance, place_.nodes) == 0);
}

double Sketch::leaving(double distance) const noexcept {
  if (shares_node(distance)) return 0;
  const double nearest = std::min(distance, place_.P - distance);
  return place_.in_order ? std::clamp<double>(nearest, 1, place_.q) : place_.q;
}

void Sketch::star(Bytes bytes, Way way) {
  if (place_.P < 2) return;
  Stage& stage = add(bytes);
  const double all = place_.P - 1, near = place_.q - 1;
  const Count many{near, all - near}, one = counted(1, place_.nodes > 1);
  stage.out = way == Way::down ? many : one;
  stage.in = way == Way::down ? one : many;
  stage.all = {many.near * place_.copies, many.far * place_.copies};
  stage.leaving = stage.border = many.far;
  stage.woken = (way == Way::down ? all : 1) * place_.copies;
  stage.combined = combines_ && way == Way::up ? all * static_cast<double>(bytes) : 0;
  stage.exchange = false;
  meets(all);
}

// Upwards the rounds come in the other order, which changes no sum. If a rank keeps the farthest
// ranks, it sends to other nodes from its second round on, where nodes have less than half of the
// ranks. These messages leave one after another, while what has arrived is forwarded within the
// nodes: no path crosses more borders than a tree of the nodes has rounds.
void Sketch::tree(int k, Bytes bytes, Way way, Bytewise bytewise, Keeps keeps) {
  double reached = 1, peers = way == Way::down ? 1 : 0, round = 1;
  double crossings = std::ceil(std::log(place_.nodes) / std::log(k + 1.0) - 1e-9);
  // A tree begins beside its root, so that its smallest parts may cross borders, too.
  if (place_.q > 1 && bytewise == Bytewise::whole)
    crossings = std::min(crossings + 1, place_.nodes - 1.0);
  double astray = 2;  // on a path: parts that lie across a border, though they fit into a node
  bool inside = false;
  for (double part = place_.P; part > 1; ++round) {
    const double children = std::min<double>(k, part - 1), next = ceil_div(part, k + 1);
    const double messages = std::min(reached * children, place_.P - reached);
    double far = 0;  // of the root's children
    for (int child = 0; child < children; ++child) {
      const double distance = keeps == Keeps::nearest
                                  ? part - (child + 1) * std::floor(part / (k + 1))
                                  : place_.P - part + 1 + child * next;
      const bool beside = place_.in_order ? distance < place_.q : shares_node(distance);
      far += place_.nodes > 1 && !beside ? 1 : 0;
    }
    inside = inside || within_node(part);
    const bool unaligned = keeps == Keeps::nearest && place_.in_order && !inside;
    if (far == 0 && unaligned && astray-- > 0) far = children;
    double senders = ceil_div(reached, place_.nodes);
    if (keeps == Keeps::farthest && place_.in_order) senders = std::min<double>(round, place_.q);
    // Each sender is a whole number of parts away from the root.
    if (place_.in_turn && (keeps == Keeps::nearest || shares_node(part)))
      senders = std::min<double>(reached, place_.q);
    const bool crosses =
        far > 0 && (!place_.in_order || keeps == Keeps::nearest || crossings-- > 0);
    Stage& stage = add(bytewise == Bytewise::blocks ? static_cast<Bytes>(next) * bytes : bytes);
    const Count many = crosses ? Count{children - far, far} : Count{children, 0};
    const Count one = counted(1, crosses);
    stage.out = way == Way::down ? many : one;
    stage.in = way == Way::down ? one : many;
    stage.all = counted(messages * place_.copies, far > 0);
    stage.border = far;
    stage.leaving = std::min(senders * far, messages) * place_.copies;
    stage.woken = (way == Way::down ? messages : std::min(reached, messages)) * place_.copies;
    stage.combined = combines_ && way == Way::up ? children * static_cast<double>(stage.bytes) : 0;
    stage.exchange = false;
    reached += messages;
    peers += children;
    part = next;
  }
  meets(peers);
}

void Sketch::path(double hops, Bytes bytes, Way way) {
  // In the order of the nodes it crosses a border after each; else each hop is one.
  double far_hops = place_.nodes == 1 ? 0 : hops;
  const bool crosses_once = place_.in_order;
  if (far_hops > 0 && crosses_once)
    far_hops = hops >= place_.P - 1.0 ? place_.nodes - 1 : std::ceil(hops / place_.q);
  for (const bool far : {true, false}) {
    const double rounds = far ? far_hops : hops - far_hops;
    if (rounds <= 0) continue;
    Stage& stage = add(bytes);
    stage.rounds = rounds;
    stage.out = stage.in = counted(1, far);
    const double each = (place_.P - 1.0) / hops;
    stage.all = counted(each * place_.copies, far);
    stage.leaving = stage.border = far ? 1 : 0;
    stage.passing = far && !crosses_once ? place_.q : 0;
    stage.woken = each * place_.copies;
    stage.combined = combines_ && way == Way::up ? static_cast<double>(bytes) : 0;
    stage.busy = far || far_hops == 0 ? 1 : 0;
  }
  meets(2);
}

// Level by level. The ranks of a level follow each other, so a node has many of them, whose
// children are on other nodes: all share its port. A rank, and but for the first also a node, is in
// one level only.
void Sketch::k_ary(int k, Bytes bytes, Way way) {
  if (place_.P < 2) return;
  if (k == 1) return path(place_.P - 1.0, bytes, way);
  const std::size_t begin = stages_.size();
  std::size_t busiest = begin;
  double children_met = 0;
  for (double before = 0, width = 1; before + width < place_.P;) {
    const double below = std::min(width * k, place_.P - before - width);
    const double children = std::min<double>(k, below), parents = ceil_div(below, children);
    const bool near = place_.nodes == 1 || (place_.in_order && before + width + below <= place_.q);
    const double of_a_node =
        place_.in_order ? std::min<double>(parents, place_.q) : ceil_div(parents, place_.nodes);
    Stage& stage = add(bytes);
    stage.out = counted(way == Way::down ? children : 1, !near);
    stage.in = counted(way == Way::down ? 1 : children, !near);
    stage.all = counted(below * place_.copies, !near);
    stage.border = near ? 0 : children;
    stage.leaving = near ? 0 : std::min(of_a_node * children, below) * place_.copies;
    stage.woken = below * place_.copies;
    stage.combined = combines_ && way == Way::up ? children * static_cast<double>(bytes) : 0;
    stage.busy = 0;
    if (stage.leaving > stages_[busiest].leaving) busiest = stages_.size() - 1;
    children_met = std::max(children_met, children);
    before += width;
    width = below;
  }
  stages_[busiest].busy = 1;
  meets(children_met + 1.0);
}

void Sketch::chains(int k, Bytes bytes, Way way) {
  if (place_.P < 2) return;
  const double heads = std::min(k, place_.P - 1), length = ceil_div(place_.P - 1, heads);
  if (heads > 1) {
    star(bytes, way);
    Stage& stage = stages_.back();
    const Count many = counted(heads, place_.nodes > 1);
    (way == Way::down ? stage.out : stage.in) = many;
    stage.all = counted(heads * place_.copies, place_.nodes > 1);
    stage.leaving = stage.border = many.far;
    stage.combined = stage.combined > 0 ? heads * static_cast<double>(bytes) : 0;
    stage.woken = (way == Way::down ? heads : 1) * place_.copies;
    peers_ = 0;
  }
  const double hops = heads > 1 ? length - 1 : length;
  if (hops > 0) {
    path(hops, bytes, way);
    for (std::size_t i = stages_.size(); i-- > 0 && stages_[i].exchange;)
      stages_[i].all = {stages_[i].all.near > 0 ? heads * place_.copies : 0,
                        stages_[i].all.far > 0 ? heads * place_.copies : 0};
  }
  meets(heads + 1);
}

// A block that goes round passes every border.
void Sketch::ring(Bytes bytes, double rounds) {
  if (place_.P < 2) return;
  const double borders = place_.nodes == 1 ? 0 : place_.in_order ? place_.nodes : place_.P;
  const double far_rounds = std::min(rounds, std::ceil(rounds * borders / (place_.P - 1)));
  round_about(bytes, far_rounds, rounds - far_rounds);
}

void Sketch::round_about(Bytes bytes, double far_rounds, double near_rounds) {
  for (const bool far : {true, false}) {
    const double rounds = far ? far_rounds : near_rounds;
    if (rounds <= 0) continue;
    shift(1, bytes, 1, 1, rounds);
    stages_.back().out = stages_.back().in = counted(1, far);
  }
  meets(2);
}

// A block passes a border only where it meets one, but the ranks at a border exchange across it
// every other time.
void Sketch::exchange_with_neighbors(Bytes bytes) {
  const double further = std::floor(place_.P / 2.0) - 1;
  const bool within = place_.nodes == 1, all_far = !within && (!place_.in_order || place_.q == 1);
  round_about(bytes, all_far ? 1 : 0, all_far ? 0 : 1);
  const double crossings = 2 + 2 * std::ceil(further / place_.q);
  const double far_rounds = within ? 0 : all_far ? further : std::min(further, crossings);
  const std::size_t begin = stages_.size();
  round_about(2 * bytes, far_rounds, further - far_rounds);
  if (within || all_far) return;
  for (std::size_t i = begin; i < stages_.size(); ++i) stages_[i].busy = std::ceil(further / 2);
}

void Sketch::shift(double distance, Bytes bytes, double to, double messages, double rounds) {
  Stage& stage = add(bytes);
  double out = 0;
  for (int y = 1; y <= to && place_.nodes > 1; ++y)
    out += leaving(std::min(y * distance, place_.P - 1.0)) * messages;
  messages *= to;
  stage.rounds = stage.busy = rounds;
  stage.out = stage.in = counted(messages, out > 0);
  stage.leaving = out * place_.copies;
  stage.border = out > 0 ? messages : 0;
  stage.all.far = out * place_.nodes * place_.copies;
  stage.all.near = std::max(0.0, place_.P * messages * place_.copies - stage.all.far);
  stage.woken = place_.P * place_.copies;
  stage.combined = combines_ ? messages * static_cast<double>(bytes) : 0;
}

// The rounds up to the size of a node go less far together than to the next node but one: they
// cross one border at most.
void Sketch::dissemination(int k, Bytes bytes, bool grows, double messages) {
  double rounds = 0;
  for (double d = 1; d < place_.P; d *= k + 1, ++rounds) {
    const double to = std::min<double>(k, std::floor((place_.P - 1) / d));
    const double blocks = std::min(d, ceil_div(place_.P - d, to));
    shift(d, grows ? static_cast<Bytes>(blocks) * bytes : bytes, to, messages);
    Stage& stage = stages_.back();
    if (place_.in_order && d * (k + 1.0) * (k + 1.0) <= place_.q)
      stage.out = stage.in = counted(to * messages, false);
    // The last round's blocks have been there for two rounds, so they are sent before their time
    // and delay the round before.
    if (grows && k == 1 && d > 1 && 2 * blocks <= d) stage.rounds = stage.busy = 2;
  }
  meets(2 * k * rounds);
}

// Each skip is half of the one before, rounded up.
void Sketch::circulant(Bytes bytes) {
  double rounds = 0;
  for (int held = place_.P; held > 1; held = (held + 1) / 2, ++rounds) {
    const int skip = (held + 1) / 2;
    shift(skip, (held - skip) * bytes);
  }
  meets(2 * rounds);
}

// The distances to partners are 1, 1, 3, 5, 11, … ranks, to either side in turn.
void Sketch::bine(Bytes bytes, double growth) {
  double rounds = 0, distance = 1;
  for (double d = 1; d < place_.P;
       d *= 2, ++rounds, bytes = static_cast<Bytes>(static_cast<double>(bytes) * growth)) {
    shift(distance, bytes);
    Stage& stage = stages_.back();
    if (rounds == 0 && within_node(2)) {
      stage.out = stage.in = counted(1, false);
      stage.all = counted(place_.P * place_.copies, false);
      stage.leaving = stage.border = 0;
    }
    distance = 2 * distance + (std::fmod(rounds, 2) == 0 ? -1 : 1);
  }
  meets(rounds);
}

void Sketch::circulant_tree(Bytes bytes, Way way) {
  double rounds = 0;
  for (int held = place_.P; held > 1; held = (held + 1) / 2, ++rounds) {
    const int skip = (held + 1) / 2;
    const double messages = held - skip;
    const bool far = place_.in_order ? held > place_.q : !shares_node(skip);
    const double senders =
        place_.in_order ? std::min<double>(messages, place_.q) : ceil_div(messages, place_.nodes);
    Stage& stage = add(bytes);
    stage.out = stage.in = counted(1, far && place_.nodes > 1);
    stage.all = counted(messages * place_.copies, far && place_.nodes > 1);
    stage.border = stage.out.far;
    stage.leaving = stage.border * senders * place_.copies;
    stage.woken = messages * place_.copies;
    stage.combined = combines_ && way == Way::up ? static_cast<double>(bytes) : 0;
    stage.exchange = false;
  }
  const std::size_t first = stages_.size();
  for (int held = place_.P; held > 1;) {
    held = (held + 1) / 2;  // the skip, and what the next round has
    shift(held, bytes);
  }
  step_.assign(stages_.begin() + static_cast<std::ptrdiff_t>(first), stages_.end());
  stages_.resize(first);
  // For each segment the root sends one message more than it gets; upwards it gets one more.
  const double share = (place_.P - 1.0) / place_.P;
  for (Stage& stage : step_) {
    Count& less = way == Way::down ? stage.out : stage.in;
    less = {less.near * share, less.far * share};
    if (way == Way::up) stage.combined *= share;
  }
  meets(2 * rounds);
}

void Sketch::hand_over(Bytes bytes, Way way, double messages, bool far, double all) {
  Stage& stage = add(bytes);
  stage.out = counted(way == Way::down ? messages : 1, far);
  stage.in = counted(way == Way::down ? 1 : messages, far);
  stage.all = counted(all * place_.copies, far);
  stage.border = far ? messages : 0;
  stage.leaving = stage.border * place_.copies;
  stage.woken = all * place_.copies;
  stage.combined = combines_ && way == Way::up ? messages * static_cast<double>(bytes) : 0;
  stage.exchange = false;
}

void Sketch::doubling(Bytes first, double growth, Bytes lent, Bytes given, double messages) {
  const double partners = std::bit_floor(static_cast<unsigned>(place_.P));
  const double extra = place_.P - partners;
  const bool far = !within_node(2);
  if (extra > 0) hand_over(lent, Way::up, 1, far, extra);
  double bytes = static_cast<double>(first), rounds = 0;
  bool left = false;  // messages have left the node
  for (double d = 1; d < partners; d *= 2, bytes *= growth, ++rounds) {
    shift(d, static_cast<Bytes>(bytes), 1, messages);
    Stage& stage = stages_.back();
    // Where neighbours lend to each other, partners lie shifted against the nodes.
    const bool shifted = extra > 0 && (std::fmod(extra, 2 * d) != 0 || !within_node(4 * d));
    const bool away = place_.nodes > 1 && !shares_node(d) && (shifted || !within_node(2 * d));
    stage.out = stage.in = counted(messages, away);
    stage.all = counted(partners * messages * place_.copies, away);
    stage.leaving = away ? place_.q * messages * place_.copies : 0;
    stage.border = away ? messages : 0;
    stage.woken = partners * place_.copies;
    // The ranks of a node have got apart at its port, by more than shorter messages take there.
    stage.staggered = left && growth < 1;
    left = left || away;
  }
  if (extra > 0) hand_over(given, Way::down, 1, far, extra);
  meets(rounds + (extra > 0 ? 1 : 0));
}

void Sketch::among_partners(double distance, double partners, Bytes bytes, int radix) {
  const double messages = radix - 1;
  Stage& stage = add(bytes);
  const bool away = place_.nodes > 1 && !shares_node(distance) && !within_node(distance * radix);
  stage.out = stage.in = counted(messages, away);
  stage.all = counted(partners * messages * place_.copies, away);
  stage.border = away ? messages : 0;
  stage.leaving = away ? ceil_div(partners, place_.nodes) * messages * place_.copies : 0;
  stage.woken = partners * place_.copies;
  stage.combined = combines_ ? messages * static_cast<double>(bytes) : 0;
}

// In the last round the last ranks get what the first ones have had for long, unless that takes all
// rounds, too: then it comes together with the message of the round before. No message goes back to
// a node before. A rank that has everything sends at once what it still has to send, so messages of
// later rounds are in the way of earlier ones.
void Sketch::scan(Bytes bytes) {
  const double all = std::ceil(std::log2(place_.P));
  double round = 0;
  for (double d = 1; d < place_.P; d *= 2, ++round) {
    if (d > 1 && place_.P - d <= d / 2) {
      Stage& both = stages_.back();
      const Count more = counted(1, !shares_node(d));
      both.out = both.in = place_.in_order
                               ? counted(2, place_.nodes > 1)
                               : Count{both.out.near + more.near, both.out.far + more.far};
      if (more.far > 0) both.leaving += std::min<double>(place_.q, place_.P - d);
      both.all = {2 * both.all.near, 2 * both.all.far};
      both.combined *= 2;
      break;
    }
    shift(d, bytes);
    Stage& stage = stages_.back();
    if (stage.leaving > 0) stage.leaving = (stage.leaving + place_.q) / 2;
    // All hops that are shorter than a node cross one border together.
    const bool beside = 2 * d < place_.q || all - round >= place_.nodes;
    if (place_.in_order && beside) stage.out = stage.in = counted(1, false);
  }
  meets(2 * all);
}

void Sketch::at_once(Bytes bytes) {
  if (place_.P < 2) return;
  shift(1, bytes);
  Stage& stage = stages_.back();
  stage.combined *= place_.P - 1.0;
  const double far = place_.P - place_.q, near = place_.q - 1;
  stage.out = stage.in = {near, far};
  stage.all = {place_.P * near * place_.copies, place_.P * far * place_.copies};
  stage.leaving = place_.q * far * place_.copies;
  // The ranks of a node all begin with the same ranks of the next node, whose ports have their
  // messages one after another meanwhile. Not quite all of it is lost, by the simulator.
  constexpr double kLost = 0.8;
  const double crowd = place_.nodes > 1 && place_.in_order ? kLost * near : 0;
  stage.border = far + crowd;
  meets(place_.P - 1);
}

void Sketch::pairwise(Bytes bytes) {
  const double rounds = place_.P - 1;
  if (place_.in_turn && place_.nodes > 1) {
    const double beside = place_.q - 1;
    if (beside > 0) shift(place_.nodes, bytes, 1, 1, beside);
    shift(1, bytes, 1, 1, rounds - beside);
    return meets(rounds);
  }
  // The first and the last rounds go to a node beside, from some of a node's ranks.
  const double beside =
      place_.nodes > 1 && place_.in_order ? std::min(rounds, 2 * (place_.q - 1.0)) : 0;
  const int half = (place_.q + 1) / 2;
  if (beside > 0) shift(half, bytes, 1, 1, beside);
  if (rounds > beside) shift(place_.q, bytes, 1, 1, rounds - beside);
  meets(rounds);
}

}  // namespace tutti::models
