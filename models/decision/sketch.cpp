// The families. Pure.
#include "models/decision/sketch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

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

double Sketch::leaving(double distance) const noexcept {
  if (place_.nodes == 1) return 0;
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

// Upwards the rounds come in the other order, which changes no sum.
void Sketch::tree(int k, Bytes bytes, Way way, Bytewise bytewise, Keeps keeps) {
  double reached = 1, peers = way == Way::down ? 1 : 0;
  for (double part = place_.P; part > 1;) {
    const double children = std::min<double>(k, part - 1), next = ceil_div(part, k + 1);
    const double messages = std::min(reached * children, place_.P - reached);
    const bool near = place_.nodes == 1 ||
                      (keeps == Keeps::nearest ? within_node(part)
                                               : place_.in_order && reached + messages <= place_.q);
    const bool far = !near;
    // Who keeps the farthest ranks has sent to those beside it: senders fill nodes.
    const double senders = place_.in_order && keeps == Keeps::farthest
                               ? std::min<double>(reached, place_.q)
                               : ceil_div(reached, place_.nodes);
    Stage& stage = add(bytewise == Bytewise::blocks ? static_cast<Bytes>(next) * bytes : bytes);
    stage.out = counted(way == Way::down ? children : 1, far);
    stage.in = counted(way == Way::down ? 1 : children, far);
    stage.all = counted(messages * place_.copies, far);
    stage.border = far ? children : 0;
    stage.leaving = far ? std::min(senders * children, messages) * place_.copies : 0;
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
  peers_ = 0;
  meets(2);
}

// Who is at a border exchanges across it every other time, and the others wait for it: long
// messages within the node begin when those from outside have come.
void Sketch::exchange_with_neighbors(Bytes bytes) {
  const double further = std::floor(place_.P / 2.0) - 1;
  const bool within = place_.nodes == 1, all_far = !within && (!place_.in_order || place_.q == 1);
  round_about(bytes, all_far ? 1 : 0, all_far ? 0 : 1);
  const double far_rounds = within ? 0 : all_far ? further : std::ceil(further / 2);
  round_about(2 * bytes, far_rounds, further - far_rounds);
  if (!within && !all_far) copies(far_rounds * 2 * static_cast<double>(bytes));
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
  }
  meets(2 * k * rounds);
}

void Sketch::in_step(Bytes bytes) {
  const std::size_t first = stages_.size();
  for (double d = 1; d < place_.P; d *= 2) shift(d, bytes);
  step_.assign(stages_.begin() + static_cast<std::ptrdiff_t>(first), stages_.end());
  stages_.resize(first);
}

void Sketch::hand_over(Bytes bytes, bool far, double all) {
  Stage& stage = add(bytes);
  stage.out = stage.in = counted(1, far);
  stage.all = counted(all * place_.copies, far);
  stage.leaving = stage.border = far ? 1 : 0;
  stage.woken = all * place_.copies;
  stage.combined = combines_ ? static_cast<double>(bytes) : 0;
  stage.exchange = false;
}

void Sketch::doubling(Bytes first, double growth, Bytes lent, Bytes given, double messages) {
  const double partners = std::bit_floor(static_cast<unsigned>(place_.P));
  const double extra = place_.P - partners;
  const bool far = !within_node(2);
  if (extra > 0) hand_over(lent, far, extra);
  double bytes = static_cast<double>(first), rounds = 0;
  for (double d = 1; d < partners; d *= 2, bytes *= growth, ++rounds) {
    shift(d, static_cast<Bytes>(bytes), 1, messages);
    Stage& stage = stages_.back();
    // Neighbours lend to each other, which shifts the others against the nodes.
    const bool away = extra > 0 ? place_.nodes > 1 : !within_node(2 * d);
    stage.out = stage.in = counted(messages, away);
    stage.all = counted(partners * messages * place_.copies, away);
    stage.leaving = away ? place_.q * messages * place_.copies : 0;
    stage.border = away ? messages : 0;
    stage.woken = partners * place_.copies;
  }
  if (extra > 0) {
    const bool combines = std::exchange(combines_, false);
    hand_over(given, far, extra);
    combines_ = combines;
  }
  meets(rounds + (extra > 0 ? 1 : 0));
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
  stage.border = far;
  meets(place_.P - 1);
}

void Sketch::pairwise(Bytes bytes) {
  // The first and the last rounds go to a node beside, from some of a node's ranks.
  const double rounds = place_.P - 1;
  const double beside =
      place_.nodes > 1 && place_.in_order ? std::min(rounds, 2 * (place_.q - 1.0)) : 0;
  const int half = (place_.q + 1) / 2;
  if (beside > 0) shift(half, bytes, 1, 1, beside);
  if (rounds > beside) shift(place_.q, bytes, 1, 1, rounds - beside);
  meets(rounds);
}

}  // namespace tutti::models
