// Sketches of chains: one path through all ranks, or several from one root. Pure.
#include <algorithm>
#include <utility>

#include "models/decision/fan.hpp"

namespace tutti::models::families {
namespace {

// A path of `hops` hops from rank to rank, of which `far_hops` leave a node.
void path(SketchBuilder& sketch, double hops, double far_hops, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  for (const bool far : {true, false}) {
    const double rounds = far ? far_hops : hops - far_hops;
    if (rounds <= 0) continue;
    Stage& stage = sketch.add(bytes);
    stage.rounds = rounds;
    stage.relays = true;
    stage.out = stage.in = Count::of(1, far);
    const double each = (place.P - 1.0) / hops;
    stage.all = Count::of(each * place.copies, far);
    stage.leaving = stage.border = far ? 1 : 0;
    stage.passing = far && !place.in_order ? place.q : 0;
    stage.woken = each * place.copies;
    stage.combined = sketch.is_combining() && way == Way::up ? static_cast<double>(bytes) : 0;
    stage.busy = far || far_hops == 0 ? 1 : 0;
  }
  sketch.sends_to(Count::of(1, far_hops > 0));
}

// In the order of the nodes it crosses a border after each; else each hop is one.
void chain(SketchBuilder& sketch, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  const double hops = place.P - 1;
  path(sketch, hops, place.in_order || place.nodes == 1 ? place.nodes - 1 : hops, bytes, way);
  sketch.meets(2);
}

// One of several chains: the root's messages until its head has one, and the hops after that.
struct OfChains {
  Count first;
  double hops = -1, far_hops = 0;
  bool begins_far = false;
  double crossed() const noexcept { return far_hops + (begins_far ? 1 : 0); }
};

// `waiting`: messages at the port of the node that the first one of the path finds, and itself. If
// that one stays on the node, all count as near: there may be one port for both kinds.
void one_of_chains(SketchBuilder& sketch, const OfChains& one, Bytes bytes, Way way,
                   double waiting) {
  const Topology& place = sketch.place();
  fan(sketch, bytes, way, one.begins_far ? one.first : Count{one.first.both(), 0});
  Stage& first = sketch.stages().back();
  (way == Way::down ? first.in : first.out) = Count::of(1, one.begins_far);
  first.leaving = place.nodes > 1 ? waiting : 0;
  if (one.hops > 0) path(sketch, one.hops, one.far_hops, bytes, way);
}

}  // namespace

// Either of two chains ends last: the one that leaves nodes most often, and of several the longest;
// or the last one, whose head has to wait for the messages to all others. If these are one and the
// same, another chain that has more hops may end after it. A chain that begins beside the root
// leaves the node through the same port, where it finds those messages. The root begins all chains,
// so it is busier than ranks that forward.
void chains(SketchBuilder& sketch, int k, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  const int heads = std::min(k, place.P - 1), more = (place.P - 1) % heads;
  if (heads == 1) return chain(sketch, bytes, way);
  const bool ordered = place.in_order || place.nodes == 1;
  OfChains longest, most_hops, last;
  bool leaves = false;  // a chain that begins on the root's node
  double passing = place.nodes > 1 && !place.in_order ? heads - 1 + place.q : 0;  // on that
  Count& to = last.first;
  for (int number = 0, head = 1; number < heads; ++number) {
    const int length = (place.P - 1) / heads + (number < more ? 1 : 0), end = head + length - 1;
    last.begins_far = ordered ? head >= place.q : !place.shares_node(head);
    last.hops = length - 1;
    last.far_hops = ordered ? end / place.q - head / place.q : length - 1;
    (last.begins_far ? to.far : to.near) += 1;
    leaves = leaves || (!last.begins_far && last.far_hops > 0);
    if (passing > 0 && place.shares_node(end)) passing -= 1;  // it sends nothing
    if (std::pair{last.crossed(), last.hops} >= std::pair{longest.crossed(), longest.hops})
      longest = last;
    else if (!ordered && last.hops == longest.hops)
      longest.first = to;  // it ends as late if all messages pass one port
    if (last.hops > most_hops.hops) most_hops = last;
    head = end + 1;
  }
  if (longest.first.both() == heads && most_hops.hops > last.hops) longest = most_hops;
  const bool both = longest.first.both() < heads;
  const std::size_t begin = sketch.stages().size();
  if (both)
    one_of_chains(sketch, longest, bytes, way,
                  longest.begins_far     ? longest.first.far
                  : longest.far_hops > 0 ? to.far
                                         : 0);
  const std::size_t second = sketch.stages().size();
  one_of_chains(sketch, last, bytes, way, to.far + (leaves ? 1 : 0));
  for (std::size_t i = begin; i < sketch.stages().size(); ++i) {
    Stage& stage = sketch.stages()[i];
    const bool far = stage.out.far + stage.in.far > 0;
    const bool is_first = i == begin || i == second;
    if (both) stage.order = i < second ? Stage::Order::open : Stage::Order::beside;
    stage.all = is_first ? Count{to.near * place.copies, to.far * place.copies}
                         : Count::of(heads * place.copies, far);
    if (both && i >= second) stage.all = {};  // counted beside
    const bool forwards = !is_first && far && (i > second || last.far_hops == 0);
    stage.busy = i == second || (forwards && !last.begins_far) ? 1 : 0;
    stage.passing = i == second ? passing : 0;
  }
  sketch.sends_to(way == Way::down ? to : Count::of(1, place.nodes > 1));
  sketch.meets(heads + 1);
}

}  // namespace tutti::models::families
